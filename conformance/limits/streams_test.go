package limits_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// overHTTP is a session with a client that posts.
type overHTTP struct {
	s server.State
	x streams.Streams
}

func (d *overHTTP) post(text string) (call server.Call, c streams.Conn) {
	m := jsonrpc.Decode([]byte(text))
	s, out := d.s.Receive(t0, m)
	var r streams.Reply
	d.x, d.s, r, _ = d.x.Post(s, t0, m, out)
	return out.Opened, r.Conn
}

// does handles the result of a verb, and returns how many messages were lost.
func (d *overHTTP) does(t testing.TB, s server.State, out server.Output, err error) int {
	if err != nil {
		t.Fatal(err)
	}
	var eff streams.Effects
	d.x, d.s, eff = d.x.Handle(s, t0, out)
	return eff.Lost
}

func (d *overHTTP) respond(t testing.TB, call server.Call, text string) int {
	s, out, err := d.s.Respond(t0, call, protocol.TextResult(text))
	return d.does(t, s, out, err)
}

func (d *overHTTP) log(t testing.TB, within server.Call, text string) int {
	n := protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(`"` + text + `"`)}
	s, out, err := d.s.Notify(t0, n, within)
	return d.does(t, s, out, err)
}

func toolCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id)
}

// streamsOf fills both budgets of a Streams with texts that no connection
// reads, and opens as many calls and GET streams as allowed.
func streamsOf(t *testing.T, s limits.Settings, text string) (full func() any, more func(*testing.T)) {
	opt := streams.Options{MaxBytes: s.StreamBytes, MaxAnswers: s.StreamAnswers, MaxListeners: s.Listeners}
	d := &overHTTP{readyServer(t, s.Limits), streams.New(opt)}
	var open server.Call
	var get streams.Conn
	return func() any {
			for range s.Listeners {
				d.x, d.s, get, _, _ = d.x.Listen(d.s, t0)
			}
			for id, lost := 2, 0; lost == 0; id++ {
				call, _ := d.post(toolCall(id))
				lost = d.respond(t, call, text)
			}
			for id := range s.Inbound {
				open, _ = d.post(toolCall(1e6 + id))
			}
			for lost := 0; lost == 0; {
				lost = d.log(t, server.Call{}, text) + d.log(t, open, text)
			}
			d.s = readyServer(t, s.Limits) // not measured here
			return &d.x
		}, func(t *testing.T) {
			if _, end := d.x.Read(get, 1); end != streams.Dropped && end != streams.Open {
				t.Errorf("a connection that reads nothing: %v", end)
			}
			if _, _, _, _, _, err := d.x.Resume(d.s, t0, strings.Repeat("1", 1<<20)); !errors.Is(err, streams.ErrEvent) {
				t.Error(err)
			}
			if n := d.x.Bytes(); n > s.StreamBytes+s.StreamAnswers+len(text)+1024 {
				t.Errorf("%d bytes are counted", n)
			}
		}
}

// streamEntries are the entry points for bytes of the client, and those that pass messages on.
func streamEntries(t *testing.T) (list []entry) {
	d := &overHTTP{readyServer(t, lifecycle.Limits{}), streams.New(streams.Options{MaxBytes: 1 << 40, MaxAnswers: 1 << 40})}
	call, _ := d.post(toolCall(2))
	add := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of}) }
	add("Resume", func(n int) func() {
		id := strings.Repeat("1", n) + "-1"
		return func() { _, _, sink, _, _, _ = d.x.Resume(d.s, t0, id) }
	})
	add("Handle, one message", func(n int) func() {
		s, out, err := d.s.Respond(t0, call, protocol.TextResult(strings.Repeat("x", n)))
		if err != nil {
			t.Fatal(err)
		}
		return func() { _, _, sink = d.x.Handle(s, t0, out) }
	})
	filled := func(n int) overHTTP {
		d := *d
		for range n / 64 {
			d.log(t, call, "x")
		}
		return d
	}
	add("Read", func(n int) func() {
		d := filled(n)
		return func() { sink, _ = d.x.Read(streams.Conn{Stream: 1, Gen: 1}, 0) }
	})
	add("Detach", func(n int) func() {
		d := filled(n)
		return func() { _, _, sink = d.x.Detach(d.s, t0, streams.Conn{Stream: 1, Gen: 1}) }
	})
	add("Snapshot", func(n int) func() {
		d := filled(n)
		return func() { sink = d.x.Snapshot() }
	})
	add("Restore", func(n int) func() {
		d := filled(n)
		data := d.x.Snapshot()
		return func() { sink, _ = streams.Restore(streams.Options{}, data, d.s, t0) }
	})
	for _, bad := range []string{`[`, `{"id":`, `{"events":[`, `"`, "1"} {
		add(fmt.Sprintf("Restore, many %s", bad), func(n int) func() {
			data := []byte(`{"streams":1,"open":[` + strings.Repeat(bad, n/len(bad)))
			return func() { sink, _ = streams.Restore(streams.Options{}, data, d.s, t0) }
		})
	}
	return list
}
