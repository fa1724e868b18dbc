//go:build !plan9 && !windows

package remote

import (
	"errors"
	"syscall"
)

// refused reports whether a connection was refused because no server listens.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
