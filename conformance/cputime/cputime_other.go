//go:build !unix

// Package cputime measures the CPU time of a process, for tests and benchmarks of cost. Here it only has
// elapsed time.
package cputime

import "time"

var started = time.Now()

// Now returns the time since the process started.
func Now() time.Duration { return time.Since(started) }
