package client_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// answers are lines of text that a server gives to one listing after another, decoded
// before anything is measured.
func answers(first int, member string, pages ...[]string) (list []jsonrpc.Message) {
	for i, items := range pages {
		next := ""
		if i < len(pages)-1 {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, i)
		}
		list = append(list, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"%s":[%s]%s}}`, first+i, member, strings.Join(items, ","), next)))
	}
	return list
}

// prompts returns n small items.
func prompts(from, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name":"%d"}`, from+i))
	}
	return list
}

// A Pager takes as long for the last page as for the first.
func TestPagerIsLinearInPages(t *testing.T) {
	cost := func(n int) uint64 {
		s := ready(t)
		p := mustPager(t, "prompts/list")
		p.MaxPages = n + 1
		list := answers(2, "prompts", make([][]string, n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, msg := range list {
			var out client.Output
			var err error
			if p, s, _, err = p.Next(s, t0, client.RequestOptions{}); err != nil {
				t.Fatal(err)
			}
			s, out = s.Receive(t0, msg)
			if p, _, _, err = p.Page(out.Events[0]); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if !p.Done() {
			t.Fatal("the listing goes on")
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
	}
	few, many := cost(100), cost(10_000)
	t.Logf("%d and %d bytes a page", few, many)
	if many > 2*few {
		t.Errorf("%d bytes a page with 100 pages, %d with 10,000", few, many)
	}
}

// A cursor of more than 64 KiB is not kept; the items of its page are there.
func TestPagerRefusesLongCursors(t *testing.T) {
	for n, want := range map[int]error{1 << 16: nil, 1<<16 + 1: lifecycle.ErrLimit} {
		s := ready(t)
		_, items, p, err := listing(t, s, mustPager(t, "tools/list"), `{"tools":[`+item+`],"nextCursor":"`+strings.Repeat("c", n)+`"}`)
		if !errors.Is(err, want) || len(items) != 1 || p.Done() != (want != nil) {
			t.Errorf("%d: %v, %d items", n, err, len(items))
		}
	}
}

// A Pager of nothing has ended, and asks for nothing.
func TestPagerOfNothing(t *testing.T) {
	var p client.Pager
	if !p.Done() {
		t.Error("the zero Pager goes on")
	}
	for name, s := range map[string]client.State{"ready": ready(t), "zero": {}} {
		if next, _, out, err := p.Next(s, t0, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) || next != p || !out.IsZero() {
			t.Error(name, err)
		}
	}
	for _, ev := range []client.Event{{}, {Kind: lifecycle.ResponseReceived}, {Kind: lifecycle.RequestFailed}} {
		if next, items, mine, err := p.Page(ev); next != p || items != nil || mine || err != nil {
			t.Errorf("%v: %v %v %v", ev.Kind, items, mine, err)
		}
	}
	if _, err := client.NewPager(""); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	p, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	// What a State refuses does not bind the Pager to it.
	early, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]client.State{"zero": {}, "uninitialized": early} {
		next, _, out, err := p.Next(s, t0, client.RequestOptions{})
		if !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || next != p {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, out, err := p.Next(ready(t), t0, client.RequestOptions{}); err != nil || len(out.Send) != 1 {
		t.Error(err)
	}
}

// Two ways on from the same page do not disturb each other: the cursors of one are not those of the
// other.
func TestPagerBranches(t *testing.T) {
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

// tools are a page of tools, with a cursor or "-" for none.
func tools(cursor string, names ...string) string {
	for i, n := range names {
		names[i] = `{"name":"` + n + `","inputSchema":{"type":"object"}}`
	}
	if cursor != "-" {
		cursor = `,"nextCursor":"` + cursor + `"`
	} else {
		cursor = ""
	}
	return `"result":{"tools":[` + strings.Join(names, ",") + `]` + cursor + `}`
}

// What servers do that mean the end by an empty cursor: the list is whole, and the fault is reported.
// Other faults are no end. The empty cursor alone is a cursor (PAGE-012).
func TestPagerWhole(t *testing.T) {
	refusal := func(code int) string { return fmt.Sprintf(`"error":{"code":%d,"message":"cursor"}`, code) }
	for name, c := range map[string]struct {
		lines []string
		whole bool
		err   bool
	}{
		"one page":                {[]string{tools("-", "a")}, true, false},
		"an empty cursor":         {[]string{tools("", "a"), tools("-", "b")}, true, false},
		"again at once":           {[]string{tools("", "a"), tools("", "a")}, true, true},
		"refused":                 {[]string{tools("", "a"), refusal(-32602)}, true, true},
		"refused at the end":      {[]string{tools("c", "a"), tools("", "b"), refusal(-32602)}, true, true},
		"anew with its cursor":    {[]string{tools("c", "a"), tools("", "b"), tools("c", "a")}, true, true},
		"anew with other cursors": {[]string{tools("c", "a"), tools("", "b"), tools("d", "a"), tools("", "b")}, true, true},
		"another error":           {[]string{tools("", "a"), refusal(-32603)}, false, true},
		"another cursor refused":  {[]string{tools("", "a"), tools("c", "b"), refusal(-32602)}, false, true},
		"the first page refused":  {[]string{refusal(-32602)}, false, true},
		"another cursor again":    {[]string{tools("", "a"), tools("c", "b"), tools("c", "d")}, false, true},
		"a cursor of its own":     {[]string{tools("c", "a"), tools("c", "b")}, false, true},
	} {
		s, p := ready(t), mustPager(t, "tools/list")
		var err error
		for i, line := range c.lines {
			if err != nil || p.Whole() {
				t.Errorf("%s: it ends with page %d: %v", name, i, err)
			}
			var out client.Output
			if p, s, out, err = p.Next(s, t0, client.RequestOptions{}); err != nil {
				t.Fatal(name, err)
			}
			s, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,%s}`, out.Send[0].Message.ID, line)))
			p, _, _, err = p.Page(out.Events[0])
		}
		if p.Whole() != c.whole || (err != nil) != c.err || !p.Done() {
			t.Errorf("%s: whole %v, done %v, %v", name, p.Whole(), p.Done(), err)
		}
	}
}

// The settings of zero are those that the documentation names, and limits are exact.
func TestPagerDefaults(t *testing.T) {
	pages := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(`{"prompts":[{"name":"%d"}],"nextCursor":"%d"}`, i, i))
		}
		return append(list, `{"prompts":[]}`)
	}
	items := func(n int) []string { return []string{`{"prompts":[` + strings.Join(prompts(0, n), ",") + `]}`} }
	long := strings.Repeat("x", 8<<20-1000)
	bytes := func(n int) (list []string) { // nine pages of one item
		for i := range 9 {
			text, next := long, fmt.Sprintf(`,"nextCursor":"%d"`, i)
			if i == 8 {
				text, next = long[:n-8*len(long)-9*(64+len(`{"name":"1","description":""}`))], ""
			}
			list = append(list, fmt.Sprintf(`{"prompts":[{"name":"%d","description":"%s"}]%s}`, i, text, next))
		}
		return list
	}
	for _, c := range []struct {
		name  string
		set   client.Pager
		pages []string
		items int
		want  error
	}{
		{"1000 pages", client.Pager{}, pages(999), 999, nil},
		{"1001 pages", client.Pager{}, pages(1000), 1000, lifecycle.ErrLimit},
		{"100,000 items", client.Pager{}, items(100_000), 100_000, nil},
		{"100,001 items", client.Pager{}, items(100_001), 100_000, lifecycle.ErrLimit},
		{"64 MiB", client.Pager{}, bytes(64 << 20), 9, nil},
		{"64 MiB and a byte", client.Pager{}, bytes(64<<20 + 1), 8, lifecycle.ErrLimit},
		{"no limits", client.Pager{MaxPages: -1, MaxItems: math.MinInt, MaxBytes: -1}, items(1000), 1000, nil},
		{"two pages", client.Pager{MaxPages: 2}, pages(1), 1, nil},
		{"three pages", client.Pager{MaxPages: 2}, pages(2), 2, lifecycle.ErrLimit},
		{"two items", client.Pager{MaxItems: 2}, items(2), 2, nil},
		{"three items", client.Pager{MaxItems: 2}, items(3), 2, lifecycle.ErrLimit},
	} {
		p := mustPager(t, "prompts/list")
		p.MaxPages, p.MaxItems, p.MaxBytes = c.set.MaxPages, c.set.MaxItems, c.set.MaxBytes
		if _, list, _, err := listing(t, ready(t), p, c.pages...); len(list) != c.items || !errors.Is(err, c.want) {
			t.Errorf("%s: %d items, %v", c.name, len(list), err)
		}
	}
}
