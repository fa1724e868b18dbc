//go:build unix

package stdio

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// catchPipe makes a write to a pipe that nobody reads fail, where it would end the process:
// that is so for standard output (os/signal, SIGPIPE). It returns what undoes it.
func catchPipe(out io.Writer) (undo func()) {
	if _, ok := out.(*os.File); !ok {
		return func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
