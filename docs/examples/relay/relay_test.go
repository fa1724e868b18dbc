package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// world is a relay with a client in front and two servers behind, in memory.
type world struct {
	t     *testing.T
	now   time.Time
	r     *relay
	c     client.State
	s     [2]server.State
	h     [2]server.Handlers
	open  []server.Event // calls that a server's application holds
	at    []int          // which server holds them
	got   []client.Event
	lines []string // what went over the wires
	mute  [2]bool  // what this server says does not come
	full  [2]bool  // and this one does not read
	late  [2][]packet
	heard []server.Event // what the servers got of the client
}

// newWorld opens a session; the servers that are mute are so from the start.
func newWorld(t *testing.T, mute ...int) *world {
	return newWorldOf(t, client.Config{
		Info: info, Serve: []string{"sampling/createMessage", "elicitation/create"}, Policy: policy(),
		Declare: protocol.CapSamplingTools | protocol.CapElicitationURL | protocol.CapElicitationForm,
	}, mute...)
}

// newWorldOf is newWorld for another client.
func newWorldOf(t *testing.T, cfg client.Config, mute ...int) *world {
	t.Helper()
	w := &world{t: t, now: time.Unix(1, 0)}
	for _, i := range mute {
		w.mute[i] = true
	}
	var err error
	if w.r, err = newRelay(w.now, len(w.s), [16]byte{}, func(i int) bool { return w.full[i] }); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"left", "right"} {
		w.h[i].Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object","x":9007199254740993}`},
			func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return &protocol.CallToolResult{StructuredContent: p.Arguments}, nil
			})
		w.h[i].Tool(protocol.Tool{Name: name + "-slow", InputSchema: `{"type":"object"}`}, nil)
		catalog, err := w.h[i].Catalog()
		if err != nil {
			t.Fatal(err)
		}
		if w.s[i], err = server.New(server.Config{Info: info, Catalog: catalog, Serve: w.h[i].Serve(), Policy: policy()}, w.now); err != nil {
			t.Fatal(err)
		}
	}
	if w.c, err = client.New(cfg, w.now); err != nil {
		t.Fatal(err)
	}
	c, out, err := w.c.Initialize(w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.client(c, out)
	if len(mute) == 0 && (w.c.Phase() != lifecycle.Ready || w.s[0].Phase() != lifecycle.Ready || w.s[1].Phase() != lifecycle.Ready) {
		t.Fatal("not all ready:", w.c.Phase(), w.s[0].Phase(), w.s[1].Phase())
	}
	return w
}

func (w *world) wire(m jsonrpc.Message) jsonrpc.Message {
	line := jsonrpc.Append(nil, m)
	w.lines = append(w.lines, string(line))
	return jsonrpc.Decode(line)
}

func (w *world) client(c client.State, out client.Output) {
	w.c = c
	w.got = append(w.got, out.Events...)
	for _, o := range out.Send {
		w.relay(w.r.receive(w.now, down, w.wire(o.Message)))
	}
}

func (w *world) server(i int, s server.State, out server.Output) {
	w.s[i] = s
	w.heard = append(w.heard, out.Events...)
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived || ev.Kind == lifecycle.RequestCancelled {
			w.open, w.at = append(w.open, ev), append(w.at, i)
		}
	}
	for _, o := range out.Send {
		w.relay(w.r.receive(w.now, i, w.wire(o.Message)))
	}
}

func (w *world) relay(do step) {
	for _, p := range do.send {
		if p.to != down && w.mute[p.to] {
			w.late[p.to] = append(w.late[p.to], p)
			continue
		}
		m := w.wire(p.m)
		if p.to == down {
			c, out := w.c.Receive(w.now, m)
			w.client(c, out)
			continue
		}
		s, out := w.h[p.to].Handle(w.s[p.to].Receive(w.now, m))
		w.server(p.to, s, out)
	}
}

// speak ends the silence of a server.
func (w *world) speak(i int) {
	w.mute[i] = false
	w.relay(step{send: w.late[i]})
	w.late[i] = nil
}

// pass lets time pass for the relay.
func (w *world) pass(d time.Duration) {
	for end := w.now.Add(d); ; {
		t, ok := w.r.nextDeadline()
		if !ok || t.After(end) {
			w.now = end
			return
		}
		w.now = t
		w.relay(w.r.tick(t))
		if next, ok := w.r.nextDeadline(); ok && !next.After(t) {
			w.t.Fatal("after a tick the next deadline is not later")
		}
	}
}

// told counts the announcements that the client has heard.
func (w *world) told() (n int) {
	for _, ev := range w.got {
		if ev.Method == "notifications/tools/list_changed" {
			n++
		}
	}
	return n
}

