package lint

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime/pprof"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/site"
	"catalog.example/generator/content"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(1, &u) // thread
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestZZ(t *testing.T) {
	o := content.Options{Dir: cmpDir(), Settings: site.Defaults(), Jobs: 2, Today: "2027-01-01"}
	c, _, err := content.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := newCatalog(c, o, "")
	runtime.LockOSThread()
	measure := func(name string, f func(l *content.Listing)) {
		best := time.Hour
		for range 7 {
			start := cpu()
			for _, l := range c.Listings {
				f(l)
			}
			best = min(best, cpu()-start)
		}
		fmt.Printf("%-40s %8.1f us/listing\n", name, float64(best.Nanoseconds())/1e3/float64(len(c.Listings)))
	}
	for _, check := range listingChecks {
		name := runtime.FuncForPC(reflect.ValueOf(check).Pointer()).Name()
		measure(name[strings.LastIndex(name, ".")+1:], func(l *content.Listing) {
			var f findings
			check(all, l, &f)
		})
	}
	measure("  listingTexts", func(l *content.Listing) { listingTexts(l, func(textField) {}) })
	for name, f := range map[string]func(textField, *findings){"instr": checkInstructions, "invisible": checkInvisible, "scripts": checkScripts} {
		measure("  "+name, func(l *content.Listing) {
			var found findings
			listingTexts(l, func(t textField) { f(t, &found) })
		})
	}
	measure("  parts", func(l *content.Listing) { var f findings; checkParts(&l.Document, &f) })
	measure("wording", func(l *content.Listing) { newWording(all, l) })
	for _, check := range catalogChecks {
		name := runtime.FuncForPC(reflect.ValueOf(check).Pointer()).Name()
		measure(name[strings.LastIndex(name, ".")+1:], func(l *content.Listing) {
			if l == c.Listings[0] {
				var f findings
				check(all, &f)
			}
		})
	}
	measure("newCatalog", func(l *content.Listing) {
		if l == c.Listings[0] {
			newCatalog(c, o, "")
		}
	})
}

func cmpDir() string { return "/dev/shm/bu/" + os.Getenv("ZZ") }

func TestZZP(t *testing.T) {
	o := content.Options{Dir: cmpDir(), Settings: site.Defaults(), Jobs: 2, Today: "2027-01-01"}
	c, _, err := content.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := newCatalog(c, o, "")
	f, _ := os.Create("/dev/shm/bu/zzp.prof")
	pprof.StartCPUProfile(f)
	for range 8 {
		for _, l := range c.Listings {
			var f findings
			for _, check := range listingChecks {
				check(all, l, &f)
			}
			newWording(all, l)
		}
	}
	pprof.StopCPUProfile()
}
