package client_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// retrying is a session whose client goes to pages, with what has become ready.
type retrying struct {
	t     *testing.T
	s     client.State
	r     client.Retries
	ready []client.Req
}

func newRetrying(t *testing.T, revision protocol.Revision) *retrying {
	t.Helper()
	s, err := client.New(client.Config{
		Info:  protocol.Implementation{Name: "c", Version: "1"},
		Serve: []string{"elicitation/create"}, Declare: protocol.CapElicitationURL,
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	x := &retrying{t: t, s: s}
	x.s, _, _ = x.s.Initialize(t0)
	x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, revision))
	return x
}

func (x *retrying) take(out client.Output) {
	for _, ev := range out.Events {
		var ready []client.Req
		x.r, ready = x.r.Take(ev)
		x.ready = append(x.ready, ready...)
	}
}

func (x *retrying) receive(line string) {
	x.t.Helper()
	var out client.Output
	x.s, out = x.s.Receive(t0, jsonrpc.DecodeString(line))
	x.take(out)
	if err := x.s.Check(); err != nil {
		x.t.Error(err)
	}
}

// call makes a request that is refused for pages of these ids.
func (x *retrying) call(ids ...string) client.Req {
	x.t.Helper()
	next, out, err := x.s.Request(t0, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
	if err != nil {
		x.t.Fatal(err)
	}
	x.s = next
	var list []protocol.ElicitParams
	for _, id := range ids {
		list = append(list, protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://a.example/", ElicitationID: id})
	}
	e := protocol.URLElicitationRequired(list...)
	x.receive(string(jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindError, ID: out.Send[0].Message.ID, Err: &e})))
	return out.Req
}

func (x *retrying) done(id string) {
	x.t.Helper()
	x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":%q}}`, id))
}

// readyNow wants exactly these to have become ready since it was last asked.
func (x *retrying) readyNow(what string, want ...client.Req) {
	x.t.Helper()
	if !slices.Equal(x.ready, want) {
		x.t.Errorf("%s: ready are %v, want %v", what, x.ready, want)
	}
	x.ready = nil
}

// A request can be made again when all of its pages are done with, in whatever order, and
// that is said once.
//
// rows: ELIC-115
// revisions: 2025-11-25..
func TestRetriesWaitForAllPages(t *testing.T) {
	x := newRetrying(t, protocol.Revision20251125)
	a, b := x.call("1", "2", "1"), x.call("2", "3")
	x.readyNow("nothing is done")
	x.done("2")
	x.readyNow("of each one is left")
	if diff := cmp.Diff([]string{"1"}, x.r.Waiting(a)); diff != "" {
		t.Error(diff)
	}
	x.done("4")
	x.done("2")
	x.readyNow("an unknown one, and one again")
	before := x.r
	x.done("3")
	x.readyNow("the second comes first", b)
	x.done("1")
	x.readyNow("then the first", a)
	if x.r.Waiting(a) != nil || x.r.Waiting(b) != nil {
		t.Error("something waits that is ready")
	}
	if diff := cmp.Diff([]string{"1"}, before.Waiting(a)); diff != "" {
		t.Errorf("a value was changed: %s", diff)
	}

	c, d := x.call("5"), x.call("5")
	x.done("5")
	x.readyNow("one page of two requests", c, d)
	if _, _, err := x.s.Request(t0, protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
		t.Error(err)
	}
}

// Whoever will not wait drops the request; it can be made again all the same. What ends
// the session ends the waiting.
//
// rows: ELIC-116
// revisions: 2025-11-25..
func TestRetriesAreDropped(t *testing.T) {
	x := newRetrying(t, protocol.Revision20251125)
	a, b := x.call("1"), x.call("1", "2")
	before := x.r
	x.r = x.r.Drop(a).Drop(a).Drop(client.Req{})
	if x.r.Waiting(a) != nil || before.Waiting(a) == nil {
		t.Error("what was dropped waits, or the value before has changed")
	}
	if _, _, err := x.s.Request(t0, protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
		t.Errorf("made again without waiting: %v", err)
	}
	x.done("1")
	x.readyNow("dropped")
	if diff := cmp.Diff([]string{"2"}, x.r.Waiting(b)); diff != "" {
		t.Error(diff)
	}
	next, out := x.s.Disconnected(t0, nil)
	x.s = next
	x.take(out)
	if x.r.Waiting(b) != nil {
		t.Error("something waits after the end")
	}
}

