package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// tools expects the names of the tools in the copy.
func (x *mirroring) tools(names string, fresh bool) {
	x.t.Helper()
	items, f := x.m.Items("tools/list")
	var got []string
	for _, item := range items {
		tool, err := protocol.Decode[protocol.Tool](item)
		if err != nil {
			x.t.Fatal(err)
		}
		got = append(got, tool.Name)
		if found, ok := x.m.Find("tools/list", tool.Name); !ok || found != item {
			x.t.Errorf("%s is found as %q", tool.Name, found)
		}
	}
	if found, ok := x.m.Find("tools/list", "no such tool"); ok || found != "" {
		x.t.Errorf("what is not there is found as %q", found)
	}
	if strings.Join(got, " ") != names || f != fresh {
		x.t.Errorf("tools %q, fresh %v; want %q, %v", got, f, names, fresh)
	}
}

// empty is a page of tools whose next cursor is the empty string.
func empty(id int, names ...string) string {
	return strings.TrimSuffix(page(id, "", names...), `}}`) + `,"nextCursor":""}}`
}

// A server that answers the empty cursor with itself means the end: each item is there
// once, and the fault is reported. The empty cursor alone is a cursor (PAGE-012).
func TestMirrorOfEmptyCursors(t *testing.T) {
	x := mirror(t, "tools/list")
	x.receive(empty(2, "a", "b"))
	x.expect(`tools/list {"cursor":""}`, "")
	x.receive(empty(3, "a", "b"))
	x.expect("", "tools/list failed")
	x.tools("a b", true)
	err := x.out.Events[0].Failure()
	if !errors.Is(err, client.ErrRepeat) || !errors.Is(err, &client.Cause{Kind: lifecycle.CauseInvalidResponse}) || !errors.Is(x.m.Err("tools/list"), client.ErrRepeat) {
		t.Error(err, x.m.Err("tools/list"))
	}
	x.changed("tools") // and so it goes with each listing
	x.receive(empty(4, "c"))
	x.receive(empty(5, "c"))
	x.tools("c", true)

	x.changed("tools")
	x.receive(empty(6, "a"))
	x.receive(page(7, "", "b"))
	x.expect("", "tools/list")
	x.tools("a b", true)
	if x.m.Err("tools/list") != nil {
		t.Error(x.m.Err("tools/list"))
	}

	// A change that was announced meanwhile is read after that end as after any other.
	x.changed("tools")
	x.receive(empty(8, "d"))
	x.changed("tools")
	x.receive(empty(9, "d"))
	x.expect("tools/list", "tools/list failed")
	x.tools("d", false)
}

// What servers do that mean the end by an empty cursor: the list is whole, each item is
// there once, and the fault is reported. Other faults are no end.
func TestMirrorOverEmptyCursors(t *testing.T) {
	refusal := func(id, code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":"cursor"}}`, id, code)
	}
	for name, c := range map[string]struct {
		lines []string
		names string
		whole bool
	}{
		"again at once":           {[]string{empty(2, "a"), empty(3, "a")}, "a", true},
		"refused":                 {[]string{empty(2, "a"), refusal(3, -32602)}, "a", true},
		"refused at the end":      {[]string{page(2, "c", "a"), empty(3, "b"), refusal(4, -32602)}, "a b", true},
		"anew with its cursor":    {[]string{page(2, "c", "a"), empty(3, "b"), page(4, "c", "a")}, "a b", true},
		"anew with other cursors": {[]string{page(2, "c", "a"), empty(3, "b"), page(4, "d", "a"), empty(5, "b")}, "a b", true},
		"another error":           {[]string{empty(2, "a"), refusal(3, -32603)}, "a", false},
		"another cursor refused":  {[]string{empty(2, "a"), page(3, "c", "b"), refusal(4, -32602)}, "a b", false},
		"the first page refused":  {[]string{refusal(2, -32602)}, "", false},
		"another cursor again":    {[]string{empty(2, "a"), page(3, "c", "b"), page(4, "c", "d")}, "a b d", false},
	} {
		x := mirror(t, "tools/list")
		for _, line := range c.lines {
			x.receive(line)
		}
		x.expect("", "tools/list failed")
		x.tools(c.names, c.whole)
		if x.m.Err("tools/list") == nil {
			t.Error(name, "is not reported")
		}
	}
}

