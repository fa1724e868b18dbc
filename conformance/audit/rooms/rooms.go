// Package rooms says which packages of this module do I/O.
package rooms

import "strings"

// Drivers returns the directories of the packages that do I/O: they may start goroutines,
// read the clock and import the whole standard library, and no pure package
// imports them. All other product packages are pure.
func Drivers() []string {
	return []string{
		"jsonrpc/pipe",
		"server/host",
		"server/stdio",
		"server/nethttp",
		"server/internal/logins",
		"server/internal/watch",
		"client/links",
		"client/session",
		"client/child",
		"client/remote",
		"client/oauth/login",
		"client/oauth/store",
		"client/fleet",
		"client/internal/waits",
		"client/dial",
		"client/gateway",
	}
}

// IsDriver reports whether a directory is one of them, or lies in one.
func IsDriver(dir string) bool {
	for _, d := range Drivers() {
		if dir == d || strings.HasPrefix(dir, d+"/") {
			return true
		}
	}
	return false
}
