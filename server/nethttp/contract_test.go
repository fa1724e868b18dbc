package nethttp_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The table of these tests is one as package server/redis and server/jetstream have them.
func TestContract(t *testing.T) {
	shared := newTable()
	tables.Test(t, tables.Store{Table: func(*testing.T) nethttp.Table { return shared }})
}
