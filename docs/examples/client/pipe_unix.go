//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// keepPipeErrors makes a write to a closed pipe fail instead of ending the program.
func keepPipeErrors() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
