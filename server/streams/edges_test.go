package streams_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// A snapshot has numbers that a session can come to, to the last of each.
func TestRestoreLimits(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.begin(c)
	d.progress(call, 1)
	d.wrote(c, 2)
	if x, s, eff, err := d.x.HangUp(d.s, d.now, call, 1); err != nil {
		t.Fatal(err)
	} else {
		d.x, d.s = x, s
		d.took(eff)
	}
	good := string(d.x.Snapshot())
	for _, c := range []struct {
		from, to string
		good     uint64
	}{
		{`{"streams":1,"last":1`, `{"streams":1,"last":%d`, 1<<60 - 1},
		{`"open":[`, `"order":%d,"open":[`, math.MaxInt64 - 1},
		{`"gen":1`, `"gen":%d`, 1 << 31},
		{`"last":2,"written":2`, `"last":%[1]d,"written":%[1]d`, 1<<31 - 1},
		{`"retry":1`, `"retry":%d`, math.MaxInt64},
	} {
		for more := range uint64(2) {
			text := strings.Replace(good, c.from, fmt.Sprintf(c.to, c.good+more), 1)
			if text == good {
				t.Fatalf("%q is not in %s", c.from, good)
			}
			if _, err := streams.Restore(streams.Options{}, []byte(text), d.s, d.now); (err == nil) != (more == 0) {
				t.Errorf("%d in %q: %v", c.good+more, c.to, err)
			}
		}
	}
}

// What has exactly the bytes that it may have stays as it is.
func TestExactly(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.begin(c)
	d.progress(call, 1)
	if x, _, eff := d.x.Shrink(d.s, d.now, d.x.Bytes()); x != d.x || eff.Lost != 0 {
		t.Errorf("%d lost", eff.Lost)
	}
	if x, _, eff := d.x.Shrink(d.s, d.now, d.x.Bytes()-1); x.Bytes() >= d.x.Bytes() || eff.Lost != 1 {
		t.Errorf("%d lost", eff.Lost)
	}
	// Two answers that wait, of as many bytes as may, and of one more.
	two := func(most int) (*session, streams.Conn) {
		d := open(t, "2025-11-25", streams.Options{MaxAnswers: most})
		one, a := d.call(1, "wait")
		other, _ := d.call(2, "wait")
		d.respond(one, "x")
		d.respond(other, "x")
		return d, a
	}
	d, a := two(1 << 20)
	plain, _ := open(t, "2025-11-25", streams.Options{}), a
	most := d.x.Bytes() - plain.x.Bytes() - 2*256 // what the ended streams count beside
	if d, a := two(most); d.eff.Lost != 0 || d.read(a, 0) != "1-2:answer1 ended" {
		t.Errorf("%d lost, %s", d.eff.Lost, d.read(a, 0))
	}
	if d, a := two(most - 1); d.eff.Lost != 1 || d.read(a, 0) != "dropped" {
		t.Errorf("%d lost, %s", d.eff.Lost, d.read(a, 0))
	}
}

// What a connection is told of its stream.
func TestConnected(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	_, json := d.call(1, "wait")
	_, sse := d.call(2, "wait")
	d.begin(sse)
	get := d.listen()
	_, gone := d.call(3, "wait")
	d.begin(gone)
	d.detach(gone)
	for name, c := range map[string]struct {
		c                 streams.Conn
		begun, is, exists bool
	}{
		"JSON": {json, false, true, true}, "SSE": {sse, true, true, true}, "GET": {get, true, true, true}, "left": {gone, false, false, true},
		"none": {streams.Conn{Stream: 99, Gen: 1}, false, false, false}, "another": {streams.Conn{Stream: get.Stream, Gen: 2}, false, false, false},
	} {
		if begun, is := d.x.Connected(c.c); begun != c.begun || is != c.is || d.x.Known(c.c) != c.exists {
			t.Errorf("%s: begun %v, connected %v, known %v", name, begun, is, d.x.Known(c.c))
		}
	}
}

// What is answered or refused at once takes nothing along of what else was to be sent: that goes its own way.
func TestBesideAnAnswer(t *testing.T) {
	for name, text := range map[string]string{"answered": callText(7, "now"), "refused": `{"jsonrpc":"2.0","id":8,"method":7}`} {
		d := open(t, "2025-11-25", streams.Options{})
		get := d.listen()
		m := jsonrpc.Decode([]byte(text))
		s, out := d.h.Receive(d.s, d.now, m)
		s, more, err := s.Notify(d.now, logMessage("beside"), server.Call{})
		if err != nil {
			t.Fatal(err)
		}
		out.Send = append(more.Send, out.Send...)
		x, _, reply, eff := d.x.Post(s, d.now, m, out)
		d.x = x
		d.took(eff)
		if reply.Status == 0 || strings.Contains(string(reply.Body), "beside") || eff.Lost != 0 {
			t.Errorf("%s: %d %s, %d lost", name, reply.Status, reply.Body, eff.Lost)
		}
		d.expect(get, 0, "1-1:prime 1-2:beside open")
	}
}

// What nobody was there for is lost with the session, and counted.
func TestBacklogEnds(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	d.log("x")
	s, out := d.s.Disconnected(d.now, nil)
	if d.does(s, out, nil); d.eff.Lost != 1 || d.x.Bytes() != 0 {
		t.Errorf("%d lost, %d bytes are kept", d.eff.Lost, d.x.Bytes())
	}
}

func TestStreamsMarshal(t *testing.T) {
	if _, err := json.Marshal(streams.Streams{}); !errors.Is(err, lifecycle.ErrMarshal) {
		t.Error(err)
	}
}
