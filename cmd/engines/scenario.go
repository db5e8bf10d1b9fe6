//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// stack is deploy/ on an engine.
type stack interface {
	// name returns the engine and its version.
	name() string
	// prepare starts the engine and gives it the images. An error that is no errNotRunnable is a failure.
	prepare(context.Context, *world) error
	// start starts everything, with the program tagged oldTag.
	start(context.Context) error
	// front returns the addresses that clients ask.
	front() []string
	// replicas returns the addresses of the replicas.
	replicas() []string
	// roll replaces each replica by one tagged newTag.
	roll(ctx context.Context) error
	// container returns the container of a replica, counted from 1, or of Redis, which is 0.
	container(ctx context.Context, replica int) (string, error)
	// call, processID and explain are those of the engine.
	call(ctx context.Context, args ...string) (string, error)
	processID(ctx context.Context, container string) (int, error)
	explain(context.Context, error) error
	// note says what is special about a step on this engine.
	note(step string) string
	// stop stops everything. It is called after prepare, even if that failed.
	stop(context.Context) error
}

// The tags of the program.
const (
	oldTag = "1.1.0" // as in deploy/
	newTag = "1.1.1"
)

// period is how many seconds a replica has to end, as in deploy/. Podman 4.3 does not read it there.
const period = "30"

// world is what a scenario needs beside the engine.
type world struct {
	options
	dir    string
	origin *origin
	say    io.Writer
}

// killed names the step in which the requests may fail that the killed replica was answering.
const killed = "replica killed"

// patience is how long a step may wait, on a busy machine.
const patience = 2 * time.Minute

// play runs the scenario on an engine. Failures are rows of the table.
func (w *world) play(ctx context.Context, s stack, t *table) (err error) {
	if err := w.origin.reset(); err != nil {
		return err
	}
	defer func() {
		fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		t.add(s.name(), "stop", counts{}, "containers, networks and volumes are gone", s.stop(fresh))
	}()
	if err := s.prepare(ctx, w); err != nil {
		t.add(s.name(), "prepare", counts{}, "", err)
		return nil
	}
	err = s.start(ctx)
	for _, replica := range s.replicas() {
		if err == nil {
			err = awaitReady(ctx, replica)
		}
	}
	if err == nil {
		err = awaitReady(ctx, s.front()[0])
	}
	if err != nil {
		t.add(s.name(), "start", counts{}, "", s.explain(ctx, err))
		return nil
	}
	t.add(s.name(), "start", counts{}, s.note("start"), nil)
	c, err := askDoors(ctx, s)
	t.add(s.name(), "every kind of request", c, s.note("doors"), err)
	t.add(s.name(), "shared rate limit", counts{}, "one count over all replicas", checkShared(ctx, s))
	for _, step := range []struct {
		name string
		do   func(context.Context, stack) error
	}{
		{"new build", w.newBuild},
		{"new program", func(ctx context.Context, s stack) error { return s.roll(ctx) }},
		{killed, w.killReplica},
		{"Redis lost, and back", w.loseRedis}, {"origin lost, replica restarted", w.loseOrigin},
	} {
		fmt.Fprintf(w.say, "%s: %s\n", s.name(), step.name)
		l := startLoad(ctx, s.front)
		err := errors.Join(l.settle(ctx), step.do(ctx, s), l.settle(ctx))
		c := l.stop()
		if c.failed > 0 && (step.name != killed || c.failed > clients) { // or the killed replica was answering them
			err = errors.Join(fmt.Errorf("%d requests failed, the first with: %s", c.failed, c.first), err)
		}
		t.add(s.name(), step.name, c, s.note(step.name), err)
	}
	return nil
}

// newBuild publishes another build, and waits until all replicas serve it.
func (w *world) newBuild(ctx context.Context, s stack) error {
	return errors.Join(w.origin.publish(1), w.awaitBuild(ctx, s, 1))
}

// awaitBuild waits until all replicas serve a build.
func (w *world) awaitBuild(ctx context.Context, s stack, build int) error {
	for _, replica := range s.replicas() {
		if err := awaitAnswer(ctx, replica+"/readyz", "version "+w.origin.versions[build]+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// killReplica kills the program of a replica, and waits until the engine has restarted it.
func (w *world) killReplica(ctx context.Context, s stack) error {
	id, err := s.container(ctx, 2)
	if err != nil {
		return err
	}
	pid, err := s.processID(ctx, id)
	if err != nil {
		return err
	}
	if pid <= 1 {
		return fmt.Errorf("the replica has the process id %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	return awaitReady(ctx, s.replicas()[1])
}

// loseRedis stops Redis, and starts it again. Replicas then share their counts again.
func (w *world) loseRedis(ctx context.Context, s stack) error {
	return stopped(ctx, s, 0, func() error {
		c, err := askDoors(ctx, s)
		if err != nil {
			return fmt.Errorf("without Redis, %d of %d failed: %w", c.failed, c.requests, err)
		}
		return nil
	}, func() error {
		return await(ctx, "shared counts", func(ctx context.Context) error { return checkShared(ctx, s) })
	})
}

// loseOrigin stops the origin, and restarts a replica, which starts with the build that it has.
func (w *world) loseOrigin(ctx context.Context, s stack) error {
	w.origin.down.Store(true)
	defer w.origin.down.Store(false)
	return stopped(ctx, s, 3, func() error { return nil }, func() error { return w.awaitBuild(ctx, s, 1) })
}

// stopped stops a container, calls meanwhile, starts the container, and calls after.
func stopped(ctx context.Context, s stack, container int, meanwhile, after func() error) error {
	id, err := s.container(ctx, container)
	if err == nil {
		_, err = s.call(ctx, "stop", "-t", period, id)
	}
	if err == nil {
		err = meanwhile()
	}
	if err == nil {
		_, err = s.call(ctx, "start", id)
	}
	if err == nil {
		err = after()
	}
	return err
}

// await calls ask until it returns no error.
func await(ctx context.Context, what string, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, err)
		case <-time.After(100 * time.Millisecond): // before asking again
		}
	}
}

func awaitReady(ctx context.Context, address string) error {
	return awaitAnswer(ctx, address+"/readyz", "")
}

// awaitAnswer waits until an address answers 200 with a text that contains want.
func awaitAnswer(ctx context.Context, address, want string) error {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return await(ctx, address, func(ctx context.Context) error {
		body, err := door{path: ""}.ask(ctx, client, address)
		if err == nil && !strings.Contains(body, want) {
			err = fmt.Errorf("%s answers %q, without %q", address, body, want)
		}
		return err
	})
}
