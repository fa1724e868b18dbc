// Package memory measures live and allocated memory for tests. The figures are those
// of the whole process: run nothing concurrently.
package memory

import "runtime"

// Live returns the bytes of the heap in use.
func Live() int64 {
	var m runtime.MemStats
	// The second collection frees what the first had to finalize.
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Retained returns how many more bytes are alive because of the result of produce.
func Retained(produce func() any) int64 {
	before := Live()
	kept := produce()
	after := Live()
	runtime.KeepAlive(kept)
	return after - before
}

// Allocated returns how many bytes f allocates in total, which is at least its peak.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
