package nethttp_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// sluggish is a client that takes as much of a response as it is told to.
type sluggish struct {
	*response
	mu    sync.Mutex
	takes int           // bytes
	more  chan struct{} // it may take more
	cut   chan struct{} // its deadline has come
	once  sync.Once
}

func (s *sluggish) take(n int) {
	s.mu.Lock()
	s.takes += n
	s.mu.Unlock()
	s.more <- struct{}{}
	synctest.Wait()
}

func (s *sluggish) Write(b []byte) (int, error) {
	for {
		s.mu.Lock()
		enough := s.takes >= len(b)
		if enough {
			s.takes -= len(b)
		}
		s.mu.Unlock()
		if enough {
			return s.response.Write(b)
		}
		select {
		case <-s.more:
		case <-s.cut:
			return 0, os.ErrDeadlineExceeded
		}
	}
}

func (s *sluggish) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() && !at.After(time.Now()) {
		s.once.Do(func() { close(s.cut) })
	}
	return nil
}

// newLong is newBubble with a tool whose answer is long.
func newLong(t *testing.T, opt nethttp.Options) *bubble {
	t.Helper()
	hs := newKit().handlers()
	hs.Tool(protocol.Tool{Name: "long", InputSchema: object}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(strings.Repeat("x", 1_000_000)), nil
	})
	h, err := nethttp.NewHandler(serverConfig, hs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &bubble{t: t, h: h}
}

// reader begins a call of a tool with a long answer, of which its client takes nothing.
func (b *bubble) reader(id, form string, at ...func(*http.Request)) *sluggish {
	s := &sluggish{more: make(chan struct{}, 100), cut: make(chan struct{})}
	accept := func(r *http.Request) { r.Header.Set("Accept", form) }
	b.serve("POST", id, "", callOf(tool, "{}"), func(r *response) http.ResponseWriter { s.response = r; return s }, append(at, accept)...)
	synctest.Wait()
	time.Sleep(time.Millisecond)
	return s
}

var tool = "long"

const (
	asJSON  = "application/json"
	asEvent = "application/json, text/event-stream"
)

// What is being written is bounded for all together: exactly so much is held, and beyond that the
// connection is closed whose client took nothing for longest. What ended makes room.
func TestWritingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := newLong(t, nethttp.Options{})
		r := whole.serve("POST", whole.open("2025-11-25"), "", callOf("long", "{}"), nil)
		<-r.done
		n := len(r.text())
		whole.close()
		b := newLong(t, nethttp.Options{WritingBytes: 3 * n})
		defer b.close()
		id := b.open("2025-11-25")
		first, second, third := b.reader(id, asJSON), b.reader(id, asJSON), b.reader(id, asJSON)
		first.take(64 << 10) // it moves
		for _, s := range []*sluggish{first, second, third} {
			if s.over() {
				t.Error("closed within the bound")
			}
		}
		fourth := b.reader(id, asJSON)
		if first.over() || !second.over() || third.over() || fourth.over() {
			t.Error(first.over(), second.over(), third.over(), fourth.over())
		}
		third.take(n)
		if !third.over() || len(third.text()) != n {
			t.Error("not all was written:", len(third.text()))
		}
		fifth := b.reader(id, asJSON) // in the room of the third
		if first.over() || fourth.over() || fifth.over() {
			t.Error(first.over(), fourth.over(), fifth.over())
		}
		for _, s := range []*sluggish{first, fourth, fifth} {
			if s.take(n); !s.over() || len(s.text()) != n {
				t.Error("not all was written:", len(s.text()))
			}
		}
	})
}

// The owner of most loses a connection, with what it is about to have, and not one that is alone.
func TestSharesOfWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLong(t, nethttp.Options{WritingBytes: 3_500_000, StreamAfter: time.Minute})
		defer b.close()
		one, other := from("192.0.2.1:1"), from("198.51.100.1:1")
		id, own := b.open("2025-11-25", one), b.open("2025-11-25", other)
		alone := b.reader(own, asJSON, other)
		first, second := b.reader(id, asJSON, one), b.reader(id, asJSON, one)
		third := b.reader(id, asJSON, one)
		if alone.over() || !first.over() || second.over() || third.over() {
			t.Error(alone.over(), first.over(), second.over(), third.over())
		}
		for _, s := range []*sluggish{alone, second, third} {
			s.take(2_000_000)
		}
		for range 10 { // what is about to be written counts as well
			b := newLong(t, nethttp.Options{WritingBytes: 2_500_000, StreamAfter: time.Minute})
			id, own := b.open("2025-11-25", one), b.open("2025-11-25", other)
			alone, first := b.reader(own, asJSON, other), b.reader(id, asJSON, one)
			second := b.reader(id, asJSON, one)
			if alone.over() || !first.over() || second.over() {
				t.Error(alone.over(), first.over(), second.over())
			}
			alone.take(2_000_000)
			second.take(2_000_000)
			b.close()
		}
	})
}

// One alone may be longer than the bound, and what waits in a stream counts: its connection is closed,
// and what it has not written can be resumed.
func TestWritingOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLong(t, nethttp.Options{WritingBytes: 500_000, StreamAfter: -1})
		defer b.close()
		id := b.open("2025-11-25")
		first := b.reader(id, asEvent)
		first.take(64 << 10)
		if first.over() {
			t.Error("one alone is closed")
		}
		second := b.reader(id, asEvent)
		second.take(10_000)
		if !first.over() || second.over() {
			t.Error(first.over(), second.over())
		}
		second.take(5_000_000)
		if !second.over() || len(second.text()) < 1_000_000 {
			t.Error(len(second.text()))
		}
		tool = "big" // many short events
		third := b.reader(id, asEvent)
		third.take(100)
		third.take(60_000)
		if third.over() {
			t.Error("one alone is closed")
		}
		tool = "long"
		fourth := b.reader(id, asEvent)
		fourth.take(10_000)
		if !third.over() || fourth.over() {
			t.Error(third.over(), fourth.over())
		}
		fourth.take(5_000_000)
	})
}
