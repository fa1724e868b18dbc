// Package sessiontest shows how to test a server without sleeping, and without a client: its tests
// have a State, and pass it messages and times.
//
//	go test -v ./docs/examples/sessiontest
package sessiontest
