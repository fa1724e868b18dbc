package client_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
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

// follow folds a Mirror of the prompts over answers.
func follow(t *testing.T, m client.Mirror, list []jsonrpc.Message) (client.Mirror, client.State) {
	t.Helper()
	m, s, _ := m.Handle(ready(t), client.Output{})
	for _, msg := range list {
		m, s, _ = m.Handle(s.Receive(t0, msg))
	}
	return m, s
}

func promptMirror(t *testing.T) client.Mirror {
	t.Helper()
	m, err := client.NewMirror("prompts/list")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A page costs what it holds, however much was read before it. What the State itself takes
// to check the pages is not counted.
func TestMirrorIsLinearInPages(t *testing.T) {
	pages := [][]string{prompts(0, 90_000)}
	for i := range 999 {
		pages = append(pages, prompts(90_000+i, 1))
	}
	m, s := follow(t, promptMirror(t), nil)
	var total uint64
	var before, after runtime.MemStats
	for _, msg := range answers(2, "prompts", pages...) {
		next, out := s.Receive(t0, msg)
		runtime.ReadMemStats(&before)
		m, s, _ = m.Handle(next, out)
		runtime.ReadMemStats(&after)
		total += after.TotalAlloc - before.TotalAlloc
	}
	if items, fresh := m.Items("prompts/list"); len(items) != 90_999 || !fresh {
		t.Fatalf("%d items, fresh %v, %v", len(items), fresh, m.Err("prompts/list"))
	}
	t.Logf("%d bytes allocated", total)
	if total > 14<<20 {
		t.Errorf("%d bytes allocated", total)
	}
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

// What a list keeps alive is bounded by MaxBytes, whatever its items are like: many small
// ones, few large ones, names that have to be copied, a listing under way beside the copy.
func TestMirrorKeepsLittleMore(t *testing.T) {
	const most = 1 << 20
	escaped := func(i int) string { return fmt.Sprintf(`{"name":"%s%d"}`, strings.Repeat(`\"`, 1000), i) }
	for name, item := range map[string]func(int) string{
		"small": func(i int) string { return fmt.Sprintf(`{"name":"%d"}`, i) },
		"alike": func(int) string { return `{"name":""}` },
		"large": func(i int) string {
			return fmt.Sprintf(`{"name":"%d","description":"%s"}`, i, strings.Repeat("x", 10_000))
		},
		"escaped": escaped,
	} {
		var far []string // far more than is allowed, in one page that is the last
		for len(far)*(len(item(0))+64) < 4*most {
			far = append(far, item(len(far)))
		}
		beyond := answers(2, "prompts", far)
		start := promptMirror(t)
		start.MaxBytes = most
		start, s := follow(t, start, nil)
		got := retained(func() any {
			m, _, _ := start.Handle(s.Receive(t0, beyond[0]))
			if items, fresh := m.Items("prompts/list"); len(items) == 0 || fresh || !errors.Is(m.Err("prompts/list"), client.ErrPages) {
				t.Errorf("%s: %d items, fresh %v, %v", name, len(items), fresh, m.Err("prompts/list"))
			}
			return m
		})
		if got > 3*most {
			t.Errorf("%s: %d bytes are kept of far too many", name, got)
		}
		runtime.KeepAlive(beyond)

		for _, size := range []int{1, 1000, 1 << 20} { // items of a page
			var items []string
			for i, bytes := 0, 0; bytes <= most; i++ {
				items = append(items, item(i))
				bytes += len(items[i]) + 64
			}
			pages := [][]string{}
			for rest := items; len(rest) > 0; {
				n := min(size, len(rest))
				pages, rest = append(pages, rest[:n]), rest[n:]
			}
			if len(pages) > 1000 {
				continue
			}
			// A complete listing at the brim, and another that breaks the limit with its last page.
			pages[len(pages)-1] = pages[len(pages)-1][:len(pages[len(pages)-1])-1]
			whole := answers(2, "prompts", pages...)
			again := answers(2+len(pages), "prompts", append(pages, []string{})...)
			m := promptMirror(t)
			m.MaxBytes, m.MaxPages = most, 1<<20
			m, s := follow(t, m, nil)
			got := retained(func() any {
				m := m
				for _, msg := range whole {
					m, s, _ = m.Handle(s.Receive(t0, msg))
				}
				if _, fresh := m.Items("prompts/list"); !fresh {
					t.Errorf("%s, %d: %v", name, size, m.Err("prompts/list"))
				}
				m, s, _ = m.Invalidate().Handle(s, client.Output{})
				for _, msg := range again[:len(again)-1] {
					m, s, _ = m.Handle(s.Receive(t0, msg))
				}
				if err := m.Err("prompts/list"); err != nil {
					t.Errorf("%s, %d: the second listing is not under way: %v", name, size, err)
				}
				return m
			})
			t.Logf("%s, %d items a page: %d pages, %d items: %.2f x MaxBytes", name, size, len(pages), len(items), float64(got)/most)
			if bound := int64(3*most + 128<<10 + 512*len(pages)); got > bound {
				t.Errorf("%s, %d items a page: %d bytes are kept, more than %d", name, size, got, bound)
			}
			runtime.KeepAlive(whole)
			runtime.KeepAlive(again)
			runtime.KeepAlive(items)
		}
	}
}

// Of a failed listing nothing large is kept.
func TestMirrorKeepsNoFailure(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, text := range map[string]string{
		"message":     `"error":{"code":-32603,"message":"` + long + `"}`,
		"data":        `"error":{"code":-32603,"message":"m","data":"` + long + `"}`,
		"beside":      `"error":{"code":-32603,"message":"m","x":"` + long + `"}`,
		"odd result":  `"result":{"prompts":5,"x":"` + long + `"}`,
		"odd error":   `"error":{"code":"x","message":"` + long + `"}`,
		"odd items":   `"result":{"prompts":{"name":"` + long + `"}}`,
		"odd cursor":  `"result":{"prompts":[],"nextCursor":5,"x":"` + long + `"}`,
		"long cursor": `"result":{"prompts":[],"nextCursor":"` + long + `"}`,
	} {
		m, s := follow(t, promptMirror(t), nil)
		got := retained(func() any {
			m, _, _ := m.Handle(s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,`+text+`}`)))
			if m.Err("prompts/list") == nil {
				t.Error(name, "is no failure")
			}
			return m
		})
		if got > 1<<15 {
			t.Errorf("%s: a Mirror keeps %d bytes", name, got)
		}
	}
}

// A cursor of more than 64 KiB is not kept; the items of its page are there.
func TestPagerRefusesLongCursors(t *testing.T) {
	for n, want := range map[int]error{1 << 16: nil, 1<<16 + 1: client.ErrCursor} {
		s := ready(t)
		_, items, p, err := listing(t, s, mustPager(t, "tools/list"), `{"tools":[`+item+`],"nextCursor":"`+strings.Repeat("c", n)+`"}`)
		if !errors.Is(err, want) || len(items) != 1 || p.Done() != (want != nil) {
			t.Errorf("%d: %v, %d items", n, err, len(items))
		}
	}
}
