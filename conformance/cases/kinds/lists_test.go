package kinds_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
)

// paged is a Pager and the State that it belongs to, as one machine.
type paged struct {
	p client.Pager
	s client.State
}

func (x paged) Snapshot() []byte                { return x.p.AppendJSON(nil) }
func (x paged) NextDeadline() (time.Time, bool) { return x.s.NextDeadline() }

// Check reports a Pager that is not done and asks for several pages.
func (x paged) Check() error {
	p, s, out, err := x.p.Next(x.s, verbs.Epoch, minute)
	if err != nil && len(out.Send) > 0 || err == nil && (x.p.Done() || len(out.Send) > 1) {
		return fmt.Errorf("done %v, %d requests, %w", x.p.Done(), len(out.Send), err)
	}
	if _, _, out, _ := p.Next(s, verbs.Epoch, minute); err == nil && len(out.Send) > 0 {
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
	x, _, _ := used(verbs.NewClient(t, clientConfig()), `{"tools":{}}`)
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
