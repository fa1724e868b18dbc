package streams_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// config is that of the sessions under test: one tool "wait" that the application answers,
// and one "now" that is answered at once.
func config() (server.Config, *server.Handlers) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "wait", InputSchema: `{"type":"object"}`}, nil)
	h.Tool(protocol.Tool{Name: "now", InputSchema: `{"type":"object"}`}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("here"), nil
	})
	h.Tool(protocol.Tool{Name: "talk", InputSchema: `{"type":"object"}`}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return nil, err
		}
		return protocol.TextResult("said"), nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		panic(err)
	}
	return server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Logging: true,
		Declare: protocol.CapToolsListChanged,
	}, &h
}

// session is a session over HTTP without HTTP.
type session struct {
	t   testing.TB
	cfg server.Config
	h   *server.Handlers
	s   server.State
	x   streams.Streams
	now time.Time
	eff streams.Effects // of the last step
}

// open returns a session after the handshake.
func open(t testing.TB, revision string, opt streams.Options) *session {
	t.Helper()
	return openIn(t, revision, streams.New(opt))
}

func openIn(t testing.TB, revision string, x streams.Streams) *session {
	t.Helper()
	cfg, h := config()
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	d := &session{t: t, cfg: cfg, h: h, s: s, x: x, now: t0}
	d.initialize(revision)
	return d
}

// initialize does the handshake.
func (d *session) initialize(revision string) {
	d.t.Helper()
	r := d.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	if single := r.Status == 202; !single && !strings.Contains(string(r.Body), revision) {
		d.t.Fatalf("initialize: %+v", r)
	}
	if r := d.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); r.Status != 202 {
		d.t.Fatalf("initialized: %+v", r)
	}
}

// took notes what a step came to.
func (d *session) took(eff streams.Effects) {
	d.t.Helper()
	d.eff = eff
	if len(eff.Output.Send) > 0 {
		d.t.Fatal("Effects have messages to send")
	}
	if err := d.x.Check(); err != nil {
		d.t.Fatal(err)
	}
}

// post is a POST of a message.
func (d *session) post(text string) (r streams.Reply) {
	d.t.Helper()
	m := jsonrpc.Decode([]byte(text))
	s, out := d.h.Receive(d.s, d.now, m)
	var eff streams.Effects
	d.x, d.s, r, eff = d.x.Post(s, d.now, m, out)
	d.took(eff)
	return r
}

// call posts a call of a tool and returns its handle and where its answer comes.
func (d *session) call(id int, tool string) (server.Call, streams.Conn) {
	d.t.Helper()
	r := d.post(callText(id, tool))
	if r.Status != 200 || r.Body != nil || r.Conn.Stream == 0 {
		d.t.Fatalf("call: %+v", r)
	}
	return d.eff.Output.Opened, r.Conn
}

func callText(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"_meta":{"progressToken":%d}}}`, id, tool, id)
}

// does hands in what came of a verb.
func (d *session) does(s server.State, out server.Output, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	var eff streams.Effects
	d.x, d.s, eff = d.x.Handle(s, d.now, out)
	d.took(eff)
}

func (d *session) progress(call server.Call, n int) {
	d.t.Helper()
	d.does(d.s.Progress(d.now, call, protocol.ProgressParams{Progress: float64(n)}))
}

func (d *session) respond(call server.Call, text string) {
	d.t.Helper()
	d.does(d.s.Respond(d.now, call, protocol.TextResult(text)))
}

func (d *session) elicit(call server.Call) server.Req {
	d.t.Helper()
	d.does(d.s.Request(d.now, protocol.ElicitParams{Message: "?", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{}}}, server.RequestOptions{Within: call}))
	return d.eff.Output.Req
}

// log sends a log message that belongs to no call.
func (d *session) log(text string) {
	d.t.Helper()
	d.does(d.s.Notify(d.now, protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(fmt.Sprintf("%q", text))}, server.Call{}))
}

func (d *session) listen() (c streams.Conn) {
	d.t.Helper()
	x, s, c, eff, err := d.x.Listen(d.s, d.now)
	if err != nil {
		d.t.Fatal(err)
	}
	d.x, d.s = x, s
	d.took(eff)
	return c
}

func (d *session) begin(c streams.Conn) {
	d.t.Helper()
	var eff streams.Effects
	d.x, d.s, eff = d.x.Begin(d.s, d.now, c)
	d.took(eff)
}

func (d *session) wrote(c streams.Conn, n int) {
	d.t.Helper()
	d.x = d.x.Wrote(d.now, c, n)
	d.took(streams.Effects{})
}

func (d *session) detach(c streams.Conn) {
	d.t.Helper()
	var eff streams.Effects
	d.x, d.s, eff = d.x.Detach(d.s, d.now, c)
	d.took(eff)
}

func (d *session) resume(id string) (streams.Conn, int, error) {
	d.t.Helper()
	x, s, c, n, eff, err := d.x.Resume(d.s, d.now, id)
	d.x, d.s = x, s
	d.took(eff)
	return c, n, err
}

func (d *session) pass(by time.Duration) {
	d.t.Helper()
	d.now = d.now.Add(by)
	var eff streams.Effects
	d.x, d.s, eff = d.x.Tick(d.s, d.now)
	d.took(eff)
	if due, ok := d.x.NextDeadline(); ok && !due.After(d.now) {
		d.t.Fatalf("after Tick(%v) the next deadline is %v", d.now, due)
	}
}

// read returns what a connection reads, short: ids and what the messages are.
func (d *session) read(c streams.Conn, after int) string {
	d.t.Helper()
	events, end := d.x.Read(c, after)
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s ", short(d.t, e))
	}
	return b.String() + end.String()
}

func short(t testing.TB, e streams.Event) string {
	switch {
	case e.ID == "":
		return "retry=" + e.Retry.String()
	case e.Data == "":
		return e.ID + ":prime"
	}
	var m struct {
		ID     any
		Method string
		Params struct {
			Progress int
			Data     string
		}
		Result, Error any
	}
	if err := json.Unmarshal([]byte(e.Data), &m); err != nil {
		t.Fatal(err)
	}
	switch m.Method {
	case "notifications/progress":
		return fmt.Sprintf("%s:progress%d", e.ID, m.Params.Progress)
	case "notifications/message":
		return e.ID + ":" + m.Params.Data
	case "":
		return fmt.Sprintf("%s:answer%v", e.ID, m.ID)
	}
	return e.ID + ":" + m.Method[strings.IndexByte(m.Method, '/')+1:]
}

// expect compares what a connection reads.
func (d *session) expect(c streams.Conn, after int, want string) {
	d.t.Helper()
	if got := d.read(c, after); got != want {
		d.t.Fatalf("stream %d after %d: got %q, want %q", c.Stream, after, got, want)
	}
}

func decode(text string) jsonrpc.Message { return jsonrpc.Decode([]byte(text)) }

func progress(n int) protocol.ProgressParams { return protocol.ProgressParams{Progress: float64(n)} }

func text(s string) protocol.Result { return protocol.TextResult(s) }

func logMessage(s string) protocol.Params {
	return protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(fmt.Sprintf("%q", s))}
}
