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

	"github.com/gomodule/redigo/redis"
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

// idleTimeout is after how long an idle connection is closed: less than the five
// minutes after which much in between forgets a silent one without saying so.
const idleTimeout = time.Minute

// asker asks a Redis. Each call is made once, and ends with its context, whatever
// it is waiting for.
type asker struct {
	endpoint Endpoint
	tls      *tls.Config
	secret   [sha256.Size]byte
	script   *redis.Script
	pool     *redis.Pool
	// calls bounds the calls under way, and with them the connections. The pool
	// could bound them itself; but then to close it while somebody whose time is up
	// waits for a connection is a panic (redigo 1.9.3, Pool.waitVacantConn).
	calls chan struct{}
	// era counts how often the idle connections were given up.
	era   atomic.Uint64
	loads atomic.Uint64 // see Stats.ScriptLoads
}

// newAsker makes no connection yet. config is for TLS; nil trusts what the system
// trusts.
func newAsker(e Endpoint, config *tls.Config) *asker {
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName = e.host
	}
	a := &asker{
		endpoint: e, tls: config,
		secret: sha256.Sum256([]byte("catalog rate store\x00" + e.password)),
		script: redis.NewScript(1, takeScript),
		calls:  make(chan struct{}, maxConnections),
	}
	a.pool = &redis.Pool{
		DialContext:  a.dial,
		TestOnBorrow: func(c redis.Conn, _ time.Time) error { return c.(*connection).check(a.era.Load()) },
		MaxIdle:      maxConnections,
		IdleTimeout:  idleTimeout,
	}
	return a
}

// close closes the connections, those in use after the call that uses them. Calls
// that are made later fail.
func (a *asker) close() error { return a.pool.Close() }

// forget lets no idle connection be used again: of those to a Redis that failed,
// some may be dead without a sign.
func (a *asker) forget() { a.era.Add(1) }

// do makes one call.
func (a *asker) do(ctx context.Context, command string, args ...any) (any, error) {
	select {
	case a.calls <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-a.calls }()
	c, err := a.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // it goes back to the pool
	return redis.DoContext(c, ctx, command, args...)
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
	args = append([]any{a.script.Hash(), 1, key, limit}, args...)
	reply, err := redis.Int64s(a.do(ctx, "EVALSHA", args...))
	if isReply(err, "NOSCRIPT") {
		a.loads.Add(1)
		args[0] = takeScript
		reply, err = redis.Int64s(a.do(ctx, "EVAL", args...))
	}
	if err != nil {
		return Verdict{}, err
	}
	if len(reply) != 3 {
		return Verdict{}, fmt.Errorf("the script answers %d numbers, want 3", len(reply))
	}
	return Verdict{reply[0] == 1, int(reply[1]), int(reply[2])}, nil
}
