//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"catalog.example/api/server/artifact"
	"catalog.example/api/site"
)

// The networks of the containers. The first address is this machine.
const (
	composeNetwork = "172.30.80." // as in deploy/compose.yaml
	kubeNetwork    = "172.30.81."
)

// origin is a folder of signed builds, and a server of it.
type origin struct {
	folder, key string
	port        int
	certificate []byte // PEM; replicas must trust it
	manifests   [2][]byte
	versions    [2]string
	down        atomic.Bool // whether it answers no request
}

// newOrigin makes two builds that differ in a file, packs and signs them, and starts the server. It
// ends with ctx.
func newOrigin(ctx context.Context, o options, dir string) (*origin, error) {
	from := &origin{folder: filepath.Join(dir, "origin")}
	program, public := filepath.Join(o.tools, "catalog"), filepath.Join(dir, "public")
	sign := filepath.Join(dir, "sign.key")
	key, err := output(ctx, nil, program, "keygen", sign)
	if err != nil {
		return nil, err
	}
	from.key = strings.TrimSpace(key)
	// All requests come from one address, which needs a large allowance.
	unlimited := []string{fmt.Sprintf("CATALOG_ANONYMOUS_PER_MINUTE=%d", site.MaxAllowance)}
	if _, err := output(ctx, unlimited, program, "build", "--quiet", "--pictures=off", "--cache=", "--content",
		o.content, "--out", public); err != nil {
		return nil, err
	}
	for i := range from.manifests {
		err := os.WriteFile(filepath.Join(public, "build.txt"), []byte(strconv.Itoa(i)), 0o600)
		if err == nil {
			_, err = output(ctx, nil, program, "pack", "--public", public, "--out", from.folder, "--sign-key", sign)
		}
		if err == nil {
			from.manifests[i], err = os.ReadFile(filepath.Join(from.folder, artifact.ManifestName))
		}
		var m struct{ Version string }
		if err := errors.Join(err, json.Unmarshal(from.manifests[i], &m)); err != nil {
			return nil, err
		}
		from.versions[i] = m.Version
	}
	return from, from.serve(ctx)
}

// publish makes a build the current one.
func (o *origin) publish(build int) error {
	file := filepath.Join(o.folder, artifact.ManifestName)
	return errors.Join(os.WriteFile(file+".new", o.manifests[build], 0o600), os.Rename(file+".new", file))
}

// reset makes the first build the current one.
func (o *origin) reset() error {
	o.down.Store(false)
	return o.publish(0)
}

// url is the address of the manifest, in a network of containers.
func (o *origin) url(network string) string {
	return fmt.Sprintf("https://%s1:%d/%s", network, o.port, artifact.ManifestName)
}

// serve starts the server, on all addresses, because the networks of the engines are not there yet.
func (o *origin) serve(ctx context.Context) error {
	pair, err := selfSigned()
	if err != nil {
		return err
	}
	o.certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	// #nosec G102 -- the addresses in the networks do not exist yet, and what it serves is public
	listener, err := net.Listen("tcp4", ":0")
	if err != nil {
		return err
	}
	o.port = listener.Addr().(*net.TCPAddr).Port
	files := http.FileServer(http.Dir(o.folder))
	server := &http.Server{
		ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if o.down.Load() {
				panic(http.ErrAbortHandler) // closes the connection
			}
			files.ServeHTTP(w, r)
		}),
	}
	go func() { _ = server.ServeTLS(listener, "", "") }() // until it is closed
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}

// selfSigned returns a certificate for this machine, by its addresses in the networks of containers.
func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		IPAddresses: []net.IP{net.ParseIP(composeNetwork + "1"), net.ParseIP(kubeNetwork + "1")},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, err
}

// output runs a program with more variables, and returns what it prints.
func output(ctx context.Context, env []string, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C ends this program, which then cleans up
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	var said strings.Builder
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		words := strings.Join(append([]string{filepath.Base(program)}, args...), " ")
		return "", fmt.Errorf("%.200s: %w: %s %s", words, err, text, said.String())
	}
	return string(text), nil
}
