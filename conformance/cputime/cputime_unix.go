//go:build unix

// Package cputime measures the CPU time of a process, for tests and benchmarks of cost: unlike elapsed time it hardly
// depends on other load of the machine.
package cputime

import (
	"syscall"
	"time"
)

// Now returns the CPU time of the process, including all threads and the garbage collector. Subtract two values
// for the time in between.
func Now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
