// Package parallel runs numbered tasks on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1, lower numbers first, on up to jobs goroutines. After an error or the
// end of ctx, each goroutine starts at most one more call. Each returns when all calls have
// returned, with the first error, else with the cause of the end of ctx, if it has ended.
func Each(ctx context.Context, jobs, n int, do func(i int) error) error {
	var first atomic.Pointer[error]
	spread(jobs, n, func(i int) bool {
		if err := do(i); err != nil {
			first.CompareAndSwap(nil, &err)
		}
		return ctx.Err() == nil && first.Load() == nil
	})
	if err := first.Load(); err != nil {
		return *err
	}
	return context.Cause(ctx)
}

// All calls do for 0 to n-1, lower numbers first, on all cores. It returns when all calls
// have returned.
func All(n int, do func(i int)) {
	spread(runtime.GOMAXPROCS(0), n, func(i int) bool { do(i); return true })
}

// spread calls do on up to jobs goroutines. Each goroutine stops when do returns false. It serves
// many calls, because in a new goroutine for each call the stack would have to grow every time.
func spread(jobs, n int, do func(i int) bool) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(jobs, 1), n) {
		workers.Go(func() {
			for {
				if i := int(next.Add(1)) - 1; i >= n || !do(i) {
					return
				}
			}
		})
	}
	workers.Wait()
}
