package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// usage is what a process uses.
type usage struct {
	goroutines int
	heap       uint64 // bytes of heap in use after collection; for a peak, without
}

// goroutineSlack and heapSlack are how much more than at the beginning may remain at the
// end, when all sessions are closed: pools, and maps that keep their former size.
const (
	goroutineSlack      = 2
	heapSlack           = 1 << 20
	heapSlackPerSession = 512
)

// crowd runs n goroutines at a time. The runtime keeps the descriptors of all goroutines that
// ever ran, half a kilobyte each; with these it has them before the first measurement,
// so any growth at the end is a leak.
func crowd(n int) {
	var all sync.WaitGroup
	leave := make(chan struct{})
	for range n {
		all.Go(func() { <-leave })
	}
	close(leave)
	all.Wait()
}

// crowdPerSession is how many goroutines a session may need, at all ends together: those
// of net/http and the proxy for each connection.
const crowdPerSession = 64

// rest waits until no more goroutines run than before, or until their number is steady if
// before is zero, at most as long as the limit, and returns the usage.
func rest(limit time.Duration, before usage) usage {
	deadline := time.Now().Add(limit)
	last, steady := -1, 0
	for time.Now().Before(deadline) {
		n := runtime.NumGoroutine()
		if before.goroutines > 0 && n <= before.goroutines {
			break
		}
		if n != last {
			last, steady = n, 0
		} else if steady++; steady >= 20 && before.goroutines == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	runtime.GC()
	runtime.GC() // the second frees what the first had to finalize
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{runtime.NumGoroutine(), m.HeapAlloc}
}

// leak reports leaks.
func (r report) leak(sessions int) error {
	if n := r.after.goroutines - r.before.goroutines; n > goroutineSlack {
		return fmt.Errorf("%d goroutines are left, %d were there before\n%s", r.after.goroutines, r.before.goroutines, stacks())
	}
	if most := r.before.heap + heapSlack + uint64(sessions)*heapSlackPerSession; r.after.heap > most {
		return fmt.Errorf("%d bytes of heap are left, %d were there before", r.after.heap, r.before.heap)
	}
	return nil
}

// stacks returns some of the goroutines.
func stacks() []byte {
	buf := make([]byte, 16<<10)
	return buf[:runtime.Stack(buf, true)]
}

// watchPeak samples the usage of the process until the function that it
// returns is called, which returns the maximum.
func watchPeak() func() usage {
	var peak usage
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = usage{max(peak.goroutines, runtime.NumGoroutine()), max(peak.heap, m.HeapAlloc)}
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() usage {
		close(done)
		watching.Wait()
		return peak
	}
}
