package kinds_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
)

// paged is a Pager and the State that it belongs to, as one machine.
type paged struct {
	p client.Pager
	s client.State
}

func (x paged) Snapshot() []byte                { return x.p.AppendJSON(nil) }
func (x paged) NextDeadline() (time.Time, bool) { return x.s.NextDeadline() }

// Check says what is wrong: a Pager that is not done asks for one page at most.
func (x paged) Check() error {
	p, s, out, err := x.p.Next(x.s, session.Epoch, minute)
	if err != nil && len(out.Send) > 0 || err == nil && (x.p.Done() || len(out.Send) > 1) {
		return fmt.Errorf("done %v, %d requests, %w", x.p.Done(), len(out.Send), err)
	}
	if _, _, out, _ := p.Next(s, session.Epoch, minute); err == nil && len(out.Send) > 0 {
		return fmt.Errorf("a second page is asked for: %s", p.AppendJSON(nil))
	}
	return s.Check()
}

func (x paged) Tick(now time.Time) (paged, client.Output) {
	s, out := x.s.Tick(now)
	x.s = s
	for _, ev := range out.Events {
		x.p, _, _, _ = x.p.Page(ev)
	}
	return x, out
}

// page answers the request of a list.
func page(s client.State, now time.Time, out client.Output, list, next string) (client.State, client.Output) {
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%q:[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]%s}}`,
		out.Send[0].Message.ID.Append(nil), list, next)
	return s.Receive(now, jsonrpc.DecodeString(text))
}

// pagedUsed returns a Pager that waits for its third page.
func pagedUsed(t testing.TB) paged {
	x, _, _ := used(session.NewClient(t, clientConfig()), `{"tools":{}}`)
	p, s := must(client.NewPager("tools/list")), x.Client()
	p.MaxPages, p.MaxItems, p.MaxBytes = 10, 100, 10_000
	for i := range 3 {
		var out client.Output
		var err error
		if p, s, out, err = p.Next(s, x.Now, minute); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			s, out = page(s, x.Now, out, "tools", fmt.Sprintf(`,"nextCursor":"c%d"`, i))
			if p, _, _, err = p.Page(out.Events[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return paged{p, s}
}

// A Mirror takes no time, so it is in no row. What comes after it changes nothing of it, and neither does
// what a caller writes into what it handed in or was given.
func TestMirrorAliasing(t *testing.T) {
	x, _, _ := used(session.NewClient(t, clientConfig()), `{"tools":{"listChanged":true},"prompts":{"listChanged":true}}`)
	methods := []string{"tools/list", "prompts/list"}
	m, s, now := must(client.NewMirror(methods...)), x.Client(), x.Now
	type kept struct {
		m     client.Mirror
		image uint64
	}
	var past []kept
	keep := func(what string) {
		t.Helper()
		past = append(past, kept{m, image(m)})
		methods := []string{"tools/list"}
		other := m.Invalidate(methods...)
		was := image(other)
		spoil(reflect.ValueOf(methods))
		for _, of := range []string{"tools/list", "prompts/list"} {
			for _, k := range past { // what Items returns must not be changed; it may be appended to
				items, _ := k.m.Items(of)
				_ = append(items, `"the caller's"`)
			}
		}
		if image(other) != was {
			t.Errorf("%s: Invalidate keeps its argument", what)
		}
		for i, k := range past {
			if image(k.m) != k.image {
				t.Fatalf("%s changes the Mirror of %d steps before", what, len(past)-1-i)
			}
		}
	}
	keep("NewMirror")
	spoil(reflect.ValueOf(methods))
	keep("the caller's methods")
	step := func(what string, out client.Output) client.Output {
		t.Helper()
		m, s, out = m.Handle(s, out)
		keep(what)
		return out
	}
	read := func(next string) {
		t.Helper()
		out := step("a step", client.Output{})
		for len(out.Send) > 0 {
			list := map[string]string{"tools/list": "tools", "prompts/list": "prompts"}[out.Send[0].Message.Method]
			var later client.Output
			s, later = page(s, now, out, list, next)
			later = step("a page", later)
			out.Send = append(out.Send[1:], later.Send...)
			next = ""
		}
	}
	read(`,"nextCursor":"1"`)
	items, fresh := m.Items("tools/list")
	if len(items) == 0 || !fresh {
		t.Fatalf("%d items, fresh %v", len(items), fresh)
	}
	for range 2 {
		now = now.Add(time.Hour)
		var out client.Output
		s, out = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		out = step("an announcement", out)
		for len(out.Send) > 0 {
			s, out = page(s, now, out, "tools", "")
			out = step("a page that was read again", out)
		}
	}
	s, out := s.Disconnected(now, errLost)
	_ = step("the end", out)
}
