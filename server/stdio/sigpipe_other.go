//go:build !unix

package stdio

import "io"

// catchPipe does nothing: where there is no SIGPIPE a write to a pipe that nobody reads fails.
func catchPipe(io.Writer) (undo func()) { return func() {} }
