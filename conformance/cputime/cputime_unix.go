//go:build unix

// Package cputime tells what a process has computed, for tests and benchmarks of cost: unlike the time of day it hardly
// depends on what else the machine does.
package cputime

import (
	"syscall"
	"time"
)

// Now returns the CPU time of the process, that of all threads and of the collector included. The difference of
// two is what was computed in between.
func Now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
