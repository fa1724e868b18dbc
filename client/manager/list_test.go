package manager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// list reads a list that a server gives page by page.
func (r *rig) list(method string, b manager.Budget, pages ...string) (manager.Event, int) {
	r.t.Helper()
	op := r.do(r.m.List(r.now, "a", method, b)).Op
	for i, page := range pages {
		out := r.answer("a", page)
		if ev, n := ended(out, op); n > 0 {
			return ev, i + 1
		}
	}
	return manager.Event{}, len(pages)
}

func page(items int, cursor string) string {
	var list []string
	for i := range items {
		list = append(list, fmt.Sprintf(`{"name":"%s%d","inputSchema":{"type":"object"}}`, cursor, i))
	}
	next := ""
	if cursor != "" {
		next = fmt.Sprintf(`,"nextCursor":"%s"`, strings.TrimPrefix(cursor, "-"))
	}
	return `"result":{"tools":[` + strings.Join(list, ",") + `]` + next + `}`
}

// Rows B8, B9: all pages, in order, of every list; empty pages do not end it; cursors go back
// byte for byte.
func TestList(t *testing.T) {
	r := one(t, manager.Options{})
	ev, _ := r.list("tools/list", manager.Budget{}, page(2, "x"), page(0, "y"), page(1, ""))
	if ev.Err != nil || len(ev.Items) != 3 || ev.Items[2] != `{"name":"0","inputSchema":{"type":"object"}}` || ev.Method != "tools/list" {
		t.Errorf("%+v", ev)
	}
	for method, member := range map[string]string{
		"resources/list": `"resources":[{"uri":"a:b","name":"n"}]`, "prompts/list": `"prompts":[{"name":"n"}]`,
		"resources/templates/list": `"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n"}]`,
	} {
		ev, n := r.list(method, manager.Budget{}, `"result":{`+member+`,"nextCursor":"2"}`, `"result":{`+member+`}`)
		if ev.Err != nil || len(ev.Items) != 2 || n != 2 {
			t.Errorf("%s: %+v", method, ev)
		}
	}
	if _, _, err := r.m.List(r.now, "a", "tools/call", manager.Budget{}); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	if _, _, err := r.m.List(r.now, "a", "tools/list", manager.Budget{Items: -1}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}

// Row B8: one budget over all pages: pages, items, bytes, time; and a cursor that comes again.
func TestListBudget(t *testing.T) {
	r := one(t, manager.Options{})
	for _, tt := range []struct {
		name   string
		budget manager.Budget
		pages  []string
		items  int
		err    error
	}{
		{"pages", manager.Budget{Pages: 2}, []string{page(1, "x"), page(1, "y")}, 2, lifecycle.ErrLimit},
		{"items", manager.Budget{Items: 3}, []string{page(2, "x"), page(2, "")}, 3, lifecycle.ErrLimit},
		{"bytes", manager.Budget{Bytes: 250}, []string{page(2, "x"), page(2, "")}, 2, lifecycle.ErrLimit},
		{"a cursor again", manager.Budget{}, []string{page(1, "x"), page(1, "x")}, 2, client.ErrRepeat},
		{"a long cursor", manager.Budget{}, []string{page(1, strings.Repeat("x", 70_000))}, 1, lifecycle.ErrLimit},
	} {
		ev, n := r.list("tools/list", tt.budget, tt.pages...)
		if !errors.Is(ev.Err, tt.err) || len(ev.Items) != tt.items || n != len(tt.pages) {
			t.Errorf("%s: %d items after %d pages, %v", tt.name, len(ev.Items), n, ev.Err)
		}
		class(t, ev.Err, manager.ClassProtocol)
	}
	// An error of the server at the second page.
	ev, _ := r.list("tools/list", manager.Budget{}, page(1, "x"), `"error":{"code":-32603,"message":"no"}`)
	if e := class(t, ev.Err, manager.ClassProtocol); e.Code != -32603 || len(ev.Items) != 1 {
		t.Errorf("%+v", ev)
	}
	// The time of all pages together is that of ten requests, unless Total says otherwise: a list of forty pages
	// comes, though each takes seven seconds.
	r.sleep(2 * time.Minute) // it is stable
	start := r.now
	op := r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{})).Op
	for i := range 40 {
		r.sleep(7 * time.Second)
		r.answer("a", page(1, fmt.Sprint(i)))
	}
	r.sleep(20*time.Second - 1)
	if r.m.Pending() != 1 {
		t.Fatal("ended too early")
	}
	r.sleep(1)
	ev = done(t, r.out, op)
	class(t, ev.Err, manager.ClassTimeout)
	if r.now.Sub(start) != 5*time.Minute || len(ev.Items) != 40 {
		t.Errorf("%d items after %v", len(ev.Items), r.now.Sub(start))
	}
	// A page that comes at the deadline still counts, and no other is asked for.
	op = r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{Total: time.Second})).Op
	r.now = r.now.Add(time.Second)
	out := r.answer("a", page(1, "x"))
	ev = done(t, out, op)
	class(t, ev.Err, manager.ClassTimeout)
	if len(ev.Items) != 1 || len(sent(out, "a")) != 0 {
		t.Errorf("%s", render(out, t0))
	}
	// A question that is open does not hold it up.
	asked, _ := asking(t)
	op = asked.do(asked.m.List(asked.now, "a", "tools/list", manager.Budget{})).Op
	asked.sleep(5 * time.Minute)
	class(t, done(t, asked.out, op).Err, manager.ClassTimeout)
	// Without a time.
	op = r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{Total: lifecycle.NoTimeout})).Op
	r.sleep(100 * time.Hour)
	if _, n := ended(r.all, op); n != 0 {
		t.Error("ended")
	}
	// As long as a request without one.
	r = one(t, manager.Options{Timeouts: manager.Timeouts{Request: lifecycle.NoTimeout}})
	op = r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{})).Op
	r.sleep(100 * time.Hour)
	if _, n := ended(r.all, op); n != 0 {
		t.Error("ended")
	}
}

// A server that writes an empty cursor for the end has a whole list, whether it then begins
// anew or refuses the cursor.
func TestListEmptyCursor(t *testing.T) {
	r := one(t, manager.Options{})
	empty := `"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}],"nextCursor":""}`
	for _, second := range []string{empty, `"error":{"code":-32602,"message":"bad cursor"}`} {
		ev, n := r.list("tools/list", manager.Budget{}, empty, second)
		if ev.Err != nil || len(ev.Items) != 1 || n != 2 {
			t.Errorf("%s: %+v", second, ev)
		}
	}
	ev, _ := r.list("tools/list", manager.Budget{}, page(1, "x"), `"error":{"code":-32602,"message":"bad cursor"}`)
	class(t, ev.Err, manager.ClassProtocol)
	// The second page cannot be asked for: the table is full.
	cfg := config()
	cfg.Client.Limits.Outbound = 2
	r = newRig(t, cfg)
	r.connect("a", manager.Options{})
	op := r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{})).Op
	id := lastID(t, r.out)
	r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}))
	if _, _, err := r.m.List(r.now, "a", "tools/list", manager.Budget{}); !errors.Is(err, lifecycle.ErrLimit) {
		t.Fatal(err)
	}
	out := r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, page(1, "x")))
	if _, n := ended(out, op); n != 0 {
		t.Error("the place of the page before is not free")
	}
}
