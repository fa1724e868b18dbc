package remote

import "strings"

// refused reports whether a connection was refused because no server listens.
func refused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "connection refused")
}
