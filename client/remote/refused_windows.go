package remote

import (
	"errors"
	"syscall"
)

// wsaRefused is WSAECONNREFUSED; syscall.ECONNREFUSED is another number on Windows.
const wsaRefused = syscall.Errno(10061)

// refused reports whether a connection was refused: nobody listens.
func refused(err error) bool { return errors.Is(err, wsaRefused) }
