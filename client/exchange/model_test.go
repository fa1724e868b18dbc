package exchange_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
)

// server is a naive server of one stream: a list of events, each with an id, of which the last is
// the answer. What it does with each request is drawn.
type server struct {
	t         *rapid.T
	events    []sse.Event
	inclusive bool // it replays the event that the client names too
	fair      int  // so many requests are spoiled at most in a row
	spoiled   int
	posts     int
	closed    time.Time     // when it last closed a stream
	retry     time.Duration // what it said
}

// serve makes one request of the exchange and returns what the messages were.
func (s *server) serve(at time.Time, x exchange.Exchange) (next exchange.Exchange, seen []string, later time.Time) {
	op, last := x.Op(), last(x)
	switch op {
	case headers.OpPost:
		if s.posts++; s.posts > 1 {
			s.t.Fatal("the message is posted again")
		}
	case headers.OpResume:
		if at.Sub(s.closed) < s.retry {
			s.t.Fatalf("it is back after %v, asked for %v", at.Sub(s.closed), s.retry)
		}
	default:
		s.t.Fatalf("op %d", op)
	}
	later = at.Add(time.Duration(rapid.IntRange(0, 2000).Draw(s.t, "takes")) * ms)
	spoil := s.spoiled < s.fair && rapid.Bool().Draw(s.t, "spoil")
	if spoil && op == headers.OpResume {
		s.spoiled++
		s.closed = later
		if rapid.Bool().Draw(s.t, "status") {
			return x.Respond(later, head(rapid.SampledFrom([]int{500, 502, 503, 429}).Draw(s.t, "which"), "")), nil, later
		}
		return x.Closed(later), nil, later
	}
	from := 0
	if op == headers.OpResume {
		n, err := strconv.Atoi(last)
		if err != nil || n >= len(s.events) {
			s.t.Fatalf("it resumes behind %q", last)
		}
		if from = n + 1; s.inclusive {
			from = n
		}
	}
	// From an unspoiled request at least one new event comes.
	least := 0
	if !spoil {
		least, s.spoiled = 2, 0
	} else {
		s.spoiled++
	}
	if op == headers.OpPost {
		least = 1 // or it could not be resumed
	}
	to := min(len(s.events), from+rapid.IntRange(least, max(least, 4)).Draw(s.t, "events"))
	x = x.Respond(at, head(200, headers.EventStream))
	for _, e := range s.events[from:to] {
		var m jsonrpc.Message
		var ok bool
		if e.HasRetry {
			s.retry = e.Retry
		}
		if x, m, ok = x.Event(later, e); ok {
			seen = append(seen, m.ID.String()+m.Method)
		}
	}
	s.closed = later
	return x.Closed(later), seen, later
}

