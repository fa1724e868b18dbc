//go:build !plan9 && !windows

package nethttp

import (
	"errors"
	"syscall"
)

// refused reports whether a connection was refused: nobody listens.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
