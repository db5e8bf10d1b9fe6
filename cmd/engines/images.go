//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// image is an image of installed programs: instead of those of Docker Hub, which no registry gives
// here.
type image struct {
	name     string
	programs []string          // copied with their libraries to /usr/bin
	files    map[string]string // more files, by path
	links    map[string]string // symbolic links, by path
	folders  []string          // for everybody
	command  string            // as in a Dockerfile
}

// images are what the files in deploy/ name beside catalog. Both have what their health checks call.
var images = []image{
	{
		name: "docker.io/library/nginx:1.30.6-alpine", programs: []string{"nginx", "wget"},
		files:   map[string]string{"etc/nginx/nginx.conf": nginxConfiguration},
		links:   map[string]string{"var/log/nginx/error.log": "/dev/stderr", "var/log/nginx/access.log": "/dev/stdout"},
		folders: []string{"run", "var/cache/nginx", "tmp"}, command: `["nginx", "-g", "daemon off;"]`,
	},
	{
		name: "docker.io/library/redis:8.10.2-alpine", programs: []string{"redis-server", "nc"},
		folders: []string{"data", "tmp"}, command: `["redis-server"]`,
	},
}

// nginxConfiguration does what that of the image on Docker Hub does.
const nginxConfiguration = `pid /run/nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
  client_body_temp_path /var/cache/nginx/client_temp;
  proxy_temp_path /var/cache/nginx/proxy_temp;
  fastcgi_temp_path /var/cache/nginx/fastcgi_temp;
  uwsgi_temp_path /var/cache/nginx/uwsgi_temp;
  scgi_temp_path /var/cache/nginx/scgi_temp;
  access_log off;
  include /etc/nginx/conf.d/*.conf;
}
`

// libraries matches the libraries in the output of ldd.
var libraries = regexp.MustCompile(`(?m)^\t(?:\S+ => )?(/\S+) \(0x`)

// give makes the image in an engine.
func (i image) give(ctx context.Context, e *engine) error {
	var files bytes.Buffer
	if err := i.writeFiles(ctx, &files); err != nil {
		return err
	}
	file := filepath.Join(e.dir, "files.tar")
	if err := os.WriteFile(file, files.Bytes(), 0o600); err != nil {
		return err
	}
	_, err := e.call(ctx, "import", "--change", "ENV PATH=/usr/bin", "--change", "CMD "+i.command, file, i.name)
	return err
}

// writeFiles writes the files of the image.
func (i image) writeFiles(ctx context.Context, to *bytes.Buffer) error {
	w := tar.NewWriter(to)
	copied := map[string]string{} // from paths here to paths in the image
	for _, name := range i.programs {
		at, err := find(name)
		if err != nil {
			return errNotRunnable{err}
		}
		copied[at] = "usr/bin/" + name
		needs, err := output(ctx, nil, "ldd", at)
		if err != nil {
			return err
		}
		for _, m := range libraries.FindAllStringSubmatch(needs, -1) {
			copied[m[1]] = m[1][1:]
		}
	}
	for _, from := range slices.Sorted(maps.Keys(copied)) {
		text, err := os.ReadFile(from)
		if err := errors.Join(err, add(w, copied[from], text, 0o755)); err != nil {
			return err
		}
	}
	for name, text := range i.files {
		if err := add(w, name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for name, target := range i.links {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}); err != nil {
			return err
		}
	}
	for _, name := range i.folders {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o1777}); err != nil {
			return err
		}
	}
	return w.Close()
}

// add adds a file to an archive.
func add(w *tar.Writer, name string, text []byte, mode int64) error {
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(text))})
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// find returns the path of an installed program. Many users do not have sbin in their PATH.
func find(name string) (string, error) {
	at, err := exec.LookPath(name)
	if err != nil {
		at, err = exec.LookPath(filepath.Join("/usr/sbin", name))
	}
	if err != nil {
		return "", fmt.Errorf("%s is not installed: run make engines, which installs it", name)
	}
	return filepath.EvalSymlinks(at)
}