// Whatever a server that keeps its events does to the connections, the messages come once each, in
// their order, and the exchange is Done when the answer is there, and not before.
//
// rows: HTTP-038 HTTP-104 HTTP-106 HTTP-107
func TestResumptionModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "messages")
		s := &server{t: t, inclusive: rapid.Bool().Draw(t, "inclusive"), fair: rapid.IntRange(0, 4).Draw(t, "fair")}
		var want []string
		add := func(e sse.Event) {
			e.ID, e.HasID = strconv.Itoa(len(s.events)), true
			if rapid.IntRange(0, 4).Draw(t, "retry") == 0 {
				e.Retry, e.HasRetry = time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms"))*ms, true
			}
			s.events = append(s.events, e)
		}
		add(sse.Event{})
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				add(sse.Event{})
				continue
			}
			method := fmt.Sprintf("notifications/%d", i)
			add(sse.Event{Data: `{"jsonrpc":"2.0","method":"` + method + `"}`})
			want = append(want, "absent"+method)
		}
		add(sse.Event{Data: answer})
		want = append(want, "1")

		x, at := post(ping), now
		var got []string
		for step := 0; x.Phase() != exchange.Done; step++ {
			switch x.Phase() {
			case exchange.Requesting:
				var seen []string
				x, seen, at = s.serve(at, x)
				got = append(got, seen...)
			case exchange.Waiting:
				at = x.At()
				x = x.Tick(at)
			default:
				t.Fatalf("phase %d, %+v", x.Phase(), x.Failure())
			}
			if !slices.Equal(got, want[:min(len(got), len(want))]) || step > 10000 {
				t.Fatalf("step %d: got %v, want %v", step, got, want)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Whatever comes, in whatever order, an exchange ends once, by Done or Lost, and stays so; what
// it asks for is bounded; and no value that was is changed.
func TestAnyOrder(t *testing.T) {
	texts := []string{"", answer, other, ping, note, "x", `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`, "[" + answer + "]", open("2025-11-25")}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts)
		opt := exchange.Options{Attempts: rapid.IntRange(-1, 3).Draw(t, "attempts"), Polls: rapid.IntRange(0, 3).Draw(t, "polls"), Logins: rapid.IntRange(0, 2).Draw(t, "logins")}
		x := exchange.Post(opt, session, jsonrpc.DecodeString(text.Draw(t, "message")))
		if rapid.Bool().Draw(t, "listen") {
			x = exchange.Listen(opt, session)
		}
		if rapid.IntRange(0, 9).Draw(t, "zero") == 0 {
			x = exchange.Exchange{}
		}
		at := now
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before, copied := x, x
			ended := x.Phase() == exchange.Done || x.Phase() == exchange.Lost
			again := false
			switch rapid.IntRange(0, 5).Draw(t, "verb") {
			case 0:
				h := exchange.Head{
					Status:      rapid.SampledFrom([]int{-1, 0, 200, 200, 200, 202, 400, 401, 403, 404, 405, 500}).Draw(t, "status"),
					ContentType: rapid.SampledFrom([]string{"", headers.JSON, headers.EventStream, headers.EventStream}).Draw(t, "type"),
					Session:     rapid.SampledFrom([]string{"", "a"}).Draw(t, "session"),
				}
				x = x.Respond(at, h)
			case 1:
				x, _, _ = x.Body(at, []byte(text.Draw(t, "body")))
			case 2:
				e := sse.Event{
					Data: text.Draw(t, "data"), ID: rapid.SampledFrom([]string{"", "1", "2", "\n"}).Draw(t, "id"), HasID: rapid.Bool().Draw(t, "has id"),
					Retry: time.Duration(rapid.Int64().Draw(t, "retry")), HasRetry: rapid.Bool().Draw(t, "has retry"), Oversize: rapid.Bool().Draw(t, "oversize"),
				}
				x, _, _ = x.Event(at, e)
			case 3:
				x = x.Closed(at)
			case 4:
				at = at.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "passes")))
				x = x.Tick(at)
			case 5:
				x, again = x.Again()
			}
			if before != copied {
				t.Fatal("a value changed")
			}
			if ended && !again && x.Phase() != before.Phase() {
				t.Fatalf("from phase %d to %d", before.Phase(), x.Phase())
			}
			if again && before.Failure().Reason != exchange.Unauthorized {
				t.Fatalf("again after %+v", before.Failure())
			}
			if (x.Phase() == exchange.Lost) != (x.Failure().Reason != 0) || (x.Phase() == exchange.Waiting) == x.At().IsZero() || (x.Phase() == exchange.Requesting) != (x.Op() != 0) {
				t.Fatalf("phase %d, %+v, at %v, op %d", x.Phase(), x.Failure(), x.At(), x.Op())
			}
			if x.Phase() == exchange.Waiting && before.Phase() != exchange.Waiting && x.At().Sub(at) < 100*ms {
				t.Fatalf("waits %v", x.At().Sub(at))
			}
			if last := last(x); last != "" && !headers.ValidEventID(last) {
				t.Fatalf("Last-Event-ID %q", last)
			}
		}
	})
}
