//go:build unix

package main

import "syscall"

// nonBlocking is the flag that makes opening a pipe return at once.
const nonBlocking = syscall.O_NONBLOCK
