//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// keepPipeErrors makes a write to a pipe that nobody reads fail, and not end the program.
func keepPipeErrors() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
