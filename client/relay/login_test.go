package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// pageError is what a driver says where a person has to log in.
type pageError string

func (e pageError) Error() string                { return "log in" }
func (e pageError) LoginPage() string            { return string(e) }
func (e pageError) Delivery() lifecycle.Delivery { return lifecycle.Rejected }

// Where a person has to log in, the client hears at which page: as an elicitation if it opens pages, else in words. When the
// server is there, nothing is left of that.
func TestLoginIsNamed(t *testing.T) {
	const page, local = "https://gateway.example/login/left", "http://127.0.0.1:8080/login/left"
	text := func(t *testing.T, e jsonrpc.Error, page string, kind toolerror.Kind) {
		t.Helper()
		p, _ := toolerror.ParsePayload(e.Data)
		if e.Code != jsonrpc.CodeInternalError || p.Kind != kind || !strings.Contains(e.Message, "open "+page+" in a browser") {
			t.Errorf("%+v", e)
		}
	}
	elicited := func(t *testing.T, e jsonrpc.Error) {
		t.Helper()
		list, err := protocol.URLElicitations(e)
		if e.Code != protocol.CodeURLElicitationRequired || err != nil || len(list) != 1 || list[0].URL != page || list[0].ElicitationID == "" || !strings.Contains(e.Message, page) {
			t.Errorf("%+v, %v", e, err)
		}
	}
	away := func(page string, names []string, options ...option) *world {
		w := newWorld(t, names, options...)
		w.peers["left"].dead, w.peers["left"].why = true, pageError(page)
		w.kill("left")
		w.pass(2 * time.Second)
		return w
	}
	w := away(page, []string{"left"})
	elicited(t, w.fault(w.call("left")))
	w.peers["left"].dead = false
	w.pass(defaultHold)
	w.result(w.call("left"))
	w.peers["left"].dead, w.peers["left"].why = true, nil
	w.kill("left")
	w.pass(2 * time.Second)
	if e := w.fault(w.call("left")); strings.Contains(e.Message, "log in") {
		t.Errorf("%+v", e)
	}
	w = away(local, []string{"left"}) // which no elicitation may have
	text(t, w.fault(w.call("left")), local, toolerror.Unavailable)
	w = away(page, []string{"left"}, func(w *world) { w.cc.Serve, w.cc.Declare, w.cc.RootsListChanged = nil, 0, false })
	text(t, w.fault(w.call("left")), page, toolerror.Unavailable)
	w = away(page, []string{"left", "right"}) // its tools are not listed
	if e := w.fault(w.call("nope")); e.Code != jsonrpc.CodeInvalidParams || !strings.Contains(e.Message, page) {
		t.Errorf("%+v", e)
	}
	w.result(w.call("right"))

	// A server that is there may want more of the person.
	w = newWorld(t, []string{"left"})
	w.peers["left"].mute = true
	req := w.call("left")
	w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.SendFailed, Link: w.peers["left"].link, Req: w.sent.Req, Err: pageError(page)}))
	elicited(t, w.fault(req))
	w.peers["left"].mute = false
	w.result(w.call("left"))
}

// A client that was told of a page is told that it is done with once its server is there: once for all calls that wait for
// it, and not where the client was told in words.
func TestLoginIsDone(t *testing.T) {
	const page = "https://gateway.example/login/left"
	away := func(w *world) {
		w.peers["left"].dead, w.peers["left"].why = true, pageError(page)
		w.kill("left")
		w.pass(2 * time.Second)
	}
	done := func(w *world) string {
		var list []string
		for _, ev := range w.got {
			if ev.Method == protocol.MethodElicitationComplete {
				list = append(list, string(ev.Body))
			}
		}
		return strings.Join(list, " ")
	}
	for _, moves := range []bool{false, true} { // after the client was told: a page itself does not move
		w := newWorld(t, []string{"left", "right"})
		away(w)
		ids := map[string]bool{}
		for range 2 {
			list, err := protocol.URLElicitations(w.fault(w.call("left")))
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			ids[list[0].ElicitationID] = true
		}
		if got := done(w); got != "" || len(ids) != 1 {
			t.Fatal(got, ids)
		}
		w.moves = moves
		w.peers["left"].dead = false
		w.pass(defaultHold)
		for id := range ids {
			if got := done(w); got != `{"elicitationId":"`+id+`"}` {
				t.Error(got)
			}
		}
		w.result(w.call("left"))
		w.kill("left")
		w.pass(defaultHold)
		w.result(w.call("left"))
		if n := strings.Count(done(w), "elicitationId"); n != 1 {
			t.Error(n)
		}
	}
	for name, more := range map[string]option{"words": func(w *world) { w.cc.Serve, w.cc.Declare, w.cc.RootsListChanged = nil, 0, false }, "no session": statelessClient} {
		w := newWorld(t, []string{"left", "right"}, more)
		away(w)
		w.fault(w.call("left"))
		w.peers["left"].dead = false
		w.pass(defaultHold)
		w.result(w.call("left"))
		if got := strings.Join(w.lines, "\n"); strings.Contains(got, protocol.MethodElicitationComplete) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