// However a listing fails after its first page, what was read until then is there if there
// was nothing before, not fresh and with the error; a list that was read to its end stays
// as it is.
func TestMirrorOfHalfListings(t *testing.T) {
	for name, c := range map[string]struct {
		bound func(*client.Mirror)
		fail  func(x *mirroring, id int)
		want  error
		names string
	}{
		"an error": {fail: func(x *mirroring, id int) {
			x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"m"}}`, id))
		}, names: "p q"},
		"an odd result": {fail: func(x *mirroring, id int) {
			x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":5}}`, id))
		}, want: &client.Cause{Kind: lifecycle.CauseInvalidResponse}, names: "p q"},
		"a repeated cursor": {fail: func(x *mirroring, id int) { x.receive(page(id, "c", "r")) }, want: client.ErrRepeat, names: "p q r"},
		"a long cursor":     {fail: func(x *mirroring, id int) { x.receive(page(id, strings.Repeat("c", 1<<17), "r")) }, want: client.ErrCursor, names: "p q r"},
		"too many pages":    {bound: func(m *client.Mirror) { m.MaxPages = 2 }, fail: func(x *mirroring, id int) { x.receive(page(id, "d", "r")) }, want: client.ErrPages, names: "p q r"},
		"too many items":    {bound: func(m *client.Mirror) { m.MaxItems = 3 }, fail: func(x *mirroring, id int) { x.receive(page(id, "", "r", "s")) }, want: client.ErrPages, names: "p q r"},
		"too many bytes":    {bound: func(m *client.Mirror) { m.MaxBytes = 700 }, fail: func(x *mirroring, id int) { x.receive(page(id, "", "r", strings.Repeat("s", 300))) }, want: client.ErrPages, names: "p q r"},
		"silence":           {fail: func(x *mirroring, _ int) { x.until(time.Hour) }, want: &client.Cause{Kind: lifecycle.CauseTimedOut}, names: "p q"},
		"the end":           {fail: func(x *mirroring, _ int) { x.take(x.s.Disconnected(x.now, nil)) }, want: &client.Cause{Kind: lifecycle.CauseLost}, names: "p q"},
	} {
		for _, before := range []string{"", "a b", "half"} {
			x := mirrorWith(t, func(m *client.Mirror) {
				if m.MinInterval = lifecycle.NoTimeout; c.bound != nil {
					c.bound(m)
				}
			}, "tools/list")
			id, names := 2, c.names
			switch before {
			case "a b":
				x.receive(page(2, "", "a", "b"))
				x.changed("tools")
				id, names = 3, "a b"
			case "half":
				x.receive(page(2, "c", "z"))
				x.receive(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"m"}}`)
				x.tools("z", false)
				x.changed("tools")
				id = 4
			}
			x.receive(page(id, "c", "p", "q"))
			if strings.HasPrefix(before, "a") {
				x.tools("a b", false)
			}
			c.fail(x, id+1)
			x.tools(names, false)
			err := x.m.Err("tools/list")
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s after %q: %v", name, before, err)
			}
			failed := 0
			for _, ev := range x.out.Events {
				if ev.Kind == client.ListRead && ev.Failure() != nil {
					failed++
				}
			}
			if failed != 1 {
				t.Errorf("%s after %q: %+v", name, before, x.out.Events)
			}
		}
	}
}

// A listing that fails with its first page does not take the place of half a list.
func TestMirrorKeepsHalfAList(t *testing.T) {
	x := mirror(t, "tools/list")
	x.receive(page(2, "c", "a"))
	x.receive(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"m"}}`)
	x.changed("tools")
	x.receive(`{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"m"}}`)
	x.tools("a", false)
	x.changed("tools")
	x.receive(page(5, "", "b")) // a whole one does
	x.tools("b", true)
	x.changed("tools")
	x.receive(page(6, "")) // and be it empty
	x.tools("", true)
	x.changed("tools")
	x.receive(page(7, "c", "a")) // which is as good as any other list
	x.receive(`{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"m"}}`)
	x.tools("", false)
}

// The limits are those of their names, also for the last page of a listing.
func TestMirrorLimits(t *testing.T) {
	size := len(`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","title":"a"}}`) + 64
	for _, c := range []struct {
		pages, items, bytes int
		want                error
	}{
		{pages: 2}, {pages: 1, want: client.ErrPages},
		{items: 3}, {items: 2, want: client.ErrPages},
		{bytes: 3 * size}, {bytes: 3*size - 1, want: client.ErrPages},
		{}, {pages: -1, items: -1, bytes: -1}, {pages: -1 << 63, items: -1 << 63, bytes: -1 << 63},
	} {
		x := mirrorWith(t, func(m *client.Mirror) { m.MaxPages, m.MaxItems, m.MaxBytes = c.pages, c.items, c.bytes }, "tools/list")
		x.receive(page(2, "c", "a", "b"))
		x.receive(page(3, "", "c"))
		if err := x.m.Err("tools/list"); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if c.want == nil {
			x.tools("a b c", true)
		} else {
			x.tools("a b", false)
		}
	}
}

