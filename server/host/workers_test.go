package host

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
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

// slowTurner is a function that lasts, as part of its turn.
type slowTurner struct {
	begun chan<- time.Time
	lasts time.Duration
}

func (s slowTurner) Turn(func(server.State, time.Time) (server.State, server.Output, error)) error {
	s.begun <- time.Now()
	time.Sleep(s.lasts)
	return nil
}

// enteredEntry is the Entry of a request whose turn was made.
type enteredEntry struct{}

func (enteredEntry) Enter()       {}
func (enteredEntry) Answer() bool { return false }

// A goroutine that has a function when the timer fires is not among those that end, nor are those that Close has
// ended: each function begins at once, before and after. Goroutines that nothing needs end within 100 ms.
func TestBusyWorkersStay(t *testing.T) {
	for _, early := range []bool{false, true} {
		busyWorkersStay(t, early)
	}
}

func busyWorkersStay(t *testing.T, early bool) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWork(WorkOptions{})
		waiting := func() (idle int, timed bool) {
			synctest.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.workers.idle, w.workers.timed
		}
		run := func(lasts time.Duration, want int) {
			t.Helper()
			begun := make(chan time.Time, 1)
			c := &Calls{w: w, t: slowTurner{begun, lasts}}
			if early {
				c.StartEarly(t.Context(), server.Job{}, jsonrpc.Message{}, enteredEntry{}).Run()
			} else {
				w.mu.Lock()
				w.hold(c)
				w.add(&job{c: c})
				w.mu.Unlock()
			}
			if idle, _ := waiting(); idle != want || len(begun) == 0 {
				t.Fatalf("%d goroutines wait, want %d; the function has begun: %v", idle, want, len(begun) > 0)
			}
		}
		run(0, 1) // its goroutine sets the timer
		time.Sleep(linger / 2)
		run(2*linger, 0) // it has the goroutine beyond the time at which the timer fires
		time.Sleep(linger)
		run(0, 1)
		time.Sleep(linger / 4)
		run(0, 1) // by the same goroutine
		time.Sleep(4 * linger)
		if idle, timed := waiting(); idle != 0 || timed {
			t.Errorf("%d goroutines wait, the timer is set: %v", idle, timed)
		}
		run(0, 1)
		w.Close()
		for range 3 {
			run(0, 0)
			time.Sleep(linger) // the timer fires once more
		}
	})
}
