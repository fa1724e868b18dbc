//go:build !unix

package main

// nonBlocking does not exist here.
const nonBlocking = 0
