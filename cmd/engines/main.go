//go:build linux

// Command engines starts what deploy/ ships on container engines, and checks that no request fails
// while builds and programs are replaced and parts are lost.
//
// The engines are Docker Engine with Docker Compose, Podman with podman-compose, and Podman with
// the Kubernetes manifests. Each gets the image that `make dist` writes, and images of nginx and
// Redis that are made here from the installed programs, because no registry is asked. Values marked
// SET are set in a copy of deploy/.
//
//	bin/engines -image dist/catalog_v1.0.0_oci.tar
//
// `make engines` compiles what it needs and runs it. Only root may, because it starts engines with
// data of their own. These are deleted at the end, also after Ctrl-C, but Docker leaves the bridge
// docker0 and its chains in the firewall. It prints a table. The exit status is 0 if all ran and
// nothing failed, 1 if something failed, and 2 if nothing failed but an engine cannot run on this
// machine.
//
//	scenario.go  what is done on each engine
//	load.go      requests: of each kind once, and continuously
//	origin.go    the builds, and the server from which replicas get them
//	images.go    images from installed programs
//	engine.go    starting and calling Docker and Podman
//	compose.go   the Compose file
//	kube.go      the Kubernetes manifests
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Exit statuses.
const (
	exitFailed      = 1
	exitNotRunnable = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// options are the flags.
type options struct {
	image, tools, deploy, content, only string
	timeout                             time.Duration
}

// errNotRunnable is the reason why an engine cannot run on this machine.
type errNotRunnable struct{ reason error }

func (e errNotRunnable) Error() string { return e.reason.Error() }

// run executes a command line, and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	var o options
	flags := flag.NewFlagSet("engines", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.image, "image", "", "the `file` of catalog's image, which make dist writes (required)")
	flags.StringVar(&o.tools, "tools", "bin", "the `folder` of catalog, docker-compose and kustomize")
	flags.StringVar(&o.deploy, "deploy", "deploy", "the `folder` of the files for operators")
	flags.StringVar(&o.content, "content", "content", "the content `folder`")
	flags.StringVar(&o.only, "only", "docker,podman-compose,podman-kube", "the engines, joined by commas")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "give up an engine after this `time`")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil: // Parse has printed it
		return exitNotRunnable
	}
	stacks, err := o.stacks(flags.NArg())
	if err != nil {
		fmt.Fprintln(errs, "engines:", err)
		return exitNotRunnable
	}
	dir, err := os.MkdirTemp("", "engines-")
	if err != nil {
		fmt.Fprintln(errs, "engines:", err)
		return exitFailed
	}
	defer os.RemoveAll(dir)
	t := table{out: out}
	if err := o.runAll(ctx, dir, stacks, &t); err != nil {
		fmt.Fprintln(errs, "engines:", err)
		return exitFailed
	}
	return t.status()
}

// stacks returns a stack for each engine that is asked for.
func (o *options) stacks(extra int) ([]stack, error) {
	if extra > 0 {
		return nil, errors.New("all options are flags: -h lists them")
	}
	if o.image == "" {
		return nil, errors.New("-image is missing: run make engines, or give catalog_VERSION_oci.tar of make dist")
	}
	if os.Geteuid() != 0 {
		return nil, errors.New("only root can start engines and their networks: run it as root")
	}
	var all []stack
	for name := range strings.SplitSeq(o.only, ",") {
		switch name {
		case "docker":
			all = append(all, &compose{docker: true})
		case "podman-compose":
			all = append(all, &compose{})
		case "podman-kube":
			all = append(all, &kube{})
		default:
			return nil, fmt.Errorf("-only: there is no engine %q: docker, podman-compose, podman-kube", name)
		}
	}
	return all, nil
}

// runAll runs the scenario on all engines, one after the other.
func (o *options) runAll(ctx context.Context, dir string, stacks []stack, t *table) error {
	from, err := newOrigin(ctx, *o, dir)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		limited, cancel := context.WithTimeout(ctx, o.timeout)
		w := world{options: *o, dir: dir, origin: from, say: os.Stderr}
		err := w.play(limited, s, t)
		cancel()
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// table is what is printed: a row for each step on each engine.
type table struct {
	out                 io.Writer
	begun               bool
	failed, notRunnable bool
}

// add prints a row. err is nil if the step did what is wanted.
func (t *table) add(engine, step string, c counts, note string, err error) {
	if !t.begun {
		fmt.Fprint(t.out, "| engine | step | requests | failed | result |\n| --- | --- | ---: | ---: | --- |\n")
		t.begun = true
	}
	var not errNotRunnable
	switch {
	case errors.As(err, &not):
		t.notRunnable = true
		note = "not runnable on this machine: " + not.Error()
	case err != nil:
		t.failed = true
		note = "FAILED: " + err.Error()
	}
	note = strings.ReplaceAll(strings.Join(strings.Fields(note), " "), "|", `\|`)
	fmt.Fprintf(t.out, "| %s | %s | %d | %d | %s |\n", engine, step, c.requests, c.failed, note)
}

// status returns the exit status.
func (t *table) status() int {
	switch {
	case t.failed:
		return exitFailed
	case t.notRunnable:
		return exitNotRunnable
	}
	return 0
}
