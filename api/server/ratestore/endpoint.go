package ratestore

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Endpoint is the address of a Redis, of some nodes of a Redis Cluster, or of the Sentinels of a
// Redis, with users and passwords. Neither printing it nor the errors of ParseEndpoint reveal the
// passwords.
type Endpoint struct {
	addresses                      []string // host:port
	user, password                 string
	master                         string // what the Sentinels call the Redis; empty without Sentinels
	sentinelUser, sentinelPassword string
	db                             int
	tls                            bool
}

// errEndpoint says what ParseEndpoint accepts. Errors of net/url quote parts of the text, and
// any part may contain the password.
var errEndpoint = errors.New("give redis://[[user]:password@]host[:port][/database], or rediss:// for TLS. " +
	"For a Redis Cluster, add ?addr=host[:port]&addr=… with more of its nodes, and no database. " +
	"For Sentinels, give one as host, and add ?master_name=NAME, with &addr=host[:port] for each other one " +
	"and &sentinel_username=…&sentinel_password=… if they need it. " +
	"In users and passwords, percent-encode all characters except letters, digits and -._~")

// ParseEndpoint parses the address of a Redis, in the form that errEndpoint describes. The form is
// that of go-redis, with fewer parameters. White space around the address is ignored, because files
// end with a line break.
func ParseEndpoint(text string) (Endpoint, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Opaque != "" || u.ForceQuery || u.Fragment != "" {
		return Endpoint{}, errEndpoint
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Endpoint{}, errEndpoint
	}
	e := Endpoint{user: u.User.Username(), tls: u.Scheme == "rediss"}
	e.password, _ = u.User.Password()
	for name, values := range query {
		switch to := map[string]*string{
			"master_name": &e.master, "sentinel_username": &e.sentinelUser, "sentinel_password": &e.sentinelPassword,
		}[name]; {
		case name == "addr":
		case to == nil || len(values) > 1 || values[0] == "":
			return Endpoint{}, fmt.Errorf("a parameter is unknown, empty or repeated; %w", errEndpoint)
		default:
			*to = values[0]
		}
	}
	for _, host := range append([]string{u.Host}, query["addr"]...) {
		address, ok := e.withPort(host)
		if !ok {
			return Endpoint{}, errEndpoint
		}
		e.addresses = append(e.addresses, address)
	}
	if db := strings.TrimPrefix(u.Path, "/"); db != "" {
		n, err := strconv.ParseUint(db, 10, 16)
		if err != nil {
			return Endpoint{}, errEndpoint
		}
		e.db = int(n)
	}
	switch {
	case e.isCluster() && e.db != 0:
		return Endpoint{}, fmt.Errorf("a Redis Cluster has only database 0; %w", errEndpoint)
	case e.master == "" && e.sentinelUser+e.sentinelPassword != "":
		return Endpoint{}, fmt.Errorf("users and passwords of Sentinels need master_name; %w", errEndpoint)
	case e.user != "" && e.password == "", e.sentinelUser != "" && e.sentinelPassword == "":
		return Endpoint{}, errEndpoint // most likely, the password is in the place of the user
	}
	return e, nil
}

// withPort returns a host as host:port, with the default port if it has none. It reports whether
// the host is valid.
func (e Endpoint) withPort(host string) (string, bool) {
	name, port := (&url.URL{Host: host}).Hostname(), (&url.URL{Host: host}).Port()
	if port == "" && e.master != "" {
		port = "26379"
	} else if port == "" {
		port = "6379"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	ok := err == nil && n > 0 && name != "" && !strings.ContainsAny(name, "/?#@ ") &&
		(strings.HasPrefix(host, "[") || !strings.Contains(name, ":"))
	return net.JoinHostPort(name, port), ok
}

func (e Endpoint) isCluster() bool { return len(e.addresses) > 1 && e.master == "" }

// String returns the endpoint without users and passwords.
func (e Endpoint) String() string {
	if len(e.addresses) == 0 {
		return ""
	}
	query := url.Values{}
	if e.master != "" {
		query.Set("master_name", e.master)
	}
	if len(e.addresses) > 1 {
		query["addr"] = e.addresses[1:]
	}
	u := url.URL{Scheme: "redis", Host: e.addresses[0], RawQuery: query.Encode()}
	if e.tls {
		u.Scheme = "rediss"
	}
	if e.db != 0 {
		u.Path = "/" + strconv.Itoa(e.db)
	}
	return u.String()
}

// GoString returns String, so that %#v does not show the passwords.
func (e Endpoint) GoString() string { return e.String() }

// HasPassword reports whether the endpoint has a password.
func (e Endpoint) HasPassword() bool { return e.password+e.sentinelPassword != "" }

// withoutPassword returns the text of an error without the passwords. An old Redis, or another
// server, may repeat a failed command in its error.
func (e Endpoint) withoutPassword(err error) string {
	text := err.Error()
	for _, password := range []string{e.password, e.sentinelPassword} {
		if password != "" {
			text = strings.ReplaceAll(text, password, "[password]")
		}
	}
	return text
}
