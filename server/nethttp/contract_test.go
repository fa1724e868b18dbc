package nethttp_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The cluster of these tests is one as package server/redis and server/jetstream have them.
func TestContract(t *testing.T) {
	shared, _ := journaled(newCluster())
	tables.Test(t, tables.Store{Table: func(*testing.T) nethttp.Table { return shared }})
}
