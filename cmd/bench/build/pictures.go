//go:build linux

package build

import (
	"context"
	"os"
)

// aimPictures limits the processor time of a build of the shipped listings from nothing, with their
// pictures, as a share of that of the other commit.
const aimPictures = 0.35

// pictures builds the shipped listings with their pictures, in turn with the program of the other
// commit. Without that, there is nothing to compare with.
func (b *bench) pictures(ctx context.Context) error {
	if b.before == "" {
		return nil
	}
	drawn := func(name, file string) *tool {
		out := b.path("out-pictures")
		return &tool{name: name, output: out, command: append(b.catalogBuild(file, b.options.content, out),
			"--pictures=on", "--picture-cache=", "--cache=")}
	}
	ours := drawn("pictures", b.path("catalog"))
	before := drawn("pictures before", b.before)
	for range b.runs {
		for _, t := range []*tool{before, ours} {
			u, err := b.once(ctx, t)
			if err != nil {
				return err
			}
			t.usages = append(t.usages, u)
		}
	}
	b.aim("shipped listings with pictures, of the CPU before", aimPictures, before.cpu(), ours.cpu(), nil, nil)
	return os.RemoveAll(ours.output)
}
