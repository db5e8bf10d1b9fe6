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
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// dialTimeout bounds the time to connect, which takes three round trips with TLS and a password. If
// the timeout for calls is longer, it applies instead.
const dialTimeout = time.Second

// poolSize bounds the connections to one server. Each carries one call at a time. If calls take a
// millisecond, 128 connections carry 100,000 of them a second.
const poolSize = 128

//go:embed take.lua
var takeSource string

var takeScript = redis.NewScript(takeSource)

// redisClient calls a Redis. Each call ends when its context does.
type redisClient struct {
	endpoint Endpoint
	tls      *tls.Config
	secret   [sha256.Size]byte
	loads    atomic.Uint64 // see Stats.ScriptLoads
	dialing  time.Duration // bounds the time to connect
	current  atomic.Pointer[redis.UniversalClient]
	closed   atomic.Bool
	now      func() time.Time // only in tests; nil means the clock of Redis
}

// newRedisClient does not connect yet. config is the configuration for TLS; nil trusts the system's
// certificates. timeout bounds each call.
func newRedisClient(e Endpoint, config *tls.Config, timeout time.Duration) *redisClient {
	logging.Disable() // the library writes to standard error; Shared logs what matters
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c := &redisClient{endpoint: e, tls: config, dialing: max(dialTimeout, timeout)}
	c.secret = sha256.Sum256([]byte("catalog rate store\x00" + e.password))
	c.reconnect()
	return c
}

// close closes the connections. Calls fail from then on.
func (c *redisClient) close() {
	c.closed.Store(true)
	_ = (*c.current.Load()).Close() // an error is harmless: the client is no longer used
}

// reconnect closes the connections. The next call opens new ones, and looks up the master of each
// key again.
func (c *redisClient) reconnect() {
	client := c.open()
	if old := c.current.Swap(&client); old != nil {
		_ = (*old).Close() // an error is harmless: the client is no longer used
	}
	if c.closed.Load() { // by another goroutine
		_ = client.Close()
	}
}

// open returns a client of go-redis. It does not connect yet.
func (c *redisClient) open() redis.UniversalClient {
	o := c.options(c.endpoint.user, c.endpoint.password)
	o.Addrs, o.DB = c.endpoint.addresses, c.endpoint.db
	if !c.endpoint.isCluster() {
		if c.endpoint.master != "" {
			o.Dialer = c.dialMaster
		}
		return redis.NewClient(o.Simple())
	}
	cluster := o.Cluster()
	cluster.MaxRetries = -1               // a Cluster client has its own way to retry
	cluster.DisableRoutingPolicies = true // they need COMMAND, which a user may not be allowed to run
	return redis.NewClusterClient(cluster)
}

// options returns the options for all servers. In the protocol RESP2, a server sends only replies
// to commands.
func (c *redisClient) options(user, password string) *redis.UniversalOptions {
	return &redis.UniversalOptions{
		Username: user, Password: password, Protocol: 2, DisableIdentity: true,
		Dialer: c.dial, DialTimeout: c.dialing, DialerRetries: 1, ContextTimeoutEnabled: true,
		// If Redis closes a connection during a call, the call is made again. If Redis has already
		// counted the request, it then counts twice.
		MaxRetries: 1, MinRetryBackoff: -1,
		PoolSize: poolSize, PipelinePoolSize: -1, ReadBufferSize: maxLine, WriteBufferSize: maxLine,
	}
}

// dial connects to an address.
func (c *redisClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	socket := connection.(*net.TCPConn)
	if c.endpoint.tls {
		config := c.tls.Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(address) // no error: it was dialled
		}
		stream := tls.Client(socket, config)
		if err := stream.HandshakeContext(ctx); err != nil {
			_ = socket.Close()
			return nil, err
		}
		connection = stream
	}
	return &guard{Conn: connection, socket: socket}, nil
}

// dialMaster connects to the Redis that the Sentinels name as the master. The library's own client
// for Sentinels is not used, because an unexpected answer from a Sentinel can crash the process.
func (c *redisClient) dialMaster(ctx context.Context, network, _ string) (net.Conn, error) {
	var failed error
	for _, address := range c.endpoint.addresses {
		o := c.options(c.endpoint.sentinelUser, c.endpoint.sentinelPassword)
		o.Addrs = []string{address}
		sentinel := redis.NewSentinelClient(o.Simple())
		limited, cancel := context.WithTimeout(ctx, c.dialing/time.Duration(len(c.endpoint.addresses)+1))
		master, err := sentinel.GetMasterAddrByName(limited, c.endpoint.master).Result()
		cancel()
		_ = sentinel.Close() // no longer needed
		switch {
		case err == nil && len(master) == 2:
			return c.dial(ctx, network, net.JoinHostPort(master[0], master[1]))
		case err == nil:
			err = errReply
		case errors.Is(err, redis.Nil):
			err = fmt.Errorf("it knows no master named %q", c.endpoint.master)
		}
		failed = fmt.Errorf("the Sentinel %s: %w", address, err)
	}
	return nil, failed
}

// keyPrefix begins every key in Redis, so that a Redis user can be restricted to it.
const keyPrefix = "catalog:allowance:"

// redisKey returns the key in Redis. It contains not the address, but a hash of it that is keyed by
// the password of the Redis: without the password, nobody can recover the address from a key, a
// slow log or a dump. If the Redis has no password, all IPv4 addresses can be tried, and only the
// expiry of keys after 61 seconds helps.
func (c *redisClient) redisKey(k Key) string {
	var text [sha256.Size + len(k.Client) + 1]byte
	copy(text[:], c.secret[:])
	copy(text[sha256.Size:], k.Client[:])
	text[len(text)-1] = k.Policy
	sum := sha256.Sum256(text[:])
	return keyPrefix + base64.RawURLEncoding.EncodeToString(sum[:16]) // as long as an IPv6 address
}

// probeKeys returns the keys for probes. For a Cluster, there are so many that most likely every
// master has one.
func (c *redisClient) probeKeys() []string {
	keys := []string{keyPrefix + "probe"}
	for i := 1; c.endpoint.isCluster() && i < 16; i++ {
		keys = append(keys, keys[0]+strconv.Itoa(i))
	}
	return keys
}

// take lets Redis decide on a request for a key. It takes one round trip if Redis has the script.
func (c *redisClient) take(ctx context.Context, key string, limit int) (Verdict, error) {
	client, keys, args := *c.current.Load(), []string{key}, []any{limit}
	if c.now != nil {
		args = append(args, c.now().UnixMicro())
	}
	n, err := takeScript.EvalSha(ctx, client, keys, args...).Int64Slice()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		c.loads.Add(1)
		n, err = takeScript.Eval(ctx, client, keys, args...).Int64Slice()
	}
	if err != nil {
		return Verdict{}, err
	}
	return verdictOf(n, limit)
}

// errVerdict reports a reply that is not a valid verdict.
var errVerdict = errors.New("the answer of Redis has numbers that the script cannot return")

// verdictOf checks and returns the reply of the script: whether the request is allowed, how many
// are left, and the seconds until more become free.
func verdictOf(n []int64, limit int) (Verdict, error) {
	if len(n) != 3 {
		return Verdict{}, errVerdict
	}
	allowed, left, reset := n[0], n[1], n[2]
	if allowed < 0 || allowed > 1 || left < 0 || left > allowed*int64(limit-1) ||
		reset < 1 || reset > int64(Window/time.Second) {
		return Verdict{}, errVerdict
	}
	return Verdict{allowed == 1, int(left), int(reset)}, nil
}
