package client_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

var t0 = time.Unix(1000, 0)

func ready(t *testing.T) client.State {
	t.Helper()
	return open(t, client.Config{}, `{"tools":{"listChanged":true},"resources":{},"prompts":{},"completions":{},"logging":{}}`)
}

// listing serves pages to a Pager and returns what it asked for and got.
func listing(t *testing.T, s client.State, p client.Pager, pages ...string) (cursors []string, items []jsonrpc.Raw, end client.Pager, err error) {
	t.Helper()
	for _, page := range pages {
		if p.Done() {
			break
		}
		var out client.Output
		p, s, out, err = p.Next(s, t0, client.RequestOptions{})
		if err != nil {
			return cursors, items, p, err
		}
		m := plain(out).Send[0].Message
		cursors = append(cursors, string(m.Body))
		s, out = s.Receive(t0, said(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, m.ID, page)))
		for _, ev := range out.Events {
			next, got, mine, failure := p.Page(ev)
			if mine {
				p, items, err = next, append(items, got...), failure
			}
		}
		if err != nil {
			return cursors, items, p, err
		}
	}
	return cursors, items, p, nil
}

const item = `{"name":"a","inputSchema":{"type":"object"}}`

// rows: PAGE-004 PAGE-005 PAGE-006 PAGE-007 PAGE-008 PAGE-009 PAGE-011 PAGE-012 PAGE-201 PROMPT-017
func TestPagerCollects(t *testing.T) { anywhere(t, pagerCollects) }

func pagerCollects(t *testing.T) {
	s := ready(t)
	p, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	three := item + "," + item + "," + item
	cursors, items, p, err := listing(t, s, p,
		`{"tools":[`+three+`],"nextCursor":"2"}`, `{"tools":[],"nextCursor":"1"}`, `{"tools":[`+item+`],"nextCursor":""}`,
		`{"tools":[`+item+`],"nextCursor":"a/b+c==\u0000é"}`, `{"tools":[`+item+`]}`)
	if err != nil || len(items) != 6 || !p.Done() || string(items[0]) != item {
		t.Fatal(len(items), p.Done(), err)
	}
	want := []string{"", `{"cursor":"2"}`, `{"cursor":"1"}`, `{"cursor":""}`, `{"cursor":"a/b+c==\u0000é"}`}
	if fmt.Sprint(cursors) != fmt.Sprint(want) {
		t.Errorf("asked with %q", cursors)
	}
	if _, items, _, err := listing(t, s, mustPager(t, "prompts/list"), `{"prompts":[{"name":"a"}]}`); err != nil || len(items) != 1 {
		t.Error(items, err)
	}
}

func mustPager(t *testing.T, method string) client.Pager {
	t.Helper()
	p, err := client.NewPager(method)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rows: PAGE-003 PAGE-012
func TestPagerGuards(t *testing.T) { anywhere(t, pagerGuards) }

func pagerGuards(t *testing.T) {
	s := ready(t)
	loop := `{"tools":[],"nextCursor":"x"}`
	if _, _, p, err := listing(t, s, mustPager(t, "tools/list"), loop, loop, loop); !errors.Is(err, client.ErrRepeat) || !p.Done() {
		t.Error(err)
	}
	p := mustPager(t, "tools/list")
	p.MaxPages = 2
	if _, _, _, err := listing(t, s, p, `{"tools":[],"nextCursor":"1"}`, `{"tools":[],"nextCursor":"2"}`, `{"tools":[]}`); !errors.Is(err, lifecycle.ErrLimit) {
		t.Error(err)
	}
	p = mustPager(t, "tools/list")
	p.MaxItems = 1
	if _, _, _, err := listing(t, s, p, `{"tools":[`+item+`,`+item+`],"nextCursor":"1"}`, loop); !errors.Is(err, lifecycle.ErrLimit) {
		t.Error(err)
	}
	for most, want := range map[int]error{2*(len(item)+64) - 1: lifecycle.ErrLimit, 2 * (len(item) + 64): nil} {
		p = mustPager(t, "tools/list")
		p.MaxBytes = most
		if _, _, _, err := listing(t, s, p, `{"tools":[`+item+`,  `+item+`],"nextCursor":"1"}`, `{"tools":[]}`); !errors.Is(err, want) {
			t.Error(most, err)
		}
	}
	if _, _, p, err := listing(t, s, mustPager(t, "tools/list"), `{"tools":[],"nextCursor":5}`); !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse}) || !p.Done() {
		t.Error(err)
	}
	for _, method := range []string{"tools/call", "roots/list", "nope"} {
		if _, err := client.NewPager(method); !errors.Is(err, lifecycle.ErrParams) {
			t.Error(method, err)
		}
	}
}

