//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// stack is what deploy/ ships, on an engine.
type stack struct {
	*options
	*engine
	form
	name    string            // of what starts the containers, and of the engine, with versions once these are known
	client  string            // of the engine
	notes   map[string]string // what is special about a step
	origin  *origin
	dir     string    // a copy of deploy/
	oldTag  string    // of the program, as deploy/ names it
	network string    // see origin.go
	nginx   string    // its address, if there is one
	step    int       // what is added to the number of a replica for the one that replaces it
	finish  string    // the script that ends a replacement, on the old replica
	filters [2]string // match the container of Redis, and that of a replica, whose number is %d

	mu      sync.Mutex
	numbers []int // of the replicas that get requests
}

// form is one of the forms in which deploy/ ships replicas. Each replica has a number.
type form interface {
	// configure sets the values marked SET in the copy of deploy/.
	configure(context.Context) error
	// start starts everything, and says what that is.
	start(context.Context) (what string, err error)
	// begin starts a replica with the tag that deploy/ names now.
	begin(ctx context.Context, number int) error
	// stop stops everything. It is called after configure, even if that failed.
	stop(context.Context) error
}

// redis is the number that stands for Redis.
const redis = 0

// patience is how long a step may wait, on a busy machine.
const patience = 2 * time.Minute

// Steps about which there are notes.
const (
	everyKind  = "every kind of request"
	newProgram = "new program"
	killed     = "replica killed" // requests may fail that the replica was answering
)

// play runs the scenario. Failures are rows of the table.
func (s *stack) play(ctx context.Context, t *table) {
	defer func() {
		fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		t.add(s.name, "stop", nil, "containers, networks and volumes are gone", s.end(fresh))
	}()
	if err := s.prepare(ctx); err != nil {
		t.add(s.name, "prepare", nil, "", err)
		return
	}
	what, err := s.start(ctx)
	for _, address := range append(s.replicas(), s.fronts()[0]) {
		if err == nil {
			err = awaitAnswer(ctx, ready, address)
		}
	}
	if err != nil {
		t.add(s.name, "start", nil, "", s.explain(ctx, err))
		return
	}
	t.add(s.name, "start", nil, what, nil)
	counts := s.askDoors(ctx)
	t.add(s.name, everyKind, counts, s.notes[everyKind], counts.err(0))
	t.add(s.name, "shared rate limit", nil, "one count over all replicas", s.checkShared(ctx))
	for _, step := range []struct {
		name    string
		do      func(context.Context) error
		mayFail int
	}{
		{"new build", s.newBuild, 0}, {newProgram, s.replaceAll, 0}, {killed, s.killReplica, clients},
		{"Redis lost, and back", s.loseRedis, 0}, {"origin lost, replica restarted", s.loseOrigin, 0},
	} {
		fmt.Fprintf(os.Stderr, "%s: %s\n", s.name, step.name)
		l := startLoad(ctx, s.fronts)
		err := errors.Join(l.settle(ctx), step.do(ctx), l.settle(ctx))
		l.stop()
		t.add(s.name, step.name, &l.tally, s.notes[step.name], errors.Join(l.err(step.mayFail), err))
	}
}

// prepare starts the engine, configures a copy of deploy/, and gives the engine the images.
func (s *stack) prepare(ctx context.Context) (err error) {
	if s.engine, err = newEngine(ctx, s.client); err != nil {
		return err
	}
	s.origin.current.Store(0)
	s.dir = filepath.Join(s.engine.dir, "deploy")
	if err := os.CopyFS(s.dir, os.DirFS(s.deploy)); err != nil {
		return err
	}
	if err = s.configure(ctx); err == nil {
		err = s.give(ctx)
	}
	s.name += ", " + s.engine.name
	return err
}

// end stops everything that prepare and the steps have started.
func (s *stack) end(ctx context.Context) error {
	if s.engine == nil {
		return nil
	}
	return errors.Join(s.stop(ctx), s.engine.end(ctx))
}

// address returns the address of a replica.
func (s *stack) address(number int) string {
	return fmt.Sprintf("http://%s1%d:8080", s.network, number)
}

// replicas returns the addresses of the replicas that get requests.
func (s *stack) replicas() (addresses []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range s.numbers {
		addresses = append(addresses, s.address(number))
	}
	return addresses
}

// fronts returns the addresses that clients ask.
func (s *stack) fronts() []string {
	if s.nginx != "" {
		return []string{s.nginx}
	}
	return s.replicas()
}

