package ratestore

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
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

// maxConnections bounds a replica's connections to Redis. Redis runs one script
// at a time: so many keep it busy.
const maxConnections = 64

// dialTimeout bounds how long a connection that nobody waits for any more goes
// on being made.
const dialTimeout = time.Second

// asker asks a Redis.
type asker struct {
	client *redis.Client
	script *redis.Script
	secret [sha256.Size]byte
	loads  atomic.Uint64 // see Stats.ScriptLoads
}

// newAsker makes no connection yet. config is for TLS; nil trusts what the system
// trusts.
func newAsker(e Endpoint, config *tls.Config) *asker {
	o := &redis.Options{
		Addr:     net.JoinHostPort(e.host, e.port),
		Username: e.user,
		Password: e.password,
		DB:       e.db,
		Protocol: 2, // as old as Redis itself; nothing of the next is needed

		// A call ends with its context, whatever it is waiting for, and is made once.
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		DialTimeout:           dialTimeout,
		DialerRetries:         1,

		PoolSize:       maxConnections,
		MaxActiveConns: maxConnections,
		// Shorter than the five minutes after which much in between forgets a silent
		// connection without saying so.
		ConnMaxIdleTime: time.Minute,
		// A request and an answer have about 200 bytes.
		ReadBufferSize:  1 << 10,
		WriteBufferSize: 1 << 10,
		// CLIENT SETINFO is one more command that a user would have to be allowed.
		DisableIdentity: true,
	}
	if e.tls {
		if config == nil {
			config = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		o.TLSConfig = config.Clone()
		if o.TLSConfig.ServerName == "" {
			o.TLSConfig.ServerName = e.host
		}
	}
	return &asker{
		client: redis.NewClient(o),
		script: redis.NewScript(takeScript),
		secret: sha256.Sum256([]byte("catalog rate store\x00" + e.password)),
	}
}

// keyPrefix begins every key: what a Redis user of the catalog may be confined to.
const keyPrefix = "catalog:allowance:"

// key returns where the counts of a payer are. It holds no address, but a keyed
// hash of it: without the password of the Redis, by which it is keyed, nobody
// can tell the address from a key, a slow log or a dump. Without a password the
// four billion IPv4 addresses can be tried one by one; then that a key is gone
// after 61 seconds is all that protects it.
func (a *asker) key(p Payer) string {
	var text [sha256.Size + len(p.Client) + 1]byte
	copy(text[:], a.secret[:])
	copy(text[sha256.Size:], p.Client[:])
	text[len(text)-1] = p.Policy
	sum := sha256.Sum256(text[:])
	return keyPrefix + base64.RawURLEncoding.EncodeToString(sum[:16]) // as many bytes as an address
}

// take asks for one request of the payer at that key, in one round trip where
// Redis has the script. args are for tests: the time.
func (a *asker) take(ctx context.Context, key string, limit int, args ...any) (Verdict, error) {
	keys, args := []string{key}, append([]any{limit}, args...)
	reply, err := a.script.EvalSha(ctx, a.client, keys, args...).Int64Slice()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		a.loads.Add(1)
		reply, err = a.script.Eval(ctx, a.client, keys, args...).Int64Slice()
	}
	if err != nil {
		return Verdict{}, err
	}
	if len(reply) != 3 {
		return Verdict{}, fmt.Errorf("the script answers %d numbers, want 3", len(reply))
	}
	return Verdict{reply[0] == 1, int(reply[1]), int(reply[2])}, nil
}