// There is a limit, which what was done with or dropped makes room in.
//
// rows: ELIC-116
// revisions: 2025-11-25..
func TestRetriesAreBounded(t *testing.T) {
	x := newRetrying(t, protocol.Revision20251125)
	x.r.MaxIDs = 3
	a := x.call("1", "2")
	if b := x.call("3", "4"); x.r.Waiting(b) != nil {
		t.Error("one too many waits")
	}
	c := x.call("3")
	if d := x.call("5"); x.r.Waiting(c) == nil || x.r.Waiting(d) != nil {
		t.Error("the last place is not taken, or taken twice")
	}
	x.done("1")
	e := x.call("6")
	x.r = x.r.Drop(a)
	f := x.call("7")
	if x.r.Waiting(e) == nil || x.r.Waiting(f) == nil || x.r.MaxIDs != 3 {
		t.Error("there is no room for what went")
	}
	if g := x.call("8"); x.r.Waiting(g) != nil {
		t.Error("one too many waits")
	}

	y := newRetrying(t, protocol.Revision20251125)
	if long := y.call(strings.Repeat("x", 4<<10+1)); y.r.Waiting(long) != nil {
		t.Error("a long id is kept")
	}
	for range 1000 {
		y.call("1")
	}
	if over := y.call("1"); y.r.Waiting(over) != nil {
		t.Error("there is no limit by default")
	}
}

// Other errors, and those of which nothing can be waited for, are none of its business.
func TestRetriesLeaveOthersAlone(t *testing.T) {
	x := newRetrying(t, protocol.Revision20251125)
	old := newRetrying(t, protocol.Revision20250618)
	if req := old.call("1"); old.r.Waiting(req) != nil {
		t.Error("an older session has such an error")
	}
	none := x.call()
	x.readyNow("no pages", []client.Req{}...)
	if x.r.Waiting(none) != nil {
		t.Error("a request waits for nothing")
	}
	for _, e := range []string{`{"code":-32042,"message":"m"}`, `{"code":-32041,"message":"m","data":{"elicitations":[{"mode":"url","message":"m","url":"a:b","elicitationId":"1"}]}}`} {
		next, out, err := x.s.Request(t0, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x.s = next
		x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":%s}`, out.Req.Seq(), e))
		if x.r.Waiting(out.Req) != nil {
			t.Errorf("%s: waits", e)
		}
	}
	r, ready := x.r.Take(client.Event{Kind: lifecycle.NotificationReceived, Method: protocol.MethodElicitationComplete, Body: "5"})
	if ready != nil || r.Waiting(none) != nil {
		t.Error("a body that is none")
	}
}

// A call that needs a page first is made again when the server says that the page is done
// with.
func ExampleRetries() {
	now := time.Unix(1, 0)
	s, err := client.New(client.Config{
		Info:  protocol.Implementation{Name: "example", Version: "1.0.0"},
		Serve: []string{"elicitation/create"}, Declare: protocol.CapElicitationURL,
	}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	var retries client.Retries
	calls := map[client.Req]protocol.CallToolParams{} // what was asked for
	call := func(p protocol.CallToolParams) {
		var out client.Output
		if s, out, err = s.Request(now, p, client.RequestOptions{}); err != nil {
			fmt.Println(err)
			return
		}
		calls[out.Req] = p
		fmt.Println("calling", p.Name)
	}
	receive := func(line string) {
		var out client.Output
		s, out = s.Receive(now, jsonrpc.DecodeString(line))
		for _, ev := range out.Events {
			var ready []client.Req
			retries, ready = retries.Take(ev)
			for _, id := range retries.Waiting(ev.Req) {
				fmt.Println("first comes", id)
			}
			for _, req := range ready {
				call(calls[req])
			}
		}
	}
	s, _, _ = s.Initialize(now)
	receive(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	call(protocol.CallToolParams{Name: "upload"})
	receive(`{"jsonrpc":"2.0","id":2,"error":{"code":-32042,"message":"sign in","data":{"elicitations":[
		{"mode":"url","message":"Sign in, please.","url":"https://files.example/in","elicitationId":"sign-in-1"}]}}}`)
	receive(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"sign-in-1"}}`)
	// Output:
	// calling upload
	// first comes sign-in-1
	// calling upload
}
