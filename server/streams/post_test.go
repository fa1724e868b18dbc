package streams_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// What a POST is answered.
func TestPost(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	r := d.post(callText(1, "now"))
	if r.Status != 200 || !strings.Contains(string(r.Body), `"id":1`) || d.x.Bytes() != 0 {
		t.Errorf("answered at once: %+v", r)
	}
	r = d.post(callText(2, "talk"))
	if r.Status != 200 || r.Body != nil {
		t.Fatalf("with progress in the same step: %+v", r)
	}
	d.begin(r.Conn)
	d.expect(r.Conn, 0, "1-1:prime 1-2:progress1 1-3:answer2 ended")
	_, c := d.call(3, "wait")
	if r = d.post(callText(3, "now")); r.Status != 400 || r.Body != nil || r.Conn != (streams.Conn{}) {
		t.Errorf("with the id of an open call: %+v", r)
	}
	if r = d.post(`{`); r.Status != 400 || r.Body != nil {
		t.Errorf("unreadable: %+v", r)
	}
	if r = d.post(`{"jsonrpc":"2.0","id":9,"result":{}}`); r.Status != 202 {
		t.Errorf("a response: %+v", r)
	}
	d.expect(c, 0, "open")
}

// What cannot be read is answered in the body of the 400 where that is asked for, without
// an id.
func TestPostUnreadable(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2025-06-18"} {
		d := open(t, revision, streams.Options{})
		d.cfg.Policy.AnswerUnreadable = true
		var err error
		if d.s, err = server.Restore(d.cfg, d.s.Snapshot(), d.now); err != nil {
			t.Fatal(err)
		}
		r := d.post(`{`)
		if text := string(r.Body); r.Status != 400 || !strings.Contains(text, "-32700") || strings.Contains(text, "id") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
}

// Elements of a batch that cannot be read are answered in its response.
func TestPostBatchUnreadable(t *testing.T) {
	d := open(t, "2025-03-26", streams.Options{})
	d.cfg.Policy.AnswerUnreadable = true
	var err error
	if d.s, err = server.Restore(d.cfg, d.s.Snapshot(), d.now); err != nil {
		t.Fatal(err)
	}
	const note = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	if r := d.post(`[{"jsonrpc":"2.0"},` + note + `]`); r.Status != 200 && r.Status != 202 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	r := d.post(`[{"jsonrpc":"2.0"},` + callText(1, "now") + `]`)
	if r.Status != 200 || !strings.HasPrefix(string(r.Body), "[{") || strings.Count(string(r.Body), `"id"`) != 2 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if d.x.Bytes() != 0 {
		t.Errorf("%d bytes", d.x.Bytes())
	}
	r = d.post(`[{"jsonrpc":"2.0"},{"jsonrpc":"2.0"}]`)
	if r.Status != 400 || strings.Count(string(r.Body), "-32600") != 2 || strings.Contains(string(r.Body), `"id"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

// A batch has one response.
func TestPostBatch(t *testing.T) {
	d := open(t, "2025-03-26", streams.Options{})
	const note = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	if r := d.post("[" + note + "," + note + "]"); r.Status != 202 {
		t.Errorf("notifications: %+v", r)
	}
	if r := d.post("[" + callText(1, "now") + "]"); r.Status != 200 || !strings.HasPrefix(string(r.Body), "[{") || !strings.HasSuffix(string(r.Body), "}]") {
		t.Errorf("one request: %+v", r)
	}
	if r := d.post("[" + callText(2, "now") + "," + note + "," + callText(3, "now") + "]"); strings.Count(string(r.Body), `"result"`) != 2 {
		t.Errorf("two requests: %+v", r)
	}
	r := d.post("[" + callText(4, "now") + "," + callText(5, "wait") + "," + callText(6, "wait") + "]")
	if r.Body != nil {
		t.Fatalf("%+v", r)
	}
	c := r.Conn
	d.expect(c, 0, "3-2:answer4 open")
	calls := d.calls()
	d.respond(calls[0], "x")
	if _, ok := d.x.Answer(c); ok {
		t.Error("an answer before all are there")
	}
	d.respond(calls[1], "x")
	body, ok := d.x.Answer(c)
	if !ok || strings.Count(string(body), `"result"`) != 3 || body[0] != '[' {
		t.Errorf("%s %v", body, ok)
	}
	d.answered(c)
	d.expect(c, 0, "dropped")
	d.answered(c)
	if d.x.Bytes() != 0 {
		t.Errorf("%d bytes", d.x.Bytes())
	}
	// A request that the same batch cancels has no answer.
	r = d.post("[" + callText(7, "wait") + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}]`)
	d.expect(r.Conn, 0, "ended")
}

