package calls

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A server without a session that refuses the headers of a call has not run it. Its tools are listed, from which the
// transport learns what headers they want, and the call is made again, once. In a session the call may have run.
//
// rows: HTTP-208
func TestListedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		session bool // it has one
		refuses int  // calls, before it takes them
		fails   bool // it cannot be listed
		calls   int  // that it gets
		lists   int  // that are asked of it
		ok      bool
	}{
		"refused once":         {refuses: 1, calls: 2, lists: 1, ok: true},
		"refused for ever":     {refuses: 9, calls: 2, lists: 1},
		"cannot be listed":     {refuses: 1, fails: true, calls: 2, lists: 1, ok: true},
		"refused in a session": {session: true, refuses: 1, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{tools: []string{"x"}, era: !tt.session}
			w := startEras(t, f)
			w.ends(w.call("x", `{}`))
			f.calls, f.lists, f.fail = nil, 0, tt.fails
			f.answer = func(line string) string {
				id, _ := rawjson.Get(line, "id")
				if len(f.calls) > tt.refuses {
					return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","content":[]}}`
				}
				return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32020,"message":"Mcp-Param-A is missing"}}`
			}
			err := w.ends(w.call("x", `{"a":"b"}`))
			if (err == nil) != tt.ok || len(f.calls) != tt.calls || f.lists != tt.lists {
				t.Errorf("%v, %d calls, %d lists", err, len(f.calls), f.lists)
			}
			for _, params := range f.calls {
				if a, _ := rawjson.Get(params, "arguments"); a != `{"a":"b"}` {
					t.Error(params)
				}
			}
			if w.c.calls.Len() != 0 || w.c.ops.Len() != 0 || w.c.waits.Len() != 0 {
				t.Error("something is left")
			}
		})
	}
}

// Calls that are refused while the tools are being listed wait for the same list.
func TestListedOnceForAll(t *testing.T) {
	f := &fake{tools: []string{"x"}, era: true}
	w := startEras(t, f)
	w.ends(w.call("x", `{}`))
	f.slow, f.lists, f.calls = true, 0, nil
	f.answer = func(line string) string {
		id, _ := rawjson.Get(line, "id")
		if len(f.calls) > 5 {
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","content":[]}}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32020,"message":"Mcp-Param-A is missing"}}`
	}
	var ids []attempt.CallID
	for range 5 {
		ids = append(ids, w.call("x", `{}`))
	}
	w.release("s")
	for _, id := range ids {
		if err := w.ends(id); err != nil {
			t.Error(err)
		}
	}
	if len(f.calls) != 10 || f.lists != 1 || len(f.cancels) != 0 {
		t.Errorf("%d calls, %d lists, cancelled: %q", len(f.calls), f.lists, f.cancels)
	}
}

// A server that is no source of the catalog any more is not listed: its refusal is the answer.
func TestDetachedIsNotListed(t *testing.T) {
	f := &fake{tools: []string{"x"}, era: true}
	w := startEras(t, f)
	w.ends(w.call("x", `{}`))
	f.mute, f.lists, f.calls = true, 0, nil
	id := w.call("x", `{}`)
	w.do(w.c.Catalog(w.now, func(c catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return c.Detach(m, w.now, "s")
	}))
	f.mute = false
	for _, line := range f.held {
		if n, _ := rawjson.Get(line, "id"); n != "" && str(line, "method") == "tools/call" {
			w.say("s", `{"jsonrpc":"2.0","id":`+n+`,"error":{"code":-32020,"message":"Mcp-Param-A is missing"}}`)
		}
	}
	if o, over := w.result(id); !over || o.Err == nil || o.Err.Code != protocol.CodeHeaderMismatch || len(f.calls) != 1 || f.lists != 0 {
		t.Errorf("%v, %+v, %d calls, %d lists", over, o.Err, len(f.calls), f.lists)
	}
}

// While the tools are listed the time of the call runs, and what ends it then ends a call that did not run.
func TestEndsWhileListedAgain(t *testing.T) {
	for name, do := range map[string]func(w *world, id attempt.CallID){
		"cancelled": func(w *world, id attempt.CallID) { w.do(w.c.Cancel(w.now, id, "no more")) },
		"late":      func(w *world, _ attempt.CallID) { w.sleep(time.Minute) },
		"lost":      func(w *world, _ attempt.CallID) { w.lose("s"); w.sleep(time.Minute) },
		"closed":    func(w *world, _ attempt.CallID) { w.take(w.c.Close(w.now)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{tools: []string{"x"}, era: true}
			w := startEras(t, f)
			w.ends(w.call("x", `{}`))
			f.slow, f.calls = true, nil
			f.answer = func(line string) string {
				id, _ := rawjson.Get(line, "id")
				return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32020,"message":"Mcp-Param-A is missing"}}`
			}
			id := w.do(w.c.Call(w.now, Request{Name: "x", Policy: &attempt.Policy{Attempt: time.Minute}})).Call
			if _, over := w.result(id); over {
				t.Fatal("the call does not wait")
			}
			do(w, id)
			o, over := w.result(id)
			if !over || o.Err == nil || o.Delivery != lifecycle.NotSent || len(f.calls) != 1 {
				t.Errorf("%v, %+v, %d calls", over, o.Err, len(f.calls))
			}
			if w.c.calls.Len() != 0 || w.c.waits.Len() != 0 {
				t.Error("something is left")
			}
		})
	}
}

// startEras is a world with one server, of either era.
func startEras(t *testing.T, f *fake) *world {
	cfg := callerConfig()
	cfg.Manager.Client.Revisions = protocol.AllRevisions()
	cfg.Catalog = plainly(cfg.Catalog)
	cfg.Catalog.Sources = names("s")
	w := newWorld(t, cfg)
	w.connect("s", f)
	w.clear()
	return w
}

// fit returns a result as the revisions of a server have it.
func (f *fake) fit(result string) string {
	if !f.era {
		return result
	}
	return strings.Replace(strings.Replace(result, "{", `{"resultType":"complete","ttlMs":0,"cacheScope":"private",`, 1), ",}", "}", 1)
}
