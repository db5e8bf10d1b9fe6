package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"catalog.example/cmd/bench/program"
)

// nginxConfiguration configures nginx as one process, tuned for speed: without an access log, and
// with connections that stay open.
const nginxConfiguration = `daemon off;
master_process off;
pid %[1]s/pid;
error_log %[1]s/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
%[2]s
}
`

// StartNginx starts nginx with its files in dir, on the given core, or on any if core is "".
// configure returns the text of its http block for the address that it should listen on. StartNginx
// waits until the server answers path with 200. The caller must stop the server.
func StartNginx(ctx context.Context, dir, core, path string, configure func(address string) (string, error)) (
	*program.Server, error) {
	address, err := program.FreeAddress()
	if err != nil {
		return nil, err
	}
	block, err := configure(address)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConfiguration, dir, block), 0o600); err != nil {
		return nil, err
	}
	args := onCore(core, "nginx", "-c", file, "-e", filepath.Join(dir, "error.log"))
	return program.StartAt(ctx, exec.CommandContext(ctx, args[0], args[1:]...), address, path)
}

// StartFiles starts an nginx that serves the bodies of answers as files /<n>. It replaces the
// folder dir.
func StartFiles(ctx context.Context, dir, core string, answers []Answer) (*program.Server, error) {
	files := filepath.Join(dir, "files")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(files, 0o750)); err != nil {
		return nil, err
	}
	for i, a := range answers {
		if err := os.WriteFile(filepath.Join(files, strconv.Itoa(i)), a.Body, 0o600); err != nil {
			return nil, err
		}
	}
	return StartNginx(ctx, dir, core, "/0", func(address string) (string, error) {
		return fmt.Sprintf(`  sendfile on;
  tcp_nopush on;
  default_type application/json;
  open_file_cache max=20000;
  server { listen %s; root %s; }`, address, files), nil
	})
}

// Numbered returns n requests, whose paths are the prefix followed by 0, 1 and so on.
func Numbered(prefix string, n int) []Request {
	ask := make([]Request, n)
	for i := range ask {
		ask[i].Path = prefix + strconv.Itoa(i)
	}
	return ask
}

// onCore returns a command line that runs a command on the given core, or on any if core is "".
func onCore(core string, args ...string) []string {
	if core == "" {
		return args
	}
	return append([]string{"taskset", "-c", core}, args...)
}
