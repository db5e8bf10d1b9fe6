package ratestore

import (
	"context"
	"crypto/sha1" // #nosec G505 -- Redis names scripts by their SHA-1
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

// Endpoint is the address of a Redis, with user and password. Neither printing it nor the
// errors of ParseEndpoint show the password.
type Endpoint struct {
	host, port     string
	user, password string
	db             int
	tls            bool
}

// errEndpoint is the only error of ParseEndpoint. Errors of net/url quote parts of the text,
// and any part may contain the password.
var errEndpoint = errors.New("give redis://[[user]:password@]host[:port][/database], or rediss:// for TLS; in user and password, percent-encode all characters but letters, digits and -._~")

// ParseEndpoint parses the address of a Redis: redis://host, or rediss://host for TLS, with
// an optional port (6379), database (0), password, and user. It ignores white space around
// the address, because files end with a line break.
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
	if e.user != "" && e.password == "" { // most likely a password in place of the user
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

// GoString returns String, so that %#v does not show the password.
func (e Endpoint) GoString() string { return e.String() }

// HasPassword reports whether the endpoint has a password.
func (e Endpoint) HasPassword() bool { return e.password != "" }

// withoutPassword returns the text of an error without the password. An old Redis, or
// another server, may repeat what it was sent.
func (e Endpoint) withoutPassword(err error) string {
	text := err.Error()
	if e.password == "" {
		return text
	}
	return strings.ReplaceAll(text, e.password, "[password]")
}

//go:embed take.lua
var takeScript string

// takeHash is the name of the script in Redis.
var takeHash = func() string {
	sum := sha1.Sum([]byte(takeScript)) // #nosec G401 -- Redis names scripts by their SHA-1
	return hex.EncodeToString(sum[:])
}()

// redisClient calls a Redis on one connection, which it opens when it needs one. Each call
// ends with its context.
type redisClient struct {
	endpoint Endpoint
	tls      *tls.Config
	secret   [sha256.Size]byte
	loads    atomic.Uint64 // see Stats.ScriptLoads

	connecting chan struct{} // a lock that ends with a context
	current    atomic.Pointer[connection]
	closed     atomic.Bool
}

// newRedisClient does not connect yet. config is for TLS; nil trusts the system's
// certificates.
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
	c.disconnect()
}

// disconnect closes the connection. The next call opens another.
func (c *redisClient) disconnect() {
	if conn := c.current.Load(); conn != nil {
		conn.close()
	}
}

// connect returns an open connection.
func (c *redisClient) connect(ctx context.Context) (*connection, error) {
	if conn := c.current.Load(); conn != nil && conn.isOpen() {
		return conn, nil
	}
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn := c.current.Load(); conn != nil && conn.isOpen() { // another call was faster
		return conn, nil
	}
	if c.closed.Load() {
		return nil, net.ErrClosed
	}
	conn, err := dial(ctx, c.endpoint, c.tls)
	if err != nil {
		return nil, err
	}
	c.current.Store(conn)
	if c.closed.Load() { // meanwhile
		conn.close()
	}
	return conn, nil
}

// do makes one call. If Redis closes the connection during the call, do makes it again. If
// Redis had counted it, it counts twice.
func (c *redisClient) do(ctx context.Context, words ...string) (numbers, error) {
	command := encode(words...)
	for retried := false; ; retried = true {
		conn, err := c.connect(ctx)
		if err != nil {
			return numbers{}, err
		}
		if n, err := conn.do(ctx, command); retried || !errors.Is(err, errHungUp) {
			return n, err
		}
	}
}

// keyPrefix begins every key in Redis, so that a Redis user can be restricted to it.
const keyPrefix = "catalog:allowance:"

// redisKey returns the key in Redis. It contains no address, but a hash of it that is keyed
// by the password of the Redis: without the password, nobody can find the address from a
// key, a slow log or a dump. A Redis without a password only has the expiry of keys, 61
// seconds, against trying all IPv4 addresses.
func (c *redisClient) redisKey(k Key) string {
	var text [sha256.Size + len(k.Client) + 1]byte
	copy(text[:], c.secret[:])
	copy(text[sha256.Size:], k.Client[:])
	text[len(text)-1] = k.Policy
	sum := sha256.Sum256(text[:])
	return keyPrefix + base64.RawURLEncoding.EncodeToString(sum[:16]) // as long as an address
}

// take decides on a request of a key in Redis. It takes one round trip if Redis has the
// script. Tests give the time in args.
func (c *redisClient) take(ctx context.Context, key string, limit int, args ...string) (Verdict, error) {
	words := append([]string{"EVALSHA", takeHash, "1", key, strconv.Itoa(limit)}, args...)
	n, err := c.do(ctx, words...)
	if isRedisError(err, "NOSCRIPT") {
		c.loads.Add(1)
		words[0], words[1] = "EVAL", takeScript
		n, err = c.do(ctx, words...)
	}
	if err != nil {
		return Verdict{}, err
	}
	return verdictOf(n, limit)
}

// errVerdict reports a reply that is not a valid verdict.
var errVerdict = errors.New("the answer of Redis has numbers that the script cannot return")

// verdictOf checks and returns the reply of the script: whether the request is allowed, how
// many are left, and the seconds until more are.
func verdictOf(n numbers, limit int) (Verdict, error) {
	allowed, left, reset := n[0], n[1], n[2]
	if allowed != 0 && allowed != 1 || left < 0 || left > allowed*int64(limit-1) || reset < 1 || reset > int64(Window/time.Second) {
		return Verdict{}, errVerdict
	}
	return Verdict{allowed == 1, int(left), int(reset)}, nil
}
