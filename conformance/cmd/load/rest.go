package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// usage is what a process holds.
type usage struct {
	goroutines int
	heap       uint64 // bytes of heap in use after collection; of a peak, without
}

// goroutineSlack and heapSlack are how much more than at the beginning may be left at the
// end, when all sessions are closed: timers of net/http that have not fired yet, pools,
// maps that keep the room that they once needed.
const (
	goroutineSlack      = 5
	heapSlack           = 2 << 20
	heapSlackPerSession = 1 << 10
)

// restTime is how long the goroutines may take to end.
const restTime = 15 * time.Second

// rest waits until no more goroutines run than before, or until their number is steady if
// before is zero, and returns what is left.
func rest(before usage) usage {
	deadline := time.Now().Add(restTime)
	last, steady := -1, 0
	for time.Now().Before(deadline) {
		n := runtime.NumGoroutine()
		if before.goroutines > 0 && n <= before.goroutines {
			break
		}
		if n != last {
			last, steady = n, 0
		} else if steady++; steady >= 50 && before.goroutines == 0 {
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

// leak says what is left that should not be.
func (r report) leak(sessions int) error {
	if n := r.after.goroutines - r.before.goroutines; n > goroutineSlack {
		return fmt.Errorf("%d goroutines are left, %d were there before\n%s", r.after.goroutines, r.before.goroutines, stacks())
	}
	if most := r.before.heap + heapSlack + uint64(sessions)*heapSlackPerSession; r.after.heap > most {
		return fmt.Errorf("%d bytes of heap are left, %d were there before", r.after.heap, r.before.heap)
	}
	return nil
}

// stacks returns some of the goroutines there are.
func stacks() []byte {
	buf := make([]byte, 16<<10)
	return buf[:runtime.Stack(buf, true)]
}

// watchPeak looks now and then at what the process holds, until the function that it
// returns is called, which returns the most that it saw.
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
