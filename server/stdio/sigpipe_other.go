//go:build !unix

package stdio

import "io"

// catchPipe does nothing: without SIGPIPE a write to a closed pipe fails.
func catchPipe(io.Writer) (undo func()) { return func() {} }
