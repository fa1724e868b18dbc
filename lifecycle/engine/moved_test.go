package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// moved returns a Core with two requests of ours, the first of which went out under 1 and
// goes now by 7: made within a call, with progress, and with a timeout of ten seconds.
func moved(t *testing.T, env *engine.Env) (c engine.Core, first, second lifecycle.Req, within lifecycle.Call) {
	t.Helper()
	c = ready(env, protocol.Revision20250618)
	within = enter(t, &c, "1", held)
	var o lifecycle.Output
	for _, opt := range []lifecycle.RequestOptions{{Within: within, Progress: true, Timeout: 10 * time.Second}, {}} {
		if err := c.Send(protocol.ListRootsParams{}, opt, &o); err != nil {
			t.Fatal(err)
		}
	}
	c, err := restored(&c, env, `"last":2`, `"last":9`, `{"id":1,"method":"roots/list"`, `{"id":7,"req":1,"method":"roots/list"`)
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Req(1), c.Req(2), c.Call(within.Seq(), within.Key())
}

// A request of ours keeps its number when it goes out under another wire id. It is named by
// the number here, and by the wire id over there, whatever ends it; and nothing of it is
// left then, so that all that still comes under its ids is late.
func TestMoved(t *testing.T) {
	cancelled := func(reason string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"` + reason + `"}}`
	}
	for _, e := range []struct {
		name, kind, sent string
		end              func(c *engine.Core, req lifecycle.Req, within lifecycle.Call, o *lifecycle.Output)
	}{
		{"result", "response received", "", message(`{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`)},
		{"error", "response received", "", message(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`)},
		{"invalid result", "violation, request failed", "", message(`{"jsonrpc":"2.0","id":7,"result":{}}`)},
		{"invalid envelope", "violation, request failed", "", message(`{"jsonrpc":"2.0","id":7,"result":1}`)},
		{"cancel", "request failed", cancelled("r"), func(c *engine.Core, req lifecycle.Req, _ lifecycle.Call, o *lifecycle.Output) {
			if err := c.Cancel(req, "r", o); err != nil {
				t.Error(err)
			}
		}},
		{"not sent", "request failed", "", func(c *engine.Core, req lifecycle.Req, _ lifecycle.Call, o *lifecycle.Output) {
			c.Unanswered(req, lifecycle.CauseNotSent, nil, o)
		}},
		{"response lost", "request failed", cancelled("the answer is lost"), func(c *engine.Core, req lifecycle.Req, _ lifecycle.Call, o *lifecycle.Output) {
			c.Unanswered(req, lifecycle.CauseResponseLost, nil, o)
		}},
		{"timeout", "request failed", cancelled("timed out"), func(c *engine.Core, _ lifecycle.Req, _ lifecycle.Call, o *lifecycle.Output) {
			c.Clock(origin.Add(10 * time.Second))
			c.Tick(o)
		}},
		{"end of its call", "request lost, request failed", cancelled("the call is over"), func(c *engine.Core, _ lifecycle.Req, within lifecycle.Call, o *lifecycle.Output) {
			c.Abandon(within, o)
		}},
	} {
		t.Run(e.name, func(t *testing.T) {
			env := toolServer()
			c, first, second, within := moved(t, env)
			var o lifecycle.Output
			e.end(&c, first, within, &o)
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			last := o.Events[len(o.Events)-1]
			if kinds(&o) != e.kind || last.Req != first || last.ID != jsonrpc.Int(7) || last.Method != protocol.MethodRootsList {
				t.Errorf("it ends by %s: %+v", kinds(&o), last)
			}
			if sent(&o) != e.sent {
				t.Errorf("%s goes out, want %s", sent(&o), e.sent)
			}
			for info := range c.Outbound() {
				if info.Req != second {
					t.Errorf("%+v is still open", info)
				}
			}
			for _, id := range []int{1, 7} {
				o := receive(t, &c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[]}}`, id))
				if kinds(&o) != "ignored" || o.Events[0].Rule != "JRPC-033" {
					t.Errorf("an answer under %d afterwards: %+v", id, o.Events)
				}
			}
			if text := string(c.Snapshot().Dst); strings.Contains(text, `"id":7`) {
				t.Errorf("something of it is left: %s", text)
			}
			if _, err := restored(&c, env); err != nil {
				t.Errorf("what is left cannot be restored: %v", err)
			}
		})
	}
}

// At the end of a session such a request ends as all others, and leaves nothing either.
func TestMovedEndsWithTheSession(t *testing.T) {
	for name, end := range map[string]func(c *engine.Core, o *lifecycle.Output){
		"input closed": func(c *engine.Core, o *lifecycle.Output) { c.InputClosed(o) },
		"disconnected": func(c *engine.Core, o *lifecycle.Output) { c.Disconnected(nil, o) },
		"abort":        func(c *engine.Core, o *lifecycle.Output) { c.Abort(nil, o) },
		"shutdown":     func(c *engine.Core, o *lifecycle.Output) { c.Shutdown(0, o) },
	} {
		c, first, second, _ := moved(t, toolServer())
		var o lifecycle.Output
		end(&c, &o)
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o.Events = slices.DeleteFunc(o.Events, func(ev lifecycle.Event) bool { return ev.Kind != lifecycle.RequestFailed })
		if len(o.Events) != 2 || o.Events[0].Req != first || o.Events[0].ID != jsonrpc.Int(7) || o.Events[1].Req != second {
			t.Errorf("%s: %+v", name, o.Events)
		}
	}
}

func message(text string) func(*engine.Core, lifecycle.Req, lifecycle.Call, *lifecycle.Output) {
	return func(c *engine.Core, _ lifecycle.Req, _ lifecycle.Call, o *lifecycle.Output) {
		m := jsonrpc.DecodeString(text)
		c.Receive(&m, new(engine.Intake), o)
	}
}

// Of a request that has moved, the earlier id is over: an answer or progress under it is
// late. Progress under the later one is its own, the next request gets a number of its own,
// and a snapshot keeps all that.
func TestMovedStaysOpen(t *testing.T) {
	env := toolServer()
	c, first, second, within := moved(t, env)
	for _, m := range []struct{ text, rule string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, "JRPC-033"},
		{`{"jsonrpc":"2.0","id":8,"result":{"roots":[]}}`, "JRPC-033"},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "PROG-022"},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`, "PROG-021"},
	} {
		if o := receive(t, &c, m.text); kinds(&o) != "ignored" || o.Events[0].Rule != m.rule {
			t.Errorf("%s: %+v, want %s", m.text, o.Events, m.rule)
		}
	}
	o := receive(t, &c, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`)
	if kinds(&o) != "progress received" || o.Events[0].Req != first || o.Events[0].ID != jsonrpc.Int(7) {
		t.Errorf("progress under the id that it has: %+v", o.Events)
	}
	d, err := restored(&c, env)
	if err != nil || string(d.Snapshot().Dst) != string(c.Snapshot().Dst) {
		t.Errorf("%v\n%s\nwant\n%s", err, d.Snapshot().Dst, c.Snapshot().Dst)
	}
	if err := c.Send(protocol.PingParams{}, lifecycle.RequestOptions{}, &o); err != nil || o.Req != c.Req(10) {
		t.Errorf("the next request is %v, want 10: %v", o.Req, err)
	}
	var got []lifecycle.ReqInfo
	for info := range c.Outbound() {
		info.Deadline, info.Maximum = time.Time{}, time.Time{}
		got = append(got, info)
	}
	want := []lifecycle.ReqInfo{
		{Req: first, ID: jsonrpc.Int(7), Method: "roots/list", Within: within, ProgressToken: jsonrpc.Int(7)},
		{Req: second, ID: jsonrpc.Int(2), Method: "roots/list"},
		{Req: c.Req(10), ID: jsonrpc.Int(10), Method: "ping"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("open are\n%+v\nwant\n%+v", got, want)
	}
}

// A snapshot in which two requests go by one wire id, or one by the number of another, is
// refused, and so is one by an id that was never given out.
func TestRestoreMoved(t *testing.T) {
	env := toolServer()
	c, _, _, _ := moved(t, env)
	for name, pairs := range map[string][]string{
		"one id twice":           {`{"id":2,`, `{"id":7,"req":2,`},
		"the number of another":  {`{"id":7,`, `{"id":2,`},
		"one number twice":       {`"req":1`, `"req":2`},
		"an id of the future":    {`{"id":7,`, `{"id":10,`},
		"an id before the first": {`{"id":7,"req":1,`, `{"id":7,"req":8,`},
		"number zero":            {`"req":1`, `"req":0`},
		"an earlier session":     {`"first":1`, `"first":2`},
	} {
		if _, err := restored(&c, env, pairs...); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The number of another that has moved on is no wire id any more: 2 went out under 8, and
	// the first one never under 2.
	if _, err := restored(&c, env, `{"id":7,`, `{"id":2,`, `{"id":2,`, `{"id":8,"req":2,`); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Errorf("under an id that was the number of another: %v", err)
	}
}

// Whichever of many requests have moved, and in whatever order they end: an answer finds
// the request that goes by its id, once.
func TestMovedModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := toolServer()
		c := ready(env, protocol.Revision20250618)
		var o lifecycle.Output
		n := rapid.IntRange(1, 20).Draw(t, "requests")
		var pairs []string
		ids := map[int]uint64{} // numbers of the open requests, by wire id
		last := n
		for i := range n {
			if err := c.Send(protocol.ListRootsParams{}, lifecycle.RequestOptions{}, &o); err != nil {
				t.Fatal(err)
			}
			id := i + 1
			if rapid.Bool().Draw(t, "moves") {
				last += rapid.IntRange(1, 3).Draw(t, "ids between")
				pairs = append(pairs, fmt.Sprintf(`{"id":%d,`, id), fmt.Sprintf(`{"id":%d,"req":%d,`, last, id))
				id = last
			}
			ids[id] = uint64(i + 1)
		}
		c, err := restored(&c, env, append(pairs, fmt.Sprintf(`"last":%d`, n), fmt.Sprintf(`"last":%d`, last))...)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * n {
			id := rapid.IntRange(1, last).Draw(t, "id")
			seq, open := ids[id]
			delete(ids, id)
			var o lifecycle.Output
			m := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[]}}`, id))
			c.Receive(&m, new(engine.Intake), &o)
			switch {
			case open && (kinds(&o) != "response received" || o.Events[0].Req != c.Req(seq)):
				t.Fatalf("under %d, which is of request %d: %+v", id, seq, o.Events)
			case !open && kinds(&o) != "ignored":
				t.Fatalf("under %d, which is of none: %+v", id, o.Events)
			}
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			if len(ids) != c.Status().Outbound {
				t.Fatalf("%d requests are open, want %d", c.Status().Outbound, len(ids))
			}
		}
	})
}
