package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server that says nothing costs the other nothing: its tools are called at once, and
// listed after a moment; those of the mute one join when it speaks, and are announced.
func TestMuteServer(t *testing.T) {
	for mute := range 2 {
		w := newWorld(t, mute)
		other := []string{"right", "left"}[mute]
		req := w.request(protocol.CallToolParams{Name: other}, client.RequestOptions{})
		if ev := w.last(); ev.Req != req || ev.Err != nil {
			t.Errorf("the call: %v %v", ev.Kind, ev.Err)
		}
		req = w.request(protocol.ListToolsParams{}, client.RequestOptions{})
		w.pass(settleTime)
		if ev := w.last(); ev.Req != req || !strings.Contains(string(ev.Body), `"`+other+`"`) {
			t.Errorf("the list: %v %s", ev.Kind, ev.Body)
		}
		own := w.request(protocol.CallToolParams{Name: []string{"left", "right"}[mute]}, client.RequestOptions{})
		if ev := w.last(); ev.Req == own {
			t.Errorf("a call of what may be there was answered: %v %v", ev.Kind, ev.Err)
		}
		w.speak(mute)
		w.pass(time.Second)
		ended := false
		for _, ev := range w.got {
			ended = ended || ev.Req == own && ev.Kind == lifecycle.ResponseReceived && ev.Err == nil
		}
		if !ended || w.told() != 1 {
			t.Errorf("the call that waited ended: %v; %d announcements", ended, w.told())
		}
		w.request(protocol.ListToolsParams{}, client.RequestOptions{})
		if body := string(w.last().Body); !strings.Contains(body, `"left"`) || !strings.Contains(body, `"right"`) {
			t.Error(body)
		}
	}
}

// Without any tools known a list waits, but not for ever, and a call has its own deadline.
func TestAllServersAreMute(t *testing.T) {
	w := newWorld(t, 0, 1)
	list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	call := w.request(protocol.CallToolParams{Name: "left"}, client.RequestOptions{Timeout: time.Hour})
	w.pass(firstTime)
	if ev := w.last(); ev.Req != list || ev.Body != `{"tools":[]}` {
		t.Errorf("the list: %v %s", ev.Kind, ev.Body)
	}
	w.pass(heldTime)
	if ev := w.last(); ev.Req != call || ev.Err == nil || ev.Err.Code != jsonrpc.CodeInternalError {
		t.Errorf("the call: %v %v", ev.Kind, ev.Err)
	}
}

