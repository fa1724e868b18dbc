//go:build unix

package bench

import "syscall"

// cpuTime returns the CPU time of the process in nanoseconds, all threads included.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