// newBuild publishes another build, and waits until all replicas serve it.
func (s *stack) newBuild(ctx context.Context) error {
	s.origin.current.Store(1)
	return s.awaitNewBuild(ctx)
}

// awaitNewBuild waits until all replicas serve the second build.
func (s *stack) awaitNewBuild(ctx context.Context) error {
	serves := door{path: ready.path, want: "version " + s.origin.versions[1] + "\n"}
	for _, address := range s.replicas() {
		if err := awaitAnswer(ctx, serves, address); err != nil {
			return err
		}
	}
	return nil
}

// retag makes the copy of deploy/ name the new tag.
func (s *stack) retag() error {
	return s.set([][3]string{{"compose.yaml", "catalog:" + s.oldTag, "catalog:" + newTag}, {base, s.oldTag, newTag}})
}

// replaceAll replaces each replica by one with the new tag.
func (s *stack) replaceAll(ctx context.Context) error {
	if err := s.retag(); err != nil {
		return err
	}
	for i, old := range s.numbers {
		next := old + s.step
		if err := s.begin(ctx, next); err != nil {
			return err
		}
		if err := awaitAnswer(ctx, ready, s.address(next)); err != nil {
			return err
		}
		s.mu.Lock()
		s.numbers[i] = next
		s.mu.Unlock()
		if err := s.on(ctx, old, s.finish); err != nil {
			return err
		}
	}
	return nil
}

// on runs a script on the container $id of a replica, or of Redis.
func (s *stack) on(ctx context.Context, number int, script string) error {
	filter := s.filters[redis]
	if number != redis {
		filter = fmt.Sprintf(s.filters[1], number)
	}
	_, err := s.shell(ctx, theContainer+script, filter)
	return err
}

// theContainer sets $id. It fails unless there is one container.
const theContainer = `set -x
id=$($engine ps -aq --filter "$1")
test "$(echo "$id" | wc -w)" = 1
`

// Scripts for on. A replica has 30 seconds to end, as in deploy/. Podman 4.3 does not read that there.
const (
	startIt = "$engine start $id"
	stopIt  = "$engine stop -t 30 $id"
	killIt  = "pid=$($engine inspect --format {{.State.Pid}} $id)\ntest $pid -gt 1\nkill -9 $pid"
	isNew   = "$engine inspect --format {{.Config.Image}} $id | grep :" + newTag + "$"
)

// killReplica kills the program of a replica, and waits until the engine has restarted it.
func (s *stack) killReplica(ctx context.Context) error {
	if err := s.on(ctx, s.numbers[1], killIt); err != nil {
		return err
	}
	return awaitAnswer(ctx, ready, s.replicas()[1])
}

// loseRedis stops Redis, and starts it again. Replicas then share their counts again.
func (s *stack) loseRedis(ctx context.Context) error {
	if err := s.on(ctx, redis, stopIt); err != nil {
		return err
	}
	if err := s.askDoors(ctx).err(0); err != nil {
		return fmt.Errorf("without Redis, %w", err)
	}
	if err := s.on(ctx, redis, startIt); err != nil {
		return err
	}
	return await(ctx, "shared counts", s.checkShared)
}

// loseOrigin stops the origin, and restarts a replica, which starts with the build that it has.
func (s *stack) loseOrigin(ctx context.Context) error {
	s.origin.current.Store(down)
	defer s.origin.current.Store(1)
	if err := s.on(ctx, s.numbers[2], stopIt+"\n"+startIt); err != nil {
		return err
	}
	return s.awaitNewBuild(ctx)
}

// set replaces texts in files of the copy of deploy/: each must be there. A change is a file, and a text with what
// replaces it.
func (s *stack) set(changes [][3]string) (err error) {
	for _, change := range changes {
		name, from, to := filepath.Join(s.dir, change[0]), change[1], change[2]
		text, wrong := os.ReadFile(name)
		if wrong == nil && !strings.Contains(string(text), from) {
			wrong = fmt.Errorf("%s has no %q, which is set here", name, from)
		}
		if wrong == nil {
			wrong = os.WriteFile(name, []byte(strings.ReplaceAll(string(text), from, to)), 0o600)
		}
		err = errors.Join(err, wrong)
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

// awaitAnswer waits until an address answers a request as it must.
func awaitAnswer(ctx context.Context, d door, address string) error {
	return await(ctx, address, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // a connection may lead to what is gone
		defer cancel()
		_, err := d.ask(ctx, address)
		return err
	})
}