// A client that forgets notifications/initialized is served all the same.
func TestForgottenInitialized(t *testing.T) {
	w := newWorld(t)
	r, err := newRelay(w.now, 1, [16]byte{}, func(int) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	r.receive(w.now, down, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	do := r.receive(w.now, down, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if len(do.send) != 1 || do.send[0].to != 0 || do.send[0].m.Method != "initialize" {
		t.Fatalf("%+v", do)
	}
	if do = r.tick(w.now.Add(firstTime)); len(do.send) != 1 || do.send[0].m.Body != `{"tools":[]}` {
		t.Errorf("%+v", do)
	}
	if next, ok := r.nextDeadline(); ok && !next.After(w.now.Add(firstTime)) {
		t.Error("after a tick the next deadline is not later")
	}
}

// A call that is cancelled while it is held never goes out, and is not kept.
func TestCancelledCallsAreNotPassedOn(t *testing.T) {
	w := newWorld(t, 0)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	text := strings.Repeat("x", 100_000)
	for range 500 {
		req := w.request(protocol.CallToolParams{Name: "left", Arguments: jsonrpc.Raw(`{"a":"` + text + `"}`)}, client.RequestOptions{})
		c, out, err := w.c.Cancel(w.now, req, "")
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		w.lines, w.got = nil, nil
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := int64(after.HeapAlloc) - int64(before.HeapAlloc); n > 5<<20 {
		t.Errorf("%d bytes are kept", n)
	}
	if len(w.r.held.list) != 0 || w.r.held.bytes != 0 {
		t.Errorf("%d are held, %d bytes", len(w.r.held.list), w.r.held.bytes)
	}
	w.speak(0)
	for _, line := range w.lines {
		if strings.Contains(line, "tools/call") {
			t.Error("passed on:", line)
		}
	}
	runtime.KeepAlive(w)
}

// What is held is bounded by number and by bytes.
func TestHeldIsBounded(t *testing.T) {
	for size, most := range map[int]int{10: heldMany, 1 << 20: heldBytes / (1 << 20)} {
		w := newWorld(t, 0)
		args := jsonrpc.Raw(`{"a":"` + strings.Repeat("x", size) + `"}`)
		refused := 0
		for range heldMany + 10 {
			w.request(protocol.CallToolParams{Name: "left", Arguments: args}, client.RequestOptions{})
			if len(w.got) > 0 && w.last().Err != nil && w.last().Err.Code == jsonrpc.CodeInternalError {
				refused++
			}
			w.lines, w.got = nil, nil
		}
		if n := len(w.r.held.list); n > most || n < most-1 || refused != heldMany+10-n {
			t.Errorf("%d bytes each: %d held, at most %d; %d refused", size, n, most, refused)
		}
	}
}

// When a server is gone, or gives up what it asked, nobody asks the client any more.
func TestWhatAServerAskedEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(w *world, asked server.Req){
		"gone": func(w *world, _ server.Req) { w.relay(w.r.lost(w.now, 1)) },
		"given up": func(w *world, asked server.Req) {
			s, out, err := w.s[1].Cancel(w.now, asked, "enough")
			if err != nil {
				w.t.Fatal(err)
			}
			w.server(1, s, out)
		},
	} {
		w := newWorld(t)
		w.request(protocol.CallToolParams{Name: "right-slow"}, client.RequestOptions{})
		s, out, err := w.s[1].Request(w.now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}},
			server.RequestOptions{Within: w.open[0].Call})
		if err != nil {
			t.Fatal(err)
		}
		asked := out.Req
		w.server(1, s, out)
		end(w, asked)
		cancelled := 0
		for _, ev := range w.got {
			if ev.Kind == lifecycle.RequestCancelled && ev.Method == "sampling/createMessage" {
				cancelled++
			}
		}
		if n := w.r.s.Status().Outbound; n != 0 || cancelled != 1 || len(w.r.asks.a) != 0 {
			t.Errorf("%s: %d open to the client, %d cancelled there, %d pairs", name, n, cancelled, len(w.r.asks.a))
		}
	}
}

// A server that does not read gets no more calls, and the client is told.
func TestServerThatDoesNotRead(t *testing.T) {
	w := newWorld(t)
	w.full[0] = true
	for tool, refused := range map[string]bool{"left": true, "right": false} {
		w.request(protocol.CallToolParams{Name: tool}, client.RequestOptions{})
		if ev := w.last(); (ev.Err != nil) != refused {
			t.Errorf("%s: %v", tool, ev.Err)
		}
	}
}

// However often a server announces what has not changed, the client hears nothing, and
// once of what has.
func TestAnnouncementsAreNotPassedOnOneByOne(t *testing.T) {
	w := newWorld(t)
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	announce := func() {
		for range 100 {
			w.relay(w.r.receive(w.now, 0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)))
		}
	}
	announce()
	w.pass(time.Minute)
	if n := w.told(); n != 0 {
		t.Errorf("%d announcements of nothing", n)
	}
	w.h[0].Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, nil)
	catalog, err := w.h[0].Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := w.s[0].SetCatalog(w.now, catalog)
	if err != nil {
		t.Fatal(err)
	}
	w.server(0, s, out)
	announce()
	w.pass(time.Minute)
	if n := w.told(); n != 1 {
		t.Errorf("%d announcements of one change", n)
	}
}

// Progress that floods is thinned out.
func TestProgressIsThinnedOut(t *testing.T) {
	w := newWorld(t)
	w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{Progress: true})
	before := len(w.got)
	for i := range 1000 {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token(w), i+1)
		w.relay(w.r.receive(w.now, 0, jsonrpc.DecodeString(line)))
	}
	if n := len(w.got) - before; n == 0 || n > 60 {
		t.Errorf("%d of 1000 came through", n)
	}
}

// token returns the progress token of the last call that a server was given.
func token(w *world) string {
	for i := len(w.lines) - 1; i >= 0; i-- {
		if _, rest, ok := strings.Cut(w.lines[i], `"progressToken":`); ok {
			return rest[:strings.IndexAny(rest, ",}")]
		}
	}
	w.t.Fatal("no token")
	return ""
}

// At the end of input open calls may finish, and then it is over at once; those that do
// not are given up.
func TestRelayDrains(t *testing.T) {
	w := newWorld(t)
	w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{})
	do := w.r.inputClosed(w.now, time.Second)
	if do.end {
		t.Fatal("ended with an open call")
	}
	w.relay(do)
	s, out, err := w.s[0].Respond(w.now, w.open[0].Call, protocol.TextResult("done"))
	if err != nil {
		t.Fatal(err)
	}
	w.s[0] = s
	if do = w.r.receive(w.now, 0, out.Send[0].Message); !do.end || len(do.send) != 1 || do.send[0].to != down {
		t.Errorf("after the last answer: %+v", do)
	}

	w = newWorld(t)
	w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{})
	w.relay(w.r.inputClosed(w.now, time.Second))
	if do = w.r.tick(w.now.Add(time.Second)); !do.end {
		t.Error("not ended after the drain")
	}
}
