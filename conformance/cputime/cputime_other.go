//go:build !unix

// Package cputime tells what a process has computed, for tests and benchmarks of cost. Here it has nothing better than
// elapsed time.
package cputime

import "time"

var started = time.Now()

// Now returns the time since the process started.
func Now() time.Duration { return time.Since(started) }
