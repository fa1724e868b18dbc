package rawjson_test

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// What has its zero value is left out, and what follows something is separated from it.
func TestWriter(t *testing.T) {
	w := rawjson.Writer{Dst: []byte{'{'}}
	w.Text("a", "")
	w.Raw("b", "")
	w.Number("c", 0)
	w.Flag("d", false)
	if got := string(w.Dst); got != "{" {
		t.Error(got)
	}
	w.Text("a", `"x"`)
	w.Raw("b", "[1]")
	w.Number("c", 1<<64-1)
	w.Flag("d", true)
	w.Name("e")
	w.Dst = append(w.Dst, '[')
	for range 2 {
		w.Separate()
		w.Dst = append(w.Dst, "{}"...)
	}
	w.Dst = append(w.Dst, "]}"...)
	if got := string(w.Dst); got != `{"a":"\"x\"","b":[1],"c":18446744073709551615,"d":true,"e":[{},{}]}` {
		t.Error(got)
	}
}
