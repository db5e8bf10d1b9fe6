// Package parallel spreads work over the cores.
package parallel

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Each calls do for 0 to n-1, beginning with the lower numbers, on up to jobs
// goroutines. After an error, or the end of ctx, no further call begins. It
// returns once all calls have, with the first error, else with the cause of ctx's end.
func Each(ctx context.Context, jobs, n int, do func(i int) error) error {
	group, groupCtx := errgroup.WithContext(ctx)
	var next atomic.Int64
	// A goroutine for each call would have to grow its stack each time.
	for range min(max(jobs, 1), n) {
		group.Go(func() error {
			for groupCtx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := do(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
