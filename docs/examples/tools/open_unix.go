//go:build unix

package main

import "syscall"

// nonBlocking is the flag with which a pipe is opened at once.
const nonBlocking = syscall.O_NONBLOCK