// rows: PAGE-010 PAGE-018
func TestPagerBelongsToItsSession(t *testing.T) { anywhere(t, pagerBelongsToItsSession) }

func pagerBelongsToItsSession(t *testing.T) {
	s := ready(t)
	tools, prompts := mustPager(t, "tools/list"), mustPager(t, "prompts/list")
	tools, s1, _, err := tools.Next(s, t0, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	prompts, s2, _, err := prompts.Next(s1, t0, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p, s, out, err := tools.Next(s2, t0, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) || p != tools || s != s2 || !out.IsZero() {
		t.Error("two pages at once:", err)
	}
	s3, out := s2.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"of tools"}}`))
	if _, _, mine, _ := prompts.Page(out.Events[0]); mine {
		t.Error("a page of tools was taken for one of prompts")
	}
	tools, _, mine, err := tools.Page(out.Events[0])
	if !mine || err != nil {
		t.Fatal(mine, err)
	}
	s3, _ = s3.Disconnected(t0, nil)
	s3, err = s3.Reset(t0)
	if err != nil {
		t.Fatal(err)
	}
	if p, s, out, err := tools.Next(s3, t0, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) || p != tools || s != s3 || !out.IsZero() {
		t.Error("a cursor of another session:", err)
	}
}

// One odd item does not cost the list.
//
// rows: TOOL-004
func TestOddItems(t *testing.T) {
	s := ready(t)
	_, items, _, err := listing(t, s, mustPager(t, "tools/list"), `{"tools":[`+item+`,null,{"name":"bad","inputSchema":null},5],"nextCursor":null}`)
	if err != nil || len(items) != 1 || string(items[0]) != item {
		t.Errorf("%q %v", items, err)
	}
}

// retained returns how many bytes what produce returns keeps alive.
func retained(produce func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := produce()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// Of cursors of any size a Pager keeps the last.
func TestPagerKeepsOneCursor(t *testing.T) {
	s := ready(t)
	var pages []string
	for i := range 64 {
		pages = append(pages, fmt.Sprintf(`{"tools":[],"nextCursor":"%s%d"}`, strings.Repeat("x", 60_000), i))
	}
	got := retained(func() any {
		_, _, p, err := listing(t, s, mustPager(t, "tools/list"), pages...)
		if err != nil || p.Done() {
			t.Error(err)
		}
		return p
	})
	if got > 1<<18 {
		t.Errorf("a Pager keeps %d bytes", got)
	}
	runtime.KeepAlive(pages)
}

// However a page ends, the Pager that comes back has the limits that it was given, and has
// taken its answer: no other event is its own.
func TestPagerStaysItself(t *testing.T) {
	long := strings.Repeat("x", 1<<16+1)
	for name, line := range map[string]string{
		"refused": `"error":{"code":1,"message":"m"}`, "unusable": `"result":{"tools":7}`, "more": `"result":{"tools":[],"nextCursor":"b"}`,
		"the end": `"result":{"tools":[]}`, "too much": `"result":{"tools":[` + item + `,` + item + `,` + item + `]}`,
		"a repeat": `"result":{"tools":[],"nextCursor":"a"}`, "too long": `"result":{"tools":[],"nextCursor":"` + long + `"}`,
	} {
		s := ready(t)
		p := mustPager(t, "tools/list")
		p.MaxPages, p.MaxItems, p.MaxBytes = 5, 2, 1<<20
		var ev client.Event
		for i, text := range []string{`"result":{"tools":[],"nextCursor":"a"}`, line} {
			var out client.Output
			var err error
			if p, s, _, err = p.Next(s, t0, client.RequestOptions{}); err != nil {
				t.Fatal(err)
			}
			s, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+2, text)))
			mine := false
			for _, ev = range out.Events {
				if next, _, is, _ := p.Page(ev); is {
					p, mine = next, true
					break
				}
			}
			if !mine {
				t.Fatalf("%s: %+v", name, out.Events)
			}
		}
		if p.MaxPages != 5 || p.MaxItems != 2 || p.MaxBytes != 1<<20 || p.Done() != (name != "more") {
			t.Errorf("%s: %+v, done %v", name, p, p.Done())
		}
		if next, items, mine, err := p.Page(ev); mine || err != nil || items != nil || next != p {
			t.Errorf("%s: its answer counts twice", name)
		}
	}
}
