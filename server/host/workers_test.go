package host

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
)

// doneTurner is told that a function has returned, and does no more.
type doneTurner struct{ *sync.WaitGroup }

func (d doneTurner) Turn(func(server.State, time.Time) (server.State, server.Output, error)) error {
	d.Done()
	return nil
}

// Goroutines that have run a function run the next ones, whenever those come: just before
// they would end, and when they have. None is forgotten, and in the end none is left.
func TestWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	w := NewWork(WorkOptions{MaxRunning: 9})
	var wg sync.WaitGroup
	for round := range 30 {
		for range 8 {
			wg.Add(1)
			w.mu.Lock()
			c := &Calls{w: w, t: doneTurner{&wg}}
			w.hold(c)
			w.add(&job{c: c})
			w.mu.Unlock()
		}
		wg.Wait()
		if round%3 == 0 {
			time.Sleep(linger + time.Duration(round%2)*time.Millisecond - time.Millisecond/2)
		}
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		idle, left := w.workers.idle, len(w.workers.hand)
		w.mu.Unlock()
		if idle == 0 && left == 0 && runtime.NumGoroutine() <= before {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d wait, %d jobs are left, %d goroutines, %d before", idle, left, runtime.NumGoroutine(), before)
		}
	}
}
