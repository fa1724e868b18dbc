package remote

import (
	"errors"
	"syscall"
)

// wsaRefused is WSAECONNREFUSED; syscall.ECONNREFUSED has another value on Windows.
const wsaRefused = syscall.Errno(10061)

// refused reports whether a connection was refused because no server listens.
func refused(err error) bool { return errors.Is(err, wsaRefused) }
