package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// imageOf returns the image of a release.
func imageOf(r released) string { return filepath.Join(r.out, "catalog_"+testVersion+"_oci.tar") }

// TestContainer unpacks the image, and runs it as a container would: its command and
// variables, its user, and no other files than its own and a site.
func TestContainer(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the image is not for this computer")
	}
	if os.Geteuid() != 0 {
		t.Fatal("only root can change the root folder: run the tests as root, or with -short")
	}
	one := readImage(t, imageOf(r))["linux/"+runtime.GOARCH]
	root := t.TempDir()
	unpackFiles(t, root, one.files)
	program := filepath.Join(root, "usr", "local", "bin", "catalog")
	if out, err := exec.CommandContext(t.Context(), program, "build", "--quiet", "--content", "../catalog/testdata/content", "--out", filepath.Join(root, "public")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	address := freeAddress(t)
	command := one.command(root, address)
	var said processtest.Output
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	defer func() { _ = command.Process.Kill() }()

	awaitStatus(t, "http://"+address+"/readyz", &said)
	status := readText(t, filepath.Join("/proc", fmt.Sprint(command.Process.Pid), "status"))
	for _, id := range []string{"Uid:", "Gid:"} {
		if !strings.Contains(status, id+"\t65532\t65532\t65532\t65532\n") {
			t.Errorf("the user is not 65532: %s", status)
		}
	}
	var answer struct{ Total int }
	if err := json.Unmarshal([]byte(get(t, "http://"+address+"/api/v1/search?q=meeting")), &answer); err != nil || answer.Total == 0 {
		t.Errorf("a search finds %d, %v", answer.Total, err)
	}
	if page := get(t, "http://"+address+"/"); !strings.Contains(page, "<html") {
		t.Errorf("the home page is %.200s", page)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ends with %v\n%s", err, said.String())
		}
	case <-time.After(30 * time.Second):
		t.Errorf("it does not end\n%s", said.String())
	}
}

// command returns the command of an image, in a root folder, at another address.
func (i image) command(root, address string) *exec.Cmd {
	c := i.config
	args := slices.Concat(c.Entrypoint, c.Cmd)
	args[slices.Index(args, ":8080")] = address
	return &exec.Cmd{
		Path: args[0], Args: args, Env: c.Env, Dir: c.WorkingDir,
		SysProcAttr: &syscall.SysProcAttr{
			Chroot:     root,
			Credential: &syscall.Credential{Uid: 65532, Gid: 65532},
		},
	}
}

// TestDockerLoad loads the image into Docker, and runs it there.
func TestDockerLoad(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	daemon, docker := processtest.Installed(t, "docker.io", "dockerd"), processtest.Installed(t, "docker.io", "docker")
	if os.Geteuid() != 0 {
		t.Fatal("only root can start Docker: run the tests as root, or with -short")
	}
	dir, err := os.MkdirTemp("", "docker") // the name of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	host := "unix://" + filepath.Join(dir, "socket")
	ctx, stop := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, daemon, "--host", host, "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "exec"),
		"--pidfile", filepath.Join(dir, "pid"), "--storage-driver", "vfs", "--iptables=false", "--bridge=none")
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 30 * time.Second
	var said processtest.Output
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = server.Wait() }()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if err := exec.CommandContext(t.Context(), docker, "--host", host, "version").Run(); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("Docker does not start:\n%s", said.String())
		}
	}
	out := output(t, docker, "--host", host, "load", "--input", imageOf(r))
	if !strings.Contains(out, "Loaded image: localhost/catalog:"+testVersion) {
		t.Errorf("docker load says %s", out)
	}
	if runtime.GOARCH != "amd64" {
		return // Docker before containerd's image store loads the first platform
	}
	run := exec.CommandContext(t.Context(), docker, "--host", host, "run", "--rm", "--network", "none", "--read-only", "localhost/catalog:"+testVersion, "version")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("Docker does not run the image: %v\n%s", err, out)
	} else if !strings.Contains(string(out), "catalog "+testVersion) {
		t.Errorf("catalog version says %s", out)
	}
}

// TestPodmanLoad loads the image into Podman, which chooses the platform of this computer.
func TestPodmanLoad(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	podman := processtest.Installed(t, "podman", "podman")
	if os.Geteuid() != 0 {
		t.Fatal("Podman needs more than a folder for users other than root: run the tests as root, or with -short")
	}
	dir := t.TempDir()
	flags := []string{"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs", "--events-backend", "none"}
	output(t, podman, append(flags, "load", "--input", imageOf(r))...)
	out := output(t, podman, append(flags, "image", "inspect", "--format", "{{.Architecture}} {{.User}} {{.Config.Cmd}}", "localhost/catalog:"+testVersion)...)
	if want := runtime.GOARCH + " 65532:65532 [serve --addr :8080 --public /public]\n"; out != want {
		t.Errorf("the image in Podman is %q, want %q", out, want)
	}
}

// TestCranePush pushes the image to a registry with crane, as .github/workflows/release.yml
// does: its files in a folder, of which crane takes all platforms. Of the archive as it is,
// it takes one.
func TestCranePush(t *testing.T) {
	t.Parallel()
	r := sharedRelease(t)
	crane := filepath.Join(t.TempDir(), "crane")
	output(t, "go", "build", "-o", crane, "github.com/google/go-containerregistry/cmd/crane")
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	to := strings.TrimPrefix(server.URL, "http://") + "/catalog"
	output(t, crane, "push", imageOf(r), to+":archive")
	if got := output(t, crane, "config", to+":archive"); !strings.Contains(got, `"architecture":"amd64"`) {
		t.Errorf("the pushed archive is %s", got)
	}
	folder := t.TempDir()
	output(t, "tar", "-xf", imageOf(r), "-C", folder)
	output(t, crane, "push", folder, to+":folder")
	reference, err := name.ParseReference(to + ":folder")
	if err != nil {
		t.Fatal(err)
	}
	pushed, err := remote.Index(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(pushed); err != nil {
		t.Errorf("the pushed folder is not valid: %v", err)
	}
	var got []string
	for _, d := range indexManifest(t, pushed).Manifests {
		got = append(got, d.Platform.String())
	}
	if !slices.Equal(got, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the platforms of the pushed folder are %q", got)
	}
}

// output runs a program and returns what it prints.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", program, args, err, out, said.String())
	}
	return string(out)
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// awaitStatus waits until an address answers with status 200.
func awaitStatus(t *testing.T, address string, said fmt.Stringer) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if response, err := http.Get(address); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not answer:\n%s", address, said)
		}
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %.300s", address, response.Status, err, text)
	}
	return string(text)
}
