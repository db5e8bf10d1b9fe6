package ratestore

import (
	"context"
	"crypto/sha1" // #nosec G505 -- Redis names scripts so
	"crypto/sha256"
	"crypto/tls"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Endpoint is where a Redis is, and who may use it. It never shows its password:
// not when it is printed, and not in the errors of ParseEndpoint.
type Endpoint struct {
	host, port     string
	user, password string
	db             int
	tls            bool
}

// errEndpoint is all that is told of an endpoint that cannot be read: what
// net/url would say quotes parts of it, and any part may hold the password.
var errEndpoint = errors.New("give redis://[[user]:password@]host[:port][/database], or rediss:// for TLS; other characters of user and password than letters, digits and -._~ are percent-encoded")

// ParseEndpoint reads the address of a Redis: redis://host, rediss://host where it
// speaks TLS, with a port (6379 if there is none), a database (0), a password, or
// user and password. White space around it is ignored, as files end in it.
func ParseEndpoint(text string) (Endpoint, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return Endpoint{}, errEndpoint
	}
	e := Endpoint{host: u.Hostname(), port: u.Port(), user: u.User.Username(), tls: u.Scheme == "rediss"}
	e.password, _ = u.User.Password()
	if u.Scheme != "redis" && u.Scheme != "rediss" {
		return Endpoint{}, errEndpoint
	}
	if e.user != "" && e.password == "" { // a password in the place of the user's name, most likely
		return Endpoint{}, errEndpoint
	}
	if e.port == "" {
		e.port = "6379"
	}
	if n, err := strconv.ParseUint(e.port, 10, 16); err != nil || n == 0 {
		return Endpoint{}, errEndpoint
	}
	if db := strings.TrimPrefix(u.Path, "/"); db != "" {
		n, err := strconv.ParseUint(db, 10, 16)
		if err != nil {
			return Endpoint{}, errEndpoint
		}
		e.db = int(n)
	}
	return e, nil
}

// String returns the endpoint without user and password.
func (e Endpoint) String() string {
	u := url.URL{Scheme: "redis", Host: net.JoinHostPort(e.host, e.port)}
	if e.tls {
		u.Scheme = "rediss"
	}
	if e.db != 0 {
		u.Path = "/" + strconv.Itoa(e.db)
	}
	return u.String()
}

// GoString is String: %#v shows no password either.
func (e Endpoint) GoString() string { return e.String() }

// HasPassword tells whether there is a secret in the endpoint.
func (e Endpoint) HasPassword() bool { return e.password != "" }

// withoutPassword is for the texts of errors. A Redis too old for users, or
// something that is no Redis, may repeat what it was sent.
func (e Endpoint) withoutPassword(err error) string {
	text := err.Error()
	if e.password == "" {
		return text
	}
	return strings.ReplaceAll(text, e.password, "[password]")
}

//go:embed take.lua
var takeScript string

// takeHash is how Redis names the script.
var takeHash = func() string {
	sum := sha1.Sum([]byte(takeScript)) // #nosec G401 -- Redis names scripts so
	return hex.EncodeToString(sum[:])
}()

// redisClient asks a Redis, on one connection that is made when it is needed. Each call
// ends with its context, whatever it is waiting for.
type redisClient struct {
	endpoint Endpoint
	tls      *tls.Config
	secret   [sha256.Size]byte
	loads    atomic.Uint64 // see Stats.ScriptLoads

	connecting chan struct{} // has room for the one who connects
	current    atomic.Pointer[connection]
	closed     atomic.Bool
}

// newRedisClient makes no connection yet. config is for TLS; nil trusts what the
// system trusts.
func newRedisClient(e Endpoint, config *tls.Config) *redisClient {
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName = e.host
	}
	return &redisClient{
		endpoint: e, tls: config,
		secret:     sha256.Sum256([]byte("catalog rate store\x00" + e.password)),
		connecting: make(chan struct{}, 1),
	}
}

// close closes the connection. Calls fail from then on.
func (c *redisClient) close() {
	c.closed.Store(true)
	c.forget()
}

// forget closes the connection, so that the next call makes another.
func (c *redisClient) forget() {
	if open := c.current.Load(); open != nil {
		open.close()
	}
}

// connect returns an open connection.
func (c *redisClient) connect(ctx context.Context) (*connection, error) {
	if open := c.current.Load(); open != nil && open.isOpen() {
		return open, nil
	}
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if open := c.current.Load(); open != nil && open.isOpen() { // somebody else was faster
		return open, nil
	}
	if c.closed.Load() {
		return nil, net.ErrClosed
	}
	made, err := dial(ctx, c.endpoint, c.tls)
	if err != nil {
		return nil, err
	}
	c.current.Store(made)
	if c.closed.Load() { // meanwhile
		made.close()
	}
	return made, nil
}

// do makes one call. Redis may close a connection at the moment of a call: then it
// is made once more. Where Redis has counted it, it counts twice.
func (c *redisClient) do(ctx context.Context, words ...string) (numbers, error) {
	command := encode(words...)
	for again := false; ; again = true {
		open, err := c.connect(ctx)
		if err != nil {
			return numbers{}, err
		}
		if n, err := open.do(ctx, command); again || !errors.Is(err, errHungUp) {
			return n, err
		}
	}
}

// keyPrefix begins every key: what a Redis user of the catalog may be confined to.
const keyPrefix = "catalog:allowance:"

// key returns where the counts of a payer are. It holds no address, but a keyed
// hash of it: without the password of the Redis, by which it is keyed, nobody
// can tell the address from a key, a slow log or a dump. Without a password the
// four billion IPv4 addresses can be tried one by one; then that a key is gone
// after 61 seconds is all that protects it.
func (c *redisClient) key(p Payer) string {
	var text [sha256.Size + len(p.Client) + 1]byte
	copy(text[:], c.secret[:])
	copy(text[sha256.Size:], p.Client[:])
	text[len(text)-1] = p.Policy
	sum := sha256.Sum256(text[:])
	return keyPrefix + base64.RawURLEncoding.EncodeToString(sum[:16]) // as many bytes as an address
}

// take asks for one request of the payer at that key, in one round trip where
// Redis has the script. args are for tests: the time.
func (c *redisClient) take(ctx context.Context, key string, limit int, args ...string) (Verdict, error) {
	words := append([]string{"EVALSHA", takeHash, "1", key, strconv.Itoa(limit)}, args...)
	n, err := c.do(ctx, words...)
	if isRefusal(err, "NOSCRIPT") {
		c.loads.Add(1)
		words[0], words[1] = "EVAL", takeScript
		n, err = c.do(ctx, words...)
	}
	if err != nil {
		return Verdict{}, err
	}
	return verdictOf(n, limit)
}

// errVerdict is why a verdict is not used.
var errVerdict = errors.New("the numbers that Redis answered are no verdict on a request")

// verdictOf checks what the script answered: whether the request is allowed, how
// many are left, and the seconds until more are.
func verdictOf(n numbers, limit int) (Verdict, error) {
	allowed, left, reset := n[0], n[1], n[2]
	if allowed != 0 && allowed != 1 || left < 0 || left > allowed*int64(limit-1) || reset < 1 || reset > int64(Window/time.Second) {
		return Verdict{}, errVerdict
	}
	return Verdict{allowed == 1, int(left), int(reset)}, nil
}
