package table_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// request has the size of what the engine keeps for a request.
type request [6]uint64

func pending(n int) table.Table[request] {
	var t table.Table[request]
	for k := range uint64(n) {
		t = t.Put(k, int64(k), request{})
	}
	return t
}

var sizes = []int{1, 64, 1000, 100_000}

// BenchmarkNewest puts an entry and deletes it while n-1 others stay.
func BenchmarkNewest(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := pending(n - 1)
			b.ReportAllocs()
			for next := uint64(n); b.Loop(); next++ {
				t = t.Put(next, int64(next), request{})
				t, _ = t.Delete(next)
			}
		})
	}
}

// BenchmarkRandom puts an entry and deletes a random one of n, so that the
// keys that stay grow sparse.
func BenchmarkRandom(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 2))
			t := pending(n)
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = uint64(i)
			}
			next := uint64(n)
			turn := func() {
				i := rnd.IntN(n)
				t, _ = t.Delete(keys[i])
				t = t.Put(next, int64(next), request{})
				keys[i] = next
				next++
			}
			for range 4 * n { // age
				turn()
			}
			b.ReportAllocs()
			for b.Loop() {
				turn()
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := pending(n)
			for k := uint64(0); b.Loop(); k++ {
				t.Get(k % uint64(n))
			}
		})
	}
}

func BenchmarkMin(b *testing.B) {
	for _, n := range []int{1, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := pending(n)
			for b.Loop() {
				t.Min()
			}
		})
	}
}

// BenchmarkExpire sweeps k entries, spread over all keys, out of n.
func BenchmarkExpire(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		for _, k := range []int{1, 100, n} {
			b.Run(fmt.Sprintf("%d_of_%d", k, n), func(b *testing.B) {
				t := pending(n)
				for i := range k {
					t = t.Put(uint64(i*(n/k)), -1, request{})
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, gone := t.Expire(-1); len(gone) != k {
						b.Fatal(len(gone))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k), "ns/entry")
			})
		}
	}
}
