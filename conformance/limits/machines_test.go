package limits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// list is a JSON array of n items from number i on.
func list(item string, i, n int) string {
	var b strings.Builder
	b.WriteByte('[')
	for k := range n {
		if k > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, item, i+k)
	}
	b.WriteByte(']')
	return b.String()
}

// rootsOf answers roots/list with n roots.
func rootsOf(t *testing.T, s limits.Settings, root string, n int) (full func() any, more func(*testing.T)) {
	x := readyServer(t, s.Limits)
	var r server.Roots
	r, x, out, err := r.Want(x, t0, lifecycle.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id, told := ids(out)[0], false
	return func() any {
			var out lifecycle.Output
			r, x, out = r.Handle(feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":%s}}`, id, list(root, 0, n))))
			told = out.Events[0].Kind == server.RootsRead && out.Events[0].Failure() != nil
			return &r
		}, func(t *testing.T) {
			if kept, fresh := r.List(); !told || len(kept) == n || len(kept) == 0 || !fresh {
				t.Errorf("%d of %d roots are kept, fresh %v, reported %v", len(kept), n, fresh, told)
			}
		}
}

// of it again.
