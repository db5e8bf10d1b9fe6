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
			if err := parallel.Each(context.Background(), jobs, n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
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

// At most jobs calls run at once, and as many do.
func TestEachRunsAtOnce(t *testing.T) {
	const jobs = 4
	var running, most atomic.Int32
	together := make(chan struct{})
	err := parallel.Each(context.Background(), jobs, 40, func(int) error {
		now := running.Add(1)
		defer running.Add(-1)
		for {
			before := most.Load()
			if now <= before || most.CompareAndSwap(before, now) {
				break
			}
		}
		if now == jobs && most.Load() == jobs {
			select {
			case <-together:
			default:
				close(together)
			}
		}
		<-together // the first calls wait for each other
		return nil
	})
	if err != nil || most.Load() != jobs {
		t.Errorf("%d calls at once, want %d; %v", most.Load(), jobs, err)
	}
}

func TestEachStopsAfterAnError(t *testing.T) {
	boom := errors.New("boom")
	var calls int
	err := parallel.Each(context.Background(), 1, 10, func(i int) error {
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
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	calls := 0
	err := parallel.Each(ctx, 1, 10, func(i int) error {
		calls++
		if i == 3 {
			cancel(why)
		}
		return nil
	})
	if !errors.Is(err, why) || calls != 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// The first error is told, even where ctx ends before it.
func TestEachTellsTheErrorOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
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
