package limits

import "runtime"

// Retained returns how many bytes what produce returns keeps alive beyond what was
// alive before. The figure is that of the whole process: run nothing beside it.
func Retained(produce func() any) int64 {
	before := live()
	kept := produce()
	after := live()
	runtime.KeepAlive(kept)
	return after - before
}

func live() int64 {
	var m runtime.MemStats
	// The second round frees what the first had to finalize.
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Allocated returns how many bytes f allocates in all, which is at least its peak. The
// figure is that of the whole process: run nothing beside it.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
