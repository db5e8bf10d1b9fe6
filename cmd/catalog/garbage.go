package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// serverGarbage is how much garbage a server has at most before it collects it, in bytes. Go would
// let it take as much as the index and the full cache, which live long. GOGC overrides this.
const serverGarbage = 9 << 20

// boundGarbage lets garbage take as much memory as what is in use, as Go does by default, but not
// more than most bytes. It looks how much is in use after each collection, until stop is called.
func boundGarbage(most uint64) (stop func()) {
	percent, stopped := 100, new(atomic.Bool)
	before := debug.SetGCPercent(percent)
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var adjust func(struct{})
	adjust = func(struct{}) {
		if stopped.Load() {
			return
		}
		metrics.Read(inUse)
		if wanted := int(min(100, 100*most/max(inUse[0].Value.Uint64(), 1))); wanted != percent {
			percent = wanted
			debug.SetGCPercent(max(percent, 1))
		}
		// Nothing refers to this, so the next collection finds it, and adjusts again.
		// Go puts several values into one piece of memory if they are smaller.
		runtime.AddCleanup(new([64]byte), adjust, struct{}{})
	}
	adjust(struct{}{})
	return func() {
		stopped.Store(true)
		debug.SetGCPercent(before)
	}
}
