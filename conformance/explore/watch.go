package explore

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"time"
)

// A Watch reports a step that does not return, because of an endless loop. The search does not depend on
// it, and a nil Watch watches nothing.
type Watch struct {
	mu    sync.Mutex
	world string               // what is watched, or ""
	begun uint64               // steps
	way   func() (string, int) // the trace and its length
	stop  chan struct{}
}

// grown is how many bytes a step may add to the process: a step that fills the memory is reported before it has.
const grown = 1 << 30

// NewWatch returns a Watch that calls hung, in its own goroutine, once a step takes longer than d or fills the memory. The
// Fault has the trace that ends with the step. hung must end the process, because nothing else can stop the step.
func NewWatch(d time.Duration, hung func(world string, f *Fault)) *Watch {
	w := &Watch{stop: make(chan struct{})}
	go w.run(d, hung)
	return w
}

// Stop ends the Watch.
func (w *Watch) Stop() { close(w.stop) }

// Do calls f, which may take as long as a step may.
func (w *Watch) Do(world string, f func()) {
	defer w.watch(world, func() (string, int) { return "", 0 })()
	f()
}

// watch begins with the steps of a world, whose trace is told by way. The function that it returns ends that.
func (w *Watch) watch(world string, way func() (string, int)) (end func()) {
	if w == nil {
		return func() {}
	}
	w.next(func() { w.world, w.way = world, way })
	return func() { w.next(func() { w.world = "" }) }
}

// next changes, by f, what a trace is made from: another step begins.
func (w *Watch) next(f func()) {
	if w == nil {
		f()
		return
	}
	w.mu.Lock()
	f()
	w.begun++
	w.mu.Unlock()
}

// run looks at the steps, a hundred times in d. It counts how often it has seen one, so that a process that is stopped, or
// hardly runs, has more time.
func (w *Watch) run(d time.Duration, hung func(world string, f *Fault)) {
	tick := time.NewTicker(d / 100)
	defer tick.Stop()
	var seen uint64
	var times int
	var first uint64
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		w.mu.Lock()
		if w.world == "" || w.begun != seen {
			seen, times, first = w.begun, 0, memory()
			w.mu.Unlock()
			continue
		}
		if times++; times < 100 && memory() < first+grown {
			w.mu.Unlock()
			continue
		}
		trace, steps := w.way()
		world := w.world
		w.mu.Unlock()
		hung(world, &Fault{What: "it does not return " + busy(), Trace: trace, Steps: steps, Count: 1})
		return
	}
}

// memory is how much the process has of the system.
func memory() uint64 {
	list := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(list)
	return list[0].Value.Uint64()
}

// busy returns a place in the product where a World is.
func busy() string {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	for goroutine := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(goroutine, "/explore") && !strings.Contains(goroutine, "(*Watch).run") {
			return where(goroutine)
		}
	}
	return ""
}

// where returns the innermost line of a stack that is of the product.
func where(stack string) string {
	for line := range strings.Lines(stack) {
		if strings.Contains(line, ".go:") && !strings.Contains(line, "/explore/") && !strings.Contains(line, "/runtime/") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
