package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// Garbage is bounded while much memory is in use, and only then.
func TestBoundGarbage(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	// await collects until the percentage is right: it is adjusted after a collection.
	await := func(when string, right func(percent uint64) bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !right(percent()); runtime.Gosched() {
			if runtime.GC(); time.Now().After(end) {
				t.Fatalf("%s: %d %%", when, percent())
			}
		}
	}
	before := percent()
	inUse := make([]byte, 64<<20)
	stop := boundGarbage(32 << 20)
	await("with 64 MiB in use", func(percent uint64) bool { return percent <= 50 })
	runtime.KeepAlive(inUse)
	stop()
	if after := percent(); after != before {
		t.Errorf("at the end: %d %%, want %d %%", after, before)
	}
	stop = boundGarbage(1 << 40)
	defer stop()
	await("with room for more", func(percent uint64) bool { return percent == 100 })
}
