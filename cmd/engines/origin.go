//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"catalog.example/api/server/artifact"
	"catalog.example/api/site"
)

// The networks of the containers. The first address is this machine.
const (
	composeNetwork = "172.30.80." // as in deploy/compose.yaml
	kubeNetwork    = "172.30.81."
)

// shippedOrigin is the address of the manifest in deploy/.
const shippedOrigin = "https://builds.example/catalog.manifest.json"

// origin has signed builds, and serves one of them.
type origin struct {
	key         string
	port        int
	certificate string // its file, in PEM; replicas must trust it
	folders     [2]string
	versions    [2]string
	current     atomic.Int32 // the build that it serves, or down
}

// down is current while the origin answers no request.
const down = -1

// newOrigin makes two builds that differ in a file, packs and signs them, and starts the server. It
// ends with ctx.
func newOrigin(ctx context.Context, o *options, dir string) (from *origin, err error) {
	from = &origin{}
	program, public := filepath.Join(o.tools, "catalog"), filepath.Join(dir, "public")
	sign := filepath.Join(dir, "sign.key")
	if from.key, err = output(ctx, nil, program, "keygen", sign); err != nil {
		return nil, err
	}
	// All requests come from one address, which needs a large allowance.
	unlimited := []string{fmt.Sprintf("CATALOG_ANONYMOUS_PER_MINUTE=%d", site.MaxAllowance)}
	if _, err := output(ctx, unlimited, program, "build", "--quiet", "--pictures=off", "--cache=", "--content",
		o.content, "--out", public); err != nil {
		return nil, err
	}
	for i := range from.folders {
		from.folders[i] = filepath.Join(dir, "build"+strconv.Itoa(i))
		if err := os.WriteFile(filepath.Join(public, "build.txt"), []byte(strconv.Itoa(i)), 0o600); err != nil {
			return nil, err
		}
		if _, err := output(ctx, nil, program, "pack", "--public", public, "--out", from.folders[i],
			"--sign-key", sign); err != nil {
			return nil, err
		}
		manifest, err := os.ReadFile(filepath.Join(from.folders[i], artifact.ManifestName))
		var m struct{ Version string }
		if err := errors.Join(err, json.Unmarshal(manifest, &m)); err != nil {
			return nil, err
		}
		from.versions[i] = m.Version
	}
	return from, from.serve(ctx, dir)
}

// url is the address of the manifest, in a network of containers.
func (o *origin) url(network string) string {
	return fmt.Sprintf("https://%s1:%d/%s", network, o.port, artifact.ManifestName)
}

// serve starts the server, on all addresses, because the networks of the engines are not there yet.
func (o *origin) serve(ctx context.Context, dir string) error {
	o.certificate = filepath.Join(dir, "origin.pem")
	key := filepath.Join(dir, "origin.key")
	_, err := output(ctx, nil, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
		"/CN=origin", "-addext", "subjectAltName=IP:"+composeNetwork+"1,IP:"+kubeNetwork+"1", "-keyout", key,
		"-out", o.certificate)
	if err != nil {
		return err
	}
	// #nosec G102 -- the addresses in the networks do not exist yet, and what it serves is public
	listener, err := net.Listen("tcp4", ":0")
	if err != nil {
		return err
	}
	o.port = listener.Addr().(*net.TCPAddr).Port
	server := &http.Server{
		ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			build := o.current.Load()
			if build == down {
				panic(http.ErrAbortHandler) // closes the connection
			}
			http.FileServer(http.Dir(o.folders[build])).ServeHTTP(w, r)
		}),
	}
	go func() { _ = server.ServeTLS(listener, o.certificate, key) }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// freeAddress returns a free loopback address.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
