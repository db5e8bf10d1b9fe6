package server

import (
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// AdminHandler returns the handler of the private address: /metrics, profiles below /debug/pprof/,
// /healthz and /readyz. Requests for metrics and profiles must use an IP address or one of
// Options.AdminHosts, because a page of another site may have a name that resolves to this server
// (DNS rebinding).
func (s *Server) AdminHandler() http.Handler {
	operators := http.NewServeMux()
	operators.HandleFunc("GET /debug/pprof/", pprof.Index)
	operators.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	operators.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	operators.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	operators.Handle("GET /metrics", s.metrics.handler(s.log.Logger))
	all := http.NewServeMux()
	all.Handle("GET /healthz", s.Handler())
	all.Handle("GET /readyz", s.Handler())
	all.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !isAdminHost(r.Host, s.o.AdminHosts) {
			const text = "Ask the admin address by an IP address, by localhost, or by a name that --admin-hosts lists."
			http.Error(w, text, http.StatusMisdirectedRequest)
			return
		}
		operators.ServeHTTP(w, r)
	})
	return all
}

// isAdminHost reports whether requests to the admin address may use a host. names are in lower case.
// Browsers always send a host.
func isAdminHost(host string, names []string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if _, err := netip.ParseAddr(name); err == nil || name == "" {
		return true
	}
	return slices.Contains(names, strings.TrimSuffix(strings.ToLower(name), "."))
}
