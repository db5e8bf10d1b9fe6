package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/server/traces"
	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	origin                                       originFlags
	public, addr, adminAddr, adminHosts, proxies string
	rateStore, rateStoreFile, mcpOrigins         string
	logLevel, logFormat, drainDelay, traces      string
	traceShare                                   float64
	maxConcurrent                                int
	scope                                        server.SandboxScope
	logClient                                    server.ClientLog
}

func newServe(env environment) *cobra.Command {
	var flags serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the pages and the API from the build output",
		Long: `Serves the pages, the API, and the MCP server at /mcp in one process. It reads only
the build output, which includes the settings. An environment variable CATALOG_<KEY>
overrides the setting <key>. A new build is served as soon as it is in place, or on
SIGHUP. A damaged build is refused, and the old one stays in use.

With --from, builds come from an origin instead of --public: any file host that has
what 'catalog pack' wrote. URL is the address of catalog.manifest.json: https://,
file:///, or http:// on this machine. The server asks for it every --poll. It
downloads an archive to --cache, verifies, unpacks and tests it, and then serves it.
With --verify-key, it serves only builds that one of the keys has signed. The last
good build stays in the cache, so that the server can start without the origin.

On SIGTERM, /readyz fails at once, and responses close their connections. Requests
are accepted for the time of --drain-delay; then those in flight are finished. Ctrl-C
does not wait for the delay. A second signal ends the program at once.

For the rate limit, each process counts requests in memory, unless a Redis is set with
--rate-store, --rate-store-file or the variable CATALOG_RATE_STORE:
redis://[[user]:password@]host[:port][/database], or rediss:// for TLS. Replicas with
the same Redis, database and password count together. Put a password into the file or
the variable, because other users of the machine can read a command line. The user
needs the permissions ~catalog:allowance:* +evalsha +eval +time +get +set, and
+select if the database is not 0. For a Redis Cluster, name some of its nodes:
redis://[[user]:password@]host[:port]?addr=host[:port]&addr=…; if there is only one
address, give it twice. The user also needs +cluster|slots +asking. For a Redis with
Sentinels, give their addresses and the name of the master:
redis://[[user]:password@]sentinel[:port][/database]?addr=sentinel[:port]&master_name=NAME,
with &sentinel_username=…&sentinel_password=… if they need it. To trust your own certificate authority, name its
file in the variable SSL_CERT_FILE. While the Redis cannot be reached, requests are
served and counted in memory.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return flags.serve(c, env) },
	}
	flags.add(c.Flags())
	return c
}

func (s *serveFlags) add(f *pflag.FlagSet) {
	f.StringVar(&s.public, "public", "public", "folder of the build output")
	s.origin.add(f, "`URL` of the manifest of an origin, whose builds are served instead of --public (default: none)",
		"folder for the builds of --from; each process needs its own", filepath.Join(".catalog-cache", "serve"),
		30*time.Second)
	f.StringVar(&s.addr, "addr", "localhost:8080", "address to listen on; port 0 picks a free one")
	f.StringVar(&s.adminAddr, "admin-addr", "", "private address for metrics, profiles and probes (default: none)")
	f.StringVar(&s.adminHosts, "admin-hosts", "", "extra host names that requests for metrics and profiles may use,"+
		" joined by commas; IP addresses, localhost and the host of --admin-addr are always allowed (default: none)")
	f.StringVar(&s.proxies, "trusted-proxies", "",
		"CIDRs, joined by commas, of proxies whose X-Forwarded-For is trusted (default: none)")
	f.TextVar(&s.scope, "sandbox-scope", s.scope, "`scope` of the sandbox key's rate limit: client (each client has"+
		" its own) or key (all clients share one)")
	f.StringVar(&s.rateStore, "rate-store", "", "Redis, Redis Cluster or Sentinels that let replicas "+
		"count requests together, redis://… or rediss://… (default: none, each replica counts its own)")
	f.StringVar(&s.rateStoreFile, "rate-store-file", "",
		"file with the value of --rate-store, if that has a password (default: none)")
	f.StringVar(&s.mcpOrigins, "mcp-origins", "", "web origins whose pages may use /mcp, besides the site's own,"+
		" joined by commas; * for all (default: none)")
	f.StringVar(&s.logLevel, "log-level", "info", logLevelUsage+"; debug has a line for each request")
	f.StringVar(&s.logFormat, "log-format", "text", logFormatUsage)
	f.TextVar(&s.logClient, "log-client", s.logClient,
		"`part` of client addresses that is logged: full, short (an IPv4 /24 or IPv6 /48) or none")
	f.StringVar(&s.traces, "traces", "", "`URL` of an OpenTelemetry collector that gets a span for each request as"+
		" OTLP/HTTP, such as http://localhost:4318 (default: none)")
	f.Float64Var(&s.traceShare, "trace-share", 1, "share of the requests without a traceparent that are traced, from 0"+
		" to 1")
	f.IntVar(&s.maxConcurrent, "max-concurrent", server.DefaultMaxConcurrent,
		"number of requests to process at once; further ones get status 503")
	f.StringVar(&s.drainDelay, "drain-delay", "0s", "how long to accept requests after SIGTERM,"+
		" such as 10s, so that load balancers can see that /readyz fails")
}

// serve checks the flags, and serves until the command is cancelled.
func (s *serveFlags) serve(c *cobra.Command, env environment) error {
	if _, set := env.lookup("GOGC"); !set {
		defer boundGarbage(serverGarbage)()
	}
	o, err := s.options(c, env)
	if err != nil {
		return err
	}
	follow, err := s.origin.parse(c)
	if err != nil {
		return err
	}
	delay, err := parseDrainDelay(s.drainDelay)
	if err != nil {
		return usageErrorf(c, "--drain-delay %q: %v", s.drainDelay, err)
	}
	closeStore, err := s.openRateStore(c, env, &o)
	if err != nil {
		return err
	}
	defer closeStore()
	if s.traces != "" {
		exporter, err := s.exporter(c, o.Logger)
		if err != nil {
			return err
		}
		defer exporter.Close()
		o.Traces, o.Collectors = exporter, exporter.Collectors()
	}
	builds := buildsOf(env, s.public, o.Logger)
	var watch watcher
	if follow != nil {
		watch, err = openOrigin(c.Context(), builds, follow, &o)
	} else {
		watch, err = openFolder(builds, &o)
	}
	if err != nil {
		return err
	}
	srv, err := server.New(o)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // who reads the access log may go: the server stays
	say := func(text string) { _, _ = fmt.Fprintln(env.stdout, text) }
	if s.logFormat == "json" { // so that programs can read standard output and standard error together
		say = func(text string) { o.Logger.Info(text) }
	}
	return listenAndServe(c.Context(), say, srv, watch, s.addr, s.adminAddr, delay)
}

// options checks the flags of the server, and returns its options without a snapshot.
func (s *serveFlags) options(c *cobra.Command, env environment) (server.Options, error) {
	o := server.Options{SandboxScope: s.scope, MaxConcurrent: s.maxConcurrent, LogClient: s.logClient, Version: version,
		AccessLog: slog.New(slog.NewJSONHandler(env.stdout, nil))}
	var err error
	if o.TrustedProxies, err = parsePrefixes(s.proxies); err != nil {
		return o, usageErrorf(c, "--trusted-proxies: %v", err)
	}
	if err := checkListenAddress(s.addr); err != nil {
		return o, usageErrorf(c, "--addr %q: %v", s.addr, err)
	}
	if s.adminAddr != "" {
		if err := checkListenAddress(s.adminAddr); err != nil {
			return o, usageErrorf(c, "--admin-addr %q: %v", s.adminAddr, err)
		}
	}
	if o.AdminHosts, err = parseAdminHosts(s.adminAddr, s.adminHosts); err != nil {
		return o, usageErrorf(c, "--admin-hosts: %v", err)
	}
	if o.MCPOrigins, err = server.ParseOrigins(s.mcpOrigins); err != nil {
		return o, usageErrorf(c, "--mcp-origins: %v", err)
	}
	if s.maxConcurrent < 1 {
		return o, usageErrorf(c, "--max-concurrent %d: at least 1 is needed", s.maxConcurrent)
	}
	if s.traces == "" && c.Flags().Changed("trace-share") {
		return o, usageErrorf(c, "--trace-share needs --traces, which names a collector")
	}
	o.Logger, err = parseLogger(c, env.stderr, s.logFormat, s.logLevel)
	return o, err
}

// exporter checks the flags of traces, and returns what sends them.
func (s *serveFlags) exporter(c *cobra.Command, logger *slog.Logger) (*traces.Exporter, error) {
	endpoint, err := traces.ParseEndpoint(s.traces)
	if err != nil {
		return nil, usageErrorf(c, "--traces: %v", err)
	}
	if !(s.traceShare >= 0 && s.traceShare <= 1) {
		return nil, usageErrorf(c, "--trace-share %v: give a number from 0 to 1, such as 0.01", s.traceShare)
	}
	return traces.New(traces.Options{Endpoint: endpoint, Share: s.traceShare, Version: version, Logger: logger}), nil
}

// Help texts of the flags that parseLogger parses.
const (
	logLevelUsage  = "lowest level that is logged: debug, info, warn or error"
	logFormatUsage = "format of log lines: text or json"
)

// parseLogger returns the logger for --log-format and --log-level.
func parseLogger(c *cobra.Command, w io.Writer, format, levelName string) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(levelName)); err != nil {
		return nil, usageErrorf(c, "--log-level %q: debug, info, warn and error are allowed", levelName)
	}
	if format != "text" && format != "json" {
		return nil, usageErrorf(c, "--log-format %q: text and json are allowed", format)
	}
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}

// openRateStore sets the rate store of the options, if one is configured. closeStore is never nil.
func (s *serveFlags) openRateStore(
	c *cobra.Command, env environment, o *server.Options,
) (closeStore func(), err error) {
	endpoint, shared, err := rateEndpoint(c, env, s.rateStore, s.rateStoreFile)
	if err != nil || !shared {
		return func() {}, err
	}
	if s.rateStore != "" && endpoint.HasPassword() {
		o.Logger.Warn("other users of this machine can read the password in --rate-store:" +
			" use --rate-store-file or CATALOG_RATE_STORE")
	}
	store := ratestore.NewShared(ratestore.Options{Endpoint: endpoint, Logger: o.Logger})
	o.RateStore = store
	return func() { _ = store.Close() }, nil // nothing is lost
}

// rateEndpoint returns the Redis of the rate store, if one is configured. A flag
// overrides the variable, and only one flag is allowed. Errors do not quote the
// address, because it may contain a password.
func rateEndpoint(c *cobra.Command, env environment, text, file string) (e ratestore.Endpoint, shared bool, err error) {
	source := "--rate-store"
	switch variable, _ := env.lookup("CATALOG_RATE_STORE"); {
	case text != "" && file != "":
		return e, false, usageErrorf(c, "--rate-store and --rate-store-file: give only one of them")
	case file != "":
		content, err := os.ReadFile(file)
		if err != nil {
			return e, false, fmt.Errorf("--rate-store-file: %w", err)
		}
		source, text = "--rate-store-file "+file, string(content)
	case text == "" && variable != "":
		source, text = "CATALOG_RATE_STORE", variable
	case text == "":
		return e, false, nil
	}
	if e, err = ratestore.ParseEndpoint(text); err != nil {
		return e, false, usageErrorf(c, "%s: %v", source, err)
	}
	return e, true, nil
}

// overrideSettings overrides settings of the build with environment variables. It logs a warning
// for each setting whose old value is in the built pages.
func overrideSettings(env environment, settings site.Settings, logger *slog.Logger) (site.Settings, error) {
	built := settings
	if !built.HasServer() {
		logger.Warn("the build was made for hosts without a search server: its pages, llms.txt and OpenAPI file do not"+
			" name this server; to change that, build with the setting search: server", "search", built.Search)
	}
	changed, err := settings.Override(env.lookup)
	if err != nil {
		return settings, err
	}
	if err := validate.Check(&settings); err != nil {
		return settings, err
	}
	for _, key := range changed {
		// There is no warning if the normalised addresses are equal, or if pages do not have the setting.
		sameAddress := key == "base_url" && settings.BaseURL == built.BaseURL ||
			key == "search_url" && settings.SearchURL == built.SearchURL
		if sameAddress || site.OnlyBuilds(key) || site.OnlyServes(key) {
			continue
		}
		logger.Warn("an environment variable overrides a setting of the build; pages, llms.txt and the OpenAPI file"+
			" keep the value of the build", "setting", key)
	}
	return settings, nil
}

func parsePrefixes(list string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if !strings.Contains(text, "/") {
			if a, err := netip.ParseAddr(text); err == nil {
				prefixes = append(prefixes, netip.PrefixFrom(a, a.BitLen()))
				continue
			}
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a CIDR such as 10.0.0.0/8", text)
		}
		prefixes = append(prefixes, p.Masked())
	}
	return prefixes, nil
}

// checkListenAddress checks the syntax of an address.
func checkListenAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("give HOST:PORT, such as localhost:8080, or :0 for a free port (%w)", err)
	}
	return nil
}

// maxDrainDelay is longer than any load balancer needs.
const maxDrainDelay = time.Hour

func parseDrainDelay(text string) (time.Duration, error) {
	delay, err := time.ParseDuration(text)
	if err != nil || delay < 0 || delay > maxDrainDelay {
		return 0, errors.New("give a time from 0s to 1h with its unit, such as 10s")
	}
	return delay, nil
}

// drainContext returns a context that ends when the server has to stop: with ctx, or after
// SIGTERM, when the delay has passed. During the delay the server drains: it still answers,
// but is not ready.
func drainContext(ctx context.Context, s *server.Server, delay time.Duration) context.Context {
	drained, stop := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		defer stop()
		if sig, ok := errors.AsType[*stopSignal](context.Cause(ctx)); ok && sig.signal == syscall.SIGTERM {
			s.Drain()
			<-time.After(delay)
		}
	})
	return drained
}

// parseAdminHosts returns the host name of the admin address, if it has one, and the host names in
// a comma-separated list.
func parseAdminHosts(adminAddr, list string) (hosts []string, err error) {
	if host, _, err := net.SplitHostPort(adminAddr); err == nil {
		hosts = append(hosts, host)
	}
	for host := range strings.SplitSeq(list, ",") {
		host = strings.TrimSpace(host)
		if strings.ContainsAny(host, ":/*@[] ") {
			return nil, fmt.Errorf("%q: give host names without scheme and port, joined by commas,"+
				" such as catalog,metrics.internal", host)
		}
		if host != "" {
			hosts = append(hosts, strings.TrimSuffix(host, "."))
		}
	}
	return hosts, nil
}

// shownAddress returns the address at which people reach a listener: with the host that the
// user gave, or localhost if it listens on all addresses.
func shownAddress(given string, listening net.Addr) string {
	host, _, err := net.SplitHostPort(given)
	_, port, err2 := net.SplitHostPort(listening.String())
	if err != nil || err2 != nil {
		return listening.String()
	}
	return net.JoinHostPort(cmp.Or(host, "localhost"), port)
}

// listenAndServe serves until ctx is cancelled. It reports its addresses with say.
func listenAndServe(
	ctx context.Context, say func(string), s *server.Server, watch watcher,
	addr, adminAddr string, drainDelay time.Duration,
) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr", err)
	}
	var admin net.Listener
	if adminAddr != "" {
		if admin, err = net.Listen("tcp", adminAddr); err != nil {
			_ = listener.Close()
			return fmt.Errorf("%w; choose another address with --admin-addr", err)
		}
		say("admin on http://" + admin.Addr().String())
	}
	ctx = drainContext(ctx, s, drainDelay)
	defer watchBuilds(ctx, watch)() // before the address is printed: its reader may send SIGHUP
	say("listening on http://" + shownAddress(addr, listener.Addr()))
	return s.Run(ctx, listener, admin)
}

// watcher serves new builds until ctx is cancelled. It looks for a new build whenever it receives
// from ask.
type watcher func(ctx context.Context, ask <-chan os.Signal)

// buildsOf returns the options for opening the builds of a folder, with settings that the
// environment overrides.
func buildsOf(env environment, public string, logger *slog.Logger) snapshot.Options {
	return snapshot.Options{
		Build: artifact.Build{Folder: public},
		Override: func(built site.Settings) (site.Settings, error) {
			return overrideSettings(env, built, logger)
		},
		Version: version, Logger: logger,
	}
}

// openFolder opens the build of a folder for a server, and returns a watcher for the next ones.
func openFolder(builds snapshot.Options, o *server.Options) (watcher, error) {
	source, err := snapshot.Open(builds)
	if err != nil {
		return nil, err
	}
	o.Snapshot, o.Collectors = source.Current, append(o.Collectors, source)
	return func(ctx context.Context, ask <-chan os.Signal) {
		source.Watch(ctx, snapshot.WatchInterval, ask)
	}, nil
}

// watchBuilds runs a watcher, which also looks for a new build on SIGHUP. stop ends the watcher,
// and waits until it has ended.
func watchBuilds(ctx context.Context, watch watcher) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { watch(ctx, hangups) })
	return func() {
		cancel()
		running.Wait()
		signal.Stop(hangups)
	}
}
