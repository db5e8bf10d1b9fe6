// Package parallel spreads the work of a build over the cores.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1, beginning with the lower numbers, on up to jobs
// goroutines. After an error, or the end of ctx, no further call begins. It
// returns once all calls have, with the error of the lowest number that failed,
// else with the cause of ctx's end.
func Each(ctx context.Context, jobs, n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var wait sync.WaitGroup
	for range min(max(jobs, 1), n) {
		wait.Go(func() {
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
