//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// reloadSignal receives when the file must be read again.
func reloadSignal() <-chan os.Signal { return on(syscall.SIGHUP) }

// showSignal receives when the status must be shown.
func showSignal() <-chan os.Signal { return on(syscall.SIGUSR1) }

func on(s os.Signal) <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, s)
	return c
}

// ends are the signals that end the program.
var ends = []os.Signal{os.Interrupt, syscall.SIGTERM}
