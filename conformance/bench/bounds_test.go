package bench

import (
	"flag"
	"testing"
)

// TestBounds compares the allocations of this library with Bounds, which needs no quiet machine.
func TestBounds(t *testing.T) {
	long := flag.Lookup("test.benchtime").Value
	was := long.String()
	defer func() { _ = long.Set(was) }()
	for _, b := range Bounds {
		t.Run(b.Workload, func(t *testing.T) {
			var w Workload
			for _, w = range Workloads {
				if w.Name == b.Workload {
					break
				}
			}
			run := benchmark(w.Name, sansmcp)
			if w.Name != b.Workload || run == nil {
				t.Fatal("no such workload")
			}
			ops := "2000x"
			switch {
			case w.Unit != CPU:
				ops = "1x"
			case w.HTTP:
				ops = "1000x"
			}
			if err := long.Set(ops); err != nil {
				t.Fatal(err)
			}
			got := testing.Benchmark(run)
			if got.N == 0 {
				t.Fatal("it failed")
			}
			allocations, bytes := float64(got.AllocsPerOp()), float64(got.AllocedBytesPerOp())
			if w.Unit != CPU {
				allocations, bytes = 0, got.Extra[w.Unit]
			}
			if b.Allocations > 0 && allocations > b.Allocations {
				t.Errorf("%v allocations, at most %v", allocations, b.Allocations)
			}
			if b.Bytes > 0 && bytes > b.Bytes {
				t.Errorf("%v bytes, at most %v", bytes, b.Bytes)
			}
			t.Logf("%v allocations, %v bytes", allocations, bytes)
		})
	}
}
