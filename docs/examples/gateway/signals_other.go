//go:build !unix

package main

import (
	"os"
)

// reloadSignal returns nil: the file is read again when it has changed.
func reloadSignal() <-chan os.Signal { return nil }

// showSignal returns nil: the status is shown as -status says.
func showSignal() <-chan os.Signal { return nil }

// ends are the signals that end the program.
var ends = []os.Signal{os.Interrupt}
