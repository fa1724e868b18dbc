//go:build !unix

package main

import "time"

var started = time.Now()

// clock returns the time that has passed, where CPU time cannot be had.
func clock() time.Duration { return time.Since(started) }
