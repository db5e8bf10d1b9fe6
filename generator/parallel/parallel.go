// Package parallel spreads the work of a build over the cores.
package parallel

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Each calls do for 0 to n-1, beginning with the lower numbers, on up to jobs
// goroutines. After an error, or the end of ctx, no further call begins. It
// returns once all calls have, with the first error, else with the cause of ctx's end.
func Each(ctx context.Context, jobs, n int, do func(i int) error) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(max(jobs, 1))
	for i := 0; i < n && groupCtx.Err() == nil; i++ {
		group.Go(func() error {
			if groupCtx.Err() != nil {
				return nil
			}
			return do(i)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
