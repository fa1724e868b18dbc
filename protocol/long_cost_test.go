package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/protocol"
)

// The text of a large result is copied once into what goes out.
func TestCostOfLongOneText(t *testing.T) {
	row := protocol.Revision20251125.Row(protocol.MethodToolsCall)
	r := protocol.TextResult(strings.Repeat("0123456789abcdef", 16<<10))
	if n := memory.Allocated(func() { _, _ = row.EncodeResult(r, "", protocol.Encoding{}) }); n > 290<<10 {
		t.Errorf("%d bytes for a result of 256 KB", n)
	}
}
