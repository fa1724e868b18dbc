package attempt

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Limits that are numbers hold exactly: one below, at, and one above.
func TestExactly(t *testing.T) {
	for n, want := range map[int]bool{254: true, 255: true, 256: false} {
		if got := isMIME("a/" + strings.Repeat("b", n-2)); got != want {
			t.Errorf("a MIME type of %d bytes: %v", n, got)
		}
	}
	for s, want := range map[string]bool{
		"a/b": true, "a/b; c=d": true, "a/b \t;x\ty": true, "a/b;\x1f": false, "a/b;\x7f": false, "a/b;~ ": true, "a/": false, "/b": false, "a": false,
		"a/b/c": false, "0/9": true, "a/:": false, "A/Z": true, "a/[": false, "a/@": false, "z/{": false, "z/z": true, "a/`": true,
	} {
		if got := isMIME(s); got != want {
			t.Errorf("isMIME(%q) is %v", s, got)
		}
	}
	for n, want := range map[int]int{1023: 1023, 1024: 1024, 1025: 1024} {
		if got := len(clip(strings.Repeat("r", n))); got != want {
			t.Errorf("of a reason of %d bytes %d are left, want %d", n, got, want)
		}
	}
	set := KindsOf(0, 31)
	for kind, want := range map[toolerror.Kind]bool{0: true, 1: false, 30: false, 31: true, 32: false, 63: false} {
		if set.has(kind) != want {
			t.Errorf("kind %d is in the set: %v", kind, !want)
		}
	}
	limits := Limits{Blocks: 2, BlockBytes: 10, Bytes: 15, Depth: 3}
	text := func(sizes ...int) (r protocol.CallToolResult) {
		for _, n := range sizes {
			r.Content = append(r.Content, protocol.Content{Type: protocol.ContentText, Text: strings.Repeat("x", n)})
		}
		return r
	}
	structured := func(n, meta int, sizes ...int) protocol.CallToolResult {
		r := text(sizes...)
		r.StructuredContent = protocol.Raw(`"` + strings.Repeat("s", n-2) + `"`)
		if meta > 0 {
			r.Meta = protocol.Meta(`"` + strings.Repeat("m", meta-2) + `"`)
		}
		return r
	}
	for name, tt := range map[string]struct {
		r    protocol.CallToolResult
		want string
	}{
		"blocks":            {text(1, 1), ""},
		"a block more":      {text(1, 1, 1), "3 blocks, Limits.Blocks is 2"},
		"a block":           {text(10), ""},
		"a longer block":    {text(11), "11 bytes in a block, Limits.BlockBytes is 10"},
		"bytes":             {text(10, 5), ""},
		"a byte more":       {text(10, 6), "16 bytes and more, Limits.Bytes is 15"},
		"structured":        {structured(10, 0), ""},
		"structured more":   {structured(11, 0), "11 bytes of structured content, Limits.BlockBytes is 10"},
		"meta more":         {structured(2, 11), "11 bytes of structured content, Limits.BlockBytes is 10"},
		"all together":      {structured(4, 3, 8), ""},
		"all together more": {structured(4, 4, 8), "16 bytes, Limits.Bytes is 15"},
		"depth":             {protocol.CallToolResult{StructuredContent: `[[[1]]]`}, ""},
		"a level more":      {protocol.CallToolResult{StructuredContent: `[[[[]]]]`}, "nested too deep, Limits.Depth is 3"},
	} {
		if got := limits.exceeded(&tt.r); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
