package parallel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"catalog.example/api/parallel"
)

func TestEachCallsEveryNumberOnce(t *testing.T) {
	for _, jobs := range []int{-1, 1, 3, 100} {
		for _, n := range []int{0, 1, 57} {
			calls := make([]atomic.Int32, n)
			if err := parallel.Each(t.Context(), jobs, n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Errorf("jobs %d, n %d: number %d was called %d times", jobs, n, i, got)
				}
			}
		}
	}
}

// Exactly jobs calls run at once.
func TestEachRunsAtOnce(t *testing.T) {
	const jobs = 4
	var running, most atomic.Int32
	allRunning := make(chan struct{})
	err := parallel.Each(t.Context(), jobs, 40, func(int) error {
		current := running.Add(1)
		defer running.Add(-1)
		for {
			highest := most.Load()
			if current <= highest || most.CompareAndSwap(highest, current) {
				break
			}
		}
		if current == jobs && most.Load() == jobs {
			select {
			case <-allRunning:
			default:
				close(allRunning)
			}
		}
		<-allRunning // the first calls wait for each other
		return nil
	})
	if err != nil || most.Load() != jobs {
		t.Errorf("%d calls at once, want %d; %v", most.Load(), jobs, err)
	}
}

func TestEachStopsAfterAnError(t *testing.T) {
	boom := errors.New("boom")
	var calls int
	err := parallel.Each(t.Context(), 1, 10, func(i int) error {
		calls++
		if i == 2 {
			return boom
		}
		return nil
	})
	if !errors.Is(err, boom) || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestEachEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	calls := 0
	err := parallel.Each(ctx, 1, 10, func(i int) error {
		calls++
		if i == 3 {
			cancel(cause)
		}
		return nil
	})
	if !errors.Is(err, cause) || calls != 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Each returns the first error, even if ctx ends before it.
func TestEachReturnsTheContextError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	boom := errors.New("boom")
	if err := parallel.Each(ctx, 2, 10, func(int) error { cancel(); return boom }); !errors.Is(err, boom) {
		t.Errorf("%v, want %v", err, boom)
	}
	if err := parallel.Each(ctx, 2, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing to do, and an ended context: %v", err)
	}
}

func TestAllCallsEveryNumberOnce(t *testing.T) {
	for _, n := range []int{0, 1, 57} {
		calls := make([]atomic.Int32, n)
		parallel.All(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("n %d: number %d was called %d times", n, i, got)
			}
		}
	}
}