func (d *session) calls() (list []server.Call) {
	for c := range d.s.Inbound() {
		list = append(list, c.Call)
	}
	return list
}

func (d *session) answered(c streams.Conn) {
	d.t.Helper()
	var eff streams.Effects
	d.x, d.s, eff = d.x.Answered(d.s, d.now, c)
	d.took(eff)
}

// An answer that comes alone may be JSON; after anything else, or after Begin, it may not.
func TestAnswer(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	if _, ok := d.x.Answer(c); ok {
		t.Error("an answer before it is there")
	}
	d.respond(call, "x")
	if !slices.Equal(d.eff.Touched, []streams.ID{c.Stream}) {
		t.Errorf("touched %v", d.eff.Touched)
	}
	if body, ok := d.x.Answer(c); !ok || !strings.HasPrefix(string(body), `{"jsonrpc":"2.0","id":1`) {
		t.Errorf("%s %v", body, ok)
	}
	d.begin(c)
	if _, ok := d.x.Answer(c); ok {
		t.Error("an answer as JSON after Begin")
	}
	d.expect(c, 0, "1-1:prime 1-2:answer1 ended")
	call, c = d.call(2, "wait")
	d.progress(call, 1)
	d.respond(call, "x")
	if _, ok := d.x.Answer(c); ok {
		t.Error("an answer as JSON that leaves progress out")
	}
}

// An answer that is there may be a stream all the same: that of Post, the answer and Begin.
func TestPostStream(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2025-06-18"} {
		d := open(t, revision, streams.Options{})
		call, c := d.call(1, "wait")
		d.respond(call, "x")
		d.begin(c)
		want, end := d.x.Read(c, 0)

		d = open(t, revision, streams.Options{})
		m := jsonrpc.DecodeString(callText(1, "wait"))
		s, out, err := d.s.Answered(d.now, m, server.Job{}, server.Answer{Result: protocol.TextResult("x")})
		if err != nil {
			t.Fatal(err)
		}
		var r streams.Reply
		var eff streams.Effects
		d.x, d.s, r, eff = d.x.PostStream(s, d.now, m, out)
		d.took(eff)
		if got, ended := d.x.Read(r.Conn, 0); r.Body != nil || ended != end || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %+v %v, want %+v %v", revision, r, got, ended, want, end)
		}
		if _, ok := d.x.Answer(r.Conn); ok {
			t.Error("an answer as JSON too")
		}
		if s, out = d.s.Receive(d.now, m); out.Fate == lifecycle.FateRefused {
			t.Fatal("the call is open")
		}
		d.s = s
		if _, _, r, _ = d.x.PostStream(d.s, d.now, m, server.Output{Fate: lifecycle.FateRefused}); r.Status != 400 {
			t.Errorf("refused: %+v", r)
		}
	}
}

// A call that the client cancels ends its stream without an answer, after what is on it. Requests
// of ours within it are withdrawn on a GET stream.
func TestCancelled(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.elicit(call)
	if r := d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); r.Status != 202 {
		t.Errorf("%+v", r)
	}
	d.expect(c, 0, "1-2:create ended")
	get := d.listen()
	d.expect(get, 1, "2-2:cancelled open")
	_, c = d.call(2, "wait")
	d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if _, ok := d.x.Answer(c); ok {
		t.Error("an answer to a call that was cancelled")
	}
	d.begin(c) // there is nothing to come back for
	d.expect(c, 0, "ended")
	d.detach(c)
	if _, _, err := d.resume("3-1"); !errors.Is(err, streams.ErrDropped) {
		t.Error(err)
	}
}
