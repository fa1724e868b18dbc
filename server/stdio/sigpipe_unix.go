//go:build unix

package stdio

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// catchPipe makes a write to a closed pipe fail, which would end the process if the pipe is
// standard output (os/signal, SIGPIPE). It returns a function that undoes this.
func catchPipe(out io.Writer) (undo func()) {
	if _, ok := out.(*os.File); !ok {
		return func() {}
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}
