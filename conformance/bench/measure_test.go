package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/cputime"
)

// measure reports the CPU time, the allocations and the elapsed time of f.
func measure(b *testing.B, f func() error) {
	b.Helper()
	b.ReportAllocs()
	report := cpu(b)
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	report()
}

// cpu starts a count of CPU time and returns a function that reports it per op. On a
// busy machine it is steadier than elapsed time, and it includes work on other cores.
func cpu(b *testing.B) (report func()) {
	start := cputime.Now()
	return func() { b.ReportMetric(float64(cputime.Now()-start)/float64(b.N), CPU) }
}

// memory returns the bytes of heap and stack in use after collection.
func memory() uint64 {
	runtime.GC()
	runtime.GC() // the second collection frees what the first had to finalize
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// settle waits until the number of goroutines has been steady for a while, so that
// goroutines of an exchange have ended.
func settle() {
	last, steady := -1, 0
	for range 500 {
		time.Sleep(5 * time.Millisecond)
		n := runtime.NumGoroutine()
		if n != last {
			last, steady = n, 0
		} else if steady++; steady == 10 {
			return
		}
	}
}

// must returns a function that fails the test for an error and returns the value.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
