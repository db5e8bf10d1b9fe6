// Package parallel spreads work over the cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1, beginning with the lower numbers, on up to jobs
// goroutines. After an error, or the end of ctx, no further call begins. It
// returns once all calls have, with the first error, else with the cause of ctx's end.
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

// All calls do for 0 to n-1 on all cores, beginning with the lower numbers, and returns
// once all calls have.
func All(n int, do func(i int)) {
	spread(runtime.GOMAXPROCS(0), n, func(i int) bool { do(i); return true })
}

// spread calls do on up to jobs goroutines, each until do returns false. A goroutine for
// each call would have to grow its stack each time.
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