// The settings of zero are those that the documentation names.
func TestPagerDefaults(t *testing.T) {
	run := func(pages int, line func(id int) string) (int, error) {
		m, s := follow(t, promptMirror(t), nil)
		for i := range pages {
			m, s, _ = m.Handle(s.Receive(t0, jsonrpc.DecodeString(line(2+i))))
			if err := m.Err("prompts/list"); err != nil {
				items, _ := m.Items("prompts/list")
				return len(items), err
			}
		}
		items, _ := m.Items("prompts/list")
		return len(items), nil
	}
	pages := func(n int) func(int) string {
		return func(id int) string {
			if id-1 == n {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"prompts":[{"name":"%d"}]}}`, id, id)
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"prompts":[{"name":"%d"}],"nextCursor":"%d"}}`, id, id, id)
		}
	}
	items := func(n int) func(int) string {
		return func(id int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"prompts":[%s]}}`, id, strings.Join(prompts(0, n), ","))
		}
	}
	long := strings.Repeat("x", 8<<20-1000)
	bytes := func(n int) func(int) string { // nine pages of one item
		return func(id int) string {
			text, next := long, fmt.Sprintf(`,"nextCursor":"%d"`, id)
			if id == 10 {
				text, next = long[:n-8*len(long)-9*(64+len(`{"name":"10","description":""}`))+8], ""
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"prompts":[{"name":"%d","description":"%s"}]%s}}`, id, id, text, next)
		}
	}
	for _, c := range []struct {
		name  string
		pages int
		line  func(int) string
		items int
		want  error
	}{
		{"1000 pages", 1000, pages(1000), 1000, nil},
		{"1001 pages", 1001, pages(1001), 1000, client.ErrPages},
		{"100,000 items", 1, items(100_000), 100_000, nil},
		{"100,001 items", 1, items(100_001), 100_000, client.ErrPages},
		{"64 MiB", 9, bytes(64 << 20), 9, nil},
		{"64 MiB and a byte", 9, bytes(64<<20 + 1), 8, client.ErrPages},
	} {
		if n, err := run(c.pages, c.line); n != c.items || !errors.Is(err, c.want) {
			t.Errorf("%s: %d items, %v", c.name, n, err)
		}
	}
}

// Two ways on from the same page do not disturb each other, nor what was before.
func TestMirrorBranches(t *testing.T) {
	x := mirror(t, "tools/list")
	x.receive(page(2, "c", "a"))
	x.receive(page(3, "d", "b"))
	trunk := *x
	left, right := trunk, trunk
	left.receive(page(4, "e", "left"))
	right.receive(page(4, "e", "right"))
	twig := left
	left.receive(page(5, "", "a", "leaf"))
	right.receive(page(5, "d", "r"))
	twig.receive(page(5, "", "bud"))
	left.tools("a b left leaf", true)
	right.tools("a b right r", false)
	twig.tools("a b left bud", true)
	trunk.tools("", false)
	trunk.receive(page(4, "", "t"))
	trunk.tools("a b t", true)

	// So it is with a Pager: the cursors of one way are not those of the other.
	s := ready(t)
	p := mustPager(t, "tools/list")
	for i, c := range []struct {
		cursors string
		want    error
	}{{"a b c", nil}, {"a b c d", nil}, {"a c", nil}, {"a b a", client.ErrRepeat}, {"c b a", nil}, {"a b b", client.ErrRepeat}} {
		var pages []string
		for cursor := range strings.FieldsSeq(c.cursors) {
			pages = append(pages, `{"tools":[],"nextCursor":"`+cursor+`"}`)
		}
		if _, _, next, err := listing(t, s, p, pages...); !errors.Is(err, c.want) || next.Done() != (err != nil) {
			t.Error(i, err)
		}
	}
}

// Of items with one key the first counts, within a page and over pages, for each list by
// its own key.
func TestMirrorKeepsItemsOnce(t *testing.T) {
	for list, texts := range map[string][2]string{
		"tools/list":               {"tools", `{"name":"%s","description":"%d","inputSchema":{"type":"object"}}`},
		"prompts/list":             {"prompts", `{"name":"%s","description":"%d"}`},
		"resources/list":           {"resources", `{"uri":"%s","name":"%d"}`},
		"resources/templates/list": {"resourceTemplates", `{"uriTemplate":"%s","name":"%d"}`},
	} {
		x := mirror(t, list)
		n := 0
		text := func(id int, end string, keys ...string) string {
			var items []string
			for _, key := range keys {
				items = append(items, fmt.Sprintf(texts[1], key, n))
				n++
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"%s":[%s]%s}}`, id, texts[0], strings.Join(items, ","), end)
		}
		x.receive(text(2, `,"nextCursor":"c"`, "x:a", "x:b", "x:a"))
		x.receive(text(3, "", "x:b", `x:\u0061`, "x:c"))
		x.expect("", list)
		items, fresh := x.m.Items(list)
		want := fmt.Sprint([]string{fmt.Sprintf(texts[1], "x:a", 0), fmt.Sprintf(texts[1], "x:b", 1), fmt.Sprintf(texts[1], "x:c", 5)})
		if fmt.Sprint(items) != want || !fresh {
			t.Errorf("%s: %s, fresh %v", list, items, fresh)
		}
		if item, ok := x.m.Find(list, "x:a"); !ok || item != items[0] {
			t.Errorf("%s: x:a is %s", list, item)
		}
	}
}
