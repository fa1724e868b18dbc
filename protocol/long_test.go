package protocol

import (
	"strings"
	"testing"
)

// A long text goes out as a short one does: behind a head or none, failed or not.
func TestLongOneText(t *testing.T) {
	text := strings.Repeat("a \"text\" of its own, é\n", 300)
	for _, head := range []string{"", `{"resultType":"complete"`} {
		for _, failed := range []bool{false, true} {
			r := newTextResult(text, failed)
			want := headed(r.AppendJSON([]byte(head)), head)
			var got Encoded
			err := encodeToolResult(r, head, &got)
			if err != nil || got.Body != want || got.Info.Failed != failed || !got.Common || got.Headed != (head != "") {
				t.Errorf("head %q, failed %v: %v %+v", head, failed, err, got)
			}
		}
	}
}