func (w *world) request(p protocol.Params, opt client.RequestOptions) client.Req {
	w.t.Helper()
	c, out, err := w.c.Request(w.now, p, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	req := out.Req
	w.client(c, out)
	return req
}

func (w *world) last() client.Event { return w.got[len(w.got)-1] }

func TestListsMergeUntouched(t *testing.T) {
	w := newWorld(t)
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	body := string(w.last().Body)
	for _, want := range []string{`"left"`, `"right-slow"`, `"x":9007199254740993`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
}

func TestBodiesPassByteForByte(t *testing.T) {
	w := newWorld(t)
	args := jsonrpc.Raw(`{"id":9007199254740993, "f":1e400,"s":"<a>&\u0062"}`)
	w.request(protocol.CallToolParams{Name: "right", Arguments: args}, client.RequestOptions{})
	r, err := protocol.Decode[protocol.CallToolResult](w.last().Body)
	if err != nil || r.StructuredContent != args {
		t.Errorf("got %q, %v", r.StructuredContent, err)
	}
}

func TestProgressAndCancelFindTheirWay(t *testing.T) {
	w := newWorld(t)
	// The ids of the sides drift apart, so that a wrong one cannot pass for right.
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	req := w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{Progress: true})
	if len(w.open) != 1 || w.at[0] != 0 {
		t.Fatal("the call did not reach its server")
	}
	s, out, err := w.s[0].Progress(w.now, w.open[0].Call, protocol.ProgressParams{Progress: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	w.server(0, s, out)
	if ev := w.last(); ev.Kind != lifecycle.ProgressReceived || ev.Req != req {
		t.Errorf("got %v of %v", ev.Kind, ev.Req)
	}
	c, co, err := w.c.Cancel(w.now, req, "enough")
	if err != nil {
		t.Fatal(err)
	}
	w.client(c, co)
	if len(w.open) != 2 || w.open[1].Kind != lifecycle.RequestCancelled || w.open[1].Call != w.open[0].Call || w.open[1].Cause.Reason != "enough" {
		t.Errorf("the cancellation did not reach the server: %v", w.open)
	}
}

func TestSamplingPassesBack(t *testing.T) {
	w := newWorld(t)
	req := w.request(protocol.CallToolParams{Name: "right-slow"}, client.RequestOptions{})
	call := w.open[0].Call
	s, out, err := w.s[1].Request(w.now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, server.RequestOptions{Within: call})
	if err != nil {
		t.Fatal(err)
	}
	asked := out.Req
	w.server(1, s, out)
	if w.last().Kind != lifecycle.RequestReceived {
		t.Fatal("the client was not asked")
	}
	c, co, err := w.c.Respond(w.now, w.last().Call, protocol.CreateMessageResult{Role: "assistant", Model: "m", Content: []protocol.Content{protocol.TextContent("yes")}})
	if err != nil {
		t.Fatal(err)
	}
	w.client(c, co)
	if n := w.s[1].Status().Outbound; n != 0 {
		t.Errorf("request %v is still open", asked)
	}
	s, out, err = w.s[1].Respond(w.now, call, protocol.TextResult("done"))
	if err != nil {
		t.Fatal(err)
	}
	w.server(1, s, out)
	if ev := w.last(); ev.Kind != lifecycle.ResponseReceived || ev.Req != req || ev.Err != nil {
		t.Errorf("got %v of %v", ev.Kind, ev.Req)
	}
}

func TestUnknownToolIsRefused(t *testing.T) {
	w := newWorld(t)
	w.request(protocol.CallToolParams{Name: "nope"}, client.RequestOptions{})
	if ev := w.last(); ev.Err == nil || ev.Err.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("got %v", ev.Err)
	}
}

// A server that dies in a call fails this call; what the other has goes on.
func TestServerDies(t *testing.T) {
	w := newWorld(t)
	req := w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{})
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	w.relay(w.r.lost(w.now, 0))
	w.pass(time.Second)
	var failed, told bool
	for _, ev := range w.got {
		failed = failed || ev.Req == req && ev.Err != nil && ev.Err.Code == jsonrpc.CodeInternalError
		told = told || ev.Method == "notifications/tools/list_changed"
	}
	if !failed || !told {
		t.Errorf("failed %v, told %v", failed, told)
	}
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	if body := string(w.last().Body); strings.Contains(body, `"left`) || !strings.Contains(body, `"right"`) {
		t.Error(body)
	}
	w.request(protocol.CallToolParams{Name: "left"}, client.RequestOptions{})
	if ev := w.last(); ev.Err == nil || ev.Err.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("got %v", ev.Err)
	}
	w.request(protocol.CallToolParams{Name: "right"}, client.RequestOptions{})
	if ev := w.last(); ev.Err != nil {
		t.Errorf("got %v", ev.Err)
	}
	w.relay(w.r.lost(w.now, 1))
	w.request(protocol.ListToolsParams{}, client.RequestOptions{})
	if body := string(w.last().Body); body != `{"tools":[]}` {
		t.Error(body)
	}
}
