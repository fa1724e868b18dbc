package server_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// To register eight times the templates takes little more than eight times the memory.
func TestTemplatesAreRegisteredInLinearTime(t *testing.T) {
	cost := func(n int) uint64 {
		var h server.Handlers
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			h.Template(protocol.ResourceTemplate{Name: "n", URITemplate: "f:///" + strconv.Itoa(i) + "/{a}"}, nil)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(250), cost(2000); many > 16*few {
		t.Errorf("250 templates take %d bytes, 2000 take %d", few, many)
	}
}
