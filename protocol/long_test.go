package protocol

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/memory"
)

// A long text goes out as a short one does: behind a head or none, failed or not.
func TestLongOneText(t *testing.T) {
	text := strings.Repeat("a \"text\" of its own, é\n", 300)
	for _, head := range []string{"", `{"resultType":"complete"`} {
		for _, failed := range []bool{false, true} {
			r := newTextResult(text, failed)
			want := headed(r.AppendJSON([]byte(head)), head)
			got, err := encodeToolResult(r, head)
			if err != nil || got.Body != want || got.Info.Failed != failed || !got.Common || got.Headed != (head != "") {
				t.Errorf("head %q, failed %v: %v %+v", head, failed, err, got)
			}
		}
	}
}

// The text of a large result is copied once into what goes out.
func TestCostOfLongOneText(t *testing.T) {
	r := newTextResult(strings.Repeat("0123456789abcdef", 16<<10), false)
	if n := memory.Allocated(func() { _, _ = encodeToolResult(r, "") }); n > 290<<10 {
		t.Errorf("%d bytes for a result of 256 KB", n)
	}
}
