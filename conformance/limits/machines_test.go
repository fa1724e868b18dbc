package limits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
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

// mirrorOf reads a list of so many pages of n items each, and then all but the last page
// of it again.
func mirrorOf(t *testing.T, s limits.Settings, item string, n, pages int) (full func() any, more func(*testing.T)) {
	x := readyClient(t, s.Limits)
	m, err := client.NewMirror("prompts/list")
	if err != nil {
		t.Fatal(err)
	}
	m.MaxPages, m.MaxItems, m.MaxBytes = s.Pages, s.Items, s.Listing
	m, x, out := m.Handle(x, lifecycle.Output{})
	asked := ids(out)
	read := func(from, to int, last bool) {
		for i := from; i < to; i++ {
			cursor := fmt.Sprintf(`,"nextCursor":%q`, long(64<<10, i))
			if last && i == to-1 {
				cursor = ""
			}
			if len(asked) != 1 {
				t.Fatalf("page %d is not asked for: %v", i, m.Err("prompts/list"))
			}
			var out lifecycle.Output
			m, x, out = m.Handle(feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":%s%s}}`, asked[0], list(item, i*n, n), cursor)))
			asked = ids(out)
		}
	}
	return func() any {
			read(0, pages, true)
			var out lifecycle.Output
			m, x, out = m.Invalidate().Handle(x, out)
			asked = ids(out)
			read(0, pages-1, false)
			return &m
		}, func(t *testing.T) {
			if kept, _ := m.Items("prompts/list"); len(kept) != n*pages {
				t.Errorf("%d items are kept of %d", len(kept), n*pages)
			}
			for i := pages - 1; len(asked) == 1; i++ {
				if i > 2*s.Pages {
					t.Fatal("the listing does not end")
				}
				read(i, i+1, false)
			}
			if err := m.Err("prompts/list"); err == nil {
				t.Error("the listing goes on beyond its limits")
			}
			if kept, _ := m.Items("prompts/list"); len(kept) != n*pages {
				t.Errorf("%d items are kept of %d after a listing that failed", len(kept), n*pages)
			}
		}
}
