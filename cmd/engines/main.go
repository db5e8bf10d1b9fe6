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
//	forms.go     the Compose file and the Kubernetes manifests
//	load.go      requests: of each kind once, and continuously
//	origin.go    the builds, and the server from which replicas get them
//	images.go    images from installed programs
//	engine.go    starting and calling Docker, Podman and other programs
package main

import (
	"cmp"
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

// errNotRunnable says that an engine cannot run here. Errors that wrap it say why.
var errNotRunnable = errors.New("not runnable on this machine")

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
	return t.status
}

// stacks returns a stack for each engine that is asked for.
func (o *options) stacks(extra int) (all []*stack, err error) {
	switch {
	case extra > 0:
		return nil, errors.New("all options are flags: -h lists them")
	case o.image == "":
		return nil, errors.New("-image is missing: run make engines, or give catalog_VERSION_oci.tar of make dist")
	case os.Geteuid() != 0:
		return nil, errors.New("only root can start engines and their networks: run it as root")
	}
	for name := range strings.SplitSeq(o.only, ",") {
		s := &stack{options: o, name: name, client: "podman", network: composeNetwork, numbers: []int{1, 2, 3}}
		const service = "label=com.docker.compose.service="
		s.filters, s.finish = [2]string{service + "redis", service + "catalog-%d"}, isNew
		s.notes = map[string]string{everyKind: "through nginx, at the published port",
			newProgram: "each replica: up -d --no-deps", killed: "the engine restarted it"}
		switch name {
		case "docker":
			s.name, s.client = "Docker Compose", "docker"
			s.form = &compose{stack: s, up: "up -d --wait", // until nginx and Redis are healthy
				started: "compose.yaml: 3 replicas, nginx and Redis, which are healthy"}
		case "podman-compose":
			s.form = &compose{stack: s, up: "up -d", // Podman checks health only where systemd runs
				started: "compose.yaml: 3 replicas, nginx, Redis"}
		case "podman-kube":
			s.name, s.network, s.step = "podman kube play", kubeNetwork, len(s.numbers)
			s.filters = [2]string{"name=catalog-redis-pod-0-redis", "name=catalog-%d-pod-0-catalog"}
			s.finish = stopIt // as maxSurge 1 and maxUnavailable 0 say
			s.notes[everyKind] = "at each pod, and /metrics"
			s.notes[newProgram] = "a new pod is ready before an old one is stopped"
			s.form = &kube{stack: s}
		default:
			return nil, fmt.Errorf("-only: there is no engine %q: docker, podman-compose, podman-kube", name)
		}
		all = append(all, s)
	}
	return all, nil
}

// runAll runs the scenario on all engines, one after the other.
func (o *options) runAll(ctx context.Context, dir string, stacks []*stack, t *table) error {
	from, err := newOrigin(ctx, o, dir)
	for _, s := range stacks {
		if err == nil {
			limited, cancel := context.WithTimeout(ctx, o.timeout)
			s.origin = from
			s.play(limited, t)
			cancel()
			err = ctx.Err()
		}
	}
	return err
}

// table is what is printed: a row for each step on each engine.
type table struct {
	out    io.Writer
	begun  bool
	status int // the exit status
}

// add prints a row. counts may be nil. err is nil if the step did what is wanted.
func (t *table) add(engine, step string, counts *tally, note string, err error) {
	if !t.begun {
		fmt.Fprint(t.out, "| engine | step | requests | failed | result |\n| --- | --- | ---: | ---: | --- |\n")
		t.begun = true
	}
	switch {
	case errors.Is(err, errNotRunnable):
		t.status, note = cmp.Or(t.status, exitNotRunnable), err.Error()
	case err != nil:
		t.status, note = exitFailed, "FAILED: "+err.Error()
	}
	if counts == nil {
		counts = &tally{}
	}
	note = strings.ReplaceAll(strings.Join(strings.Fields(note), " "), "|", `\|`)
	fmt.Fprintf(t.out, "| %s | %s | %d | %d | %s |\n", engine, step, counts.requests, counts.failed, note)
}
