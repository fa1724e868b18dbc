//go:build !unix

package main

// nonBlocking is not known here.
const nonBlocking = 0
