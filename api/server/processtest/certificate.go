//go:build unix

package processtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Certificate is a self-signed certificate for 127.0.0.1.
type Certificate struct {
	// File and KeyFile are the paths of the certificate and its key, as PEM files.
	File, KeyFile string

	pool *x509.CertPool
}

// NewCertificate writes the certificate of package httptest, and its key, to files.
func NewCertificate(t testing.TB) *Certificate {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	c := &Certificate{
		File: filepath.Join(folder, "certificate.pem"), KeyFile: filepath.Join(folder, "key.pem"),
		pool: x509.NewCertPool(),
	}
	for path, block := range map[string]*pem.Block{
		c.File: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, c.KeyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.pool.AddCert(server.Certificate())
	return c
}

// Trust returns the configuration of a client that trusts only this certificate.
func (c *Certificate) Trust() *tls.Config {
	return &tls.Config{RootCAs: c.pool, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS12}
}
