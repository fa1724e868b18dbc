// Package sessiontest shows how a server is tested without sleeping, and without a client: its tests
// hold a State and say what arrives, and when.
//
//	go test -v ./docs/examples/sessiontest
package sessiontest
