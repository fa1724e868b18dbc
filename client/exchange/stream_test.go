package exchange_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

const ms = time.Millisecond

// streaming returns the exchange of a request whose answer is a stream.
func streaming(opt exchange.Options) exchange.Exchange {
	return exchange.Post(opt, session, jsonrpc.DecodeString(ping)).Respond(now, head(200, headers.EventStream))
}

func listening(opt exchange.Options) exchange.Exchange {
	return exchange.Listen(opt, session).Respond(now, head(200, headers.EventStream))
}

// feed hands events over and returns the messages, by their ids and methods.
func feed(x exchange.Exchange, events ...sse.Event) (exchange.Exchange, string) {
	var seen []string
	for _, e := range events {
		var m jsonrpc.Message
		var ok bool
		if x, m, ok = x.Event(now, e); ok {
			seen = append(seen, m.Kind.String()+" "+m.ID.String()+m.Method)
		}
	}
	return x, strings.Join(seen, ", ")
}

// Which events are messages, which of them end the exchange, and what those say that are none.
//
// rows: HTTP-013 HTTP-015 HTTP-103
func TestEvents(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`
	const bare = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`
	id := func(id, data string) sse.Event { return sse.Event{ID: id, HasID: true, Data: data} }
	for _, c := range []struct {
		name   string
		events []sse.Event
		want   string
		done   bool
		last   string // where it would be resumed; "" if not
	}{
		{"the answer", []sse.Event{id("1", answer)}, "result 1", true, ""},
		{"messages before it", []sse.Event{id("a", ""), id("b", asks), id("c", note), id("d", answer)}, "request 1roots/list, notification absentnotifications/initialized, result 1", true, ""},
		{"priming", []sse.Event{id("a", "")}, "", false, "a"},
		{"no ids", []sse.Event{{Data: note}}, "notification absentnotifications/initialized", false, ""},
		{"an id that goes", []sse.Event{id("a", note), {HasID: true}}, "notification absentnotifications/initialized", false, ""},
		{"an id that cannot be sent", []sse.Event{id("a", note), id("\x01", "")}, "notification absentnotifications/initialized", false, ""},
		{"a type", []sse.Event{{Name: "message", Data: asks}}, "request 1roots/list", false, ""},
		{"another type", []sse.Event{{Name: "ping", Data: answer, ID: "a", HasID: true}}, "", false, "a"},
		{"an answer to something else", []sse.Event{id("a", other)}, "result 2", false, "a"},
		{"an error without id", []sse.Event{id("a", bare)}, "error 1", true, ""},
		{"a malformed answer", []sse.Event{id("a", `{"jsonrpc":"2.0","id":1,"result":1}`)}, "invalid 1", true, ""},
		{"no message", []sse.Event{id("a", "x")}, "invalid absent", false, "a"},
		{"too long an answer", []sse.Event{{ID: "a", HasID: true, Oversize: true, Data: answer + strings.Repeat(" ", 10)}}, "invalid 1", true, ""},
		{"too long a message", []sse.Event{{ID: "a", HasID: true, Oversize: true, Data: `{"jsonrpc"`}}, "invalid 1", true, ""},
		{"too long a notification", []sse.Event{{ID: "a", HasID: true, Oversize: true, Data: note + strings.Repeat(" ", 10)}}, "invalid absentnotifications/initialized", false, "a"},
		{"what comes after the answer", []sse.Event{id("a", answer), id("b", note), id("c", answer)}, "result 1, notification absentnotifications/initialized, result 1", true, ""},
		{"an id again on the same connection", []sse.Event{id("a", note), id("a", note)}, "notification absentnotifications/initialized, notification absentnotifications/initialized", false, "a"},
	} {
		x, got := feed(streaming(exchange.Options{}), c.events...)
		if got != c.want || (x.Phase() == exchange.Done) != c.done {
			t.Errorf("%s: %q, phase %d", c.name, got, x.Phase())
		}
		x = x.Closed(now)
		if c.done {
			continue
		}
		if (x.Phase() == exchange.Waiting) != (c.last != "") {
			t.Errorf("%s: %+v", c.name, x.Failure())
		}
		x = x.Tick(x.At())
		if got := last(x); got != c.last {
			t.Errorf("%s: resumes behind %q", c.name, got)
		}
	}
	// A server may begin again with the event that was named, once.
	named := sse.Event{ID: "1-1", HasID: true, Data: note, Retry: 700 * ms, HasRetry: true}
	y, got := feed(resuming(ping).Respond(now, head(200, headers.EventStream)), named, named, sse.Event{ID: "1-2", HasID: true, Data: note})
	if got != "notification absentnotifications/initialized, notification absentnotifications/initialized" {
		t.Errorf("%q", got)
	}
	if y = y.Closed(now); y.At().Sub(now) != 700*ms {
		t.Errorf("at %v", y.At())
	}
	y, _ = feed(resuming(ping).Respond(now, head(200, headers.EventStream)), named)
	if y = y.Closed(now); y.At().Sub(now) != 1400*ms {
		t.Errorf("what was sent again counts as new, or its retry does not count: at %v", y.At().Sub(now))
	}
	if y, got = feed(resuming(ping).Respond(now, head(200, headers.EventStream)), sse.Event{Data: note}, named); got != "notification absentnotifications/initialized" {
		t.Errorf("%q, phase %d", got, y.Phase())
	}
	// A GET stream has answers of no request of its own.
	x, got := feed(listening(exchange.Options{}), sse.Event{Data: answer}, sse.Event{Data: bare})
	if got != "result 1, error absent" || x.Phase() != exchange.Stream {
		t.Errorf("%q, phase %d", got, x.Phase())
	}
}

// last returns the Last-Event-ID that the exchange would send.
func last(x exchange.Exchange) string {
	for _, f := range x.Fields() {
		if f.Name == headers.LastEventID {
			return f.Value
		}
	}
	return ""
}

// The client waits as long as the server says, and longer each time that this brings nothing.
//
// rows: HTTP-106 HTTP-107
func TestRetry(t *testing.T) {
	priming := sse.Event{ID: "1-0", HasID: true, Retry: 500 * ms, HasRetry: true}
	x, _ := feed(streaming(exchange.Options{}), priming)
	x = x.Closed(now)
	if x.Phase() != exchange.Waiting || !x.At().Equal(now.Add(500*ms)) || x.Op() != 0 {
		t.Fatalf("phase %d, at %v", x.Phase(), x.At())
	}
	if early := x.Tick(now.Add(500*ms - 1)); early.Phase() != exchange.Waiting || !early.At().Equal(x.At()) {
		t.Error("it does not wait")
	}
	x = x.Tick(now.Add(500 * ms))
	if x.Op() != headers.OpResume || last(x) != "1-0" || !x.At().IsZero() {
		t.Fatalf("op %d, behind %q", x.Op(), last(x))
	}
	x, got := feed(x.Respond(now, head(200, headers.EventStream)), sse.Event{ID: "1-1", HasID: true, Data: answer})
	if got != "result 1" || x.Phase() != exchange.Done {
		t.Fatalf("%q, phase %d", got, x.Phase())
	}

	for _, c := range []struct {
		name  string
		opt   exchange.Options
		event sse.Event
		least time.Duration
		want  []time.Duration
	}{
		{"by default", exchange.Options{}, sse.Event{ID: "1", HasID: true}, 0, []time.Duration{1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 16000 * ms}},
		{"up to MaxWait", exchange.Options{Wait: 10 * ms, MinWait: ms, MaxWait: 35 * ms}, sse.Event{ID: "1", HasID: true}, 0, []time.Duration{10 * ms, 20 * ms, 35 * ms, 35 * ms, 35 * ms}},
		{"as the server says", exchange.Options{}, priming, 0, []time.Duration{500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms}},
		{"at once", exchange.Options{MinWait: 50 * ms}, sse.Event{ID: "1", HasID: true, HasRetry: true}, 0, []time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms}},
		{"at once, by default", exchange.Options{}, sse.Event{ID: "1", HasID: true, HasRetry: true}, 0, []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}},
		{"long", exchange.Options{}, sse.Event{ID: "1", HasID: true, Retry: time.Hour, HasRetry: true}, 0, []time.Duration{time.Hour, time.Hour, time.Hour, time.Hour, time.Hour}},
		{"the longest", exchange.Options{}, sse.Event{ID: "1", HasID: true, Retry: 1<<63 - 1, HasRetry: true}, 0, []time.Duration{1<<63 - 1, 1<<63 - 1, 1<<63 - 1, 1<<63 - 1, 1<<63 - 1}},
		{"busy", exchange.Options{}, sse.Event{ID: "1", HasID: true}, 3 * time.Second, []time.Duration{1000 * ms, 3000 * ms, 4000 * ms, 8000 * ms, 16000 * ms}},
	} {
		for i, start := range []func(exchange.Options) exchange.Exchange{streaming, listening} {
			x, _ := feed(start(c.opt), c.event)
			x = x.Closed(now)
			for n, want := range c.want {
				if x.Phase() != exchange.Waiting || x.At().Sub(now) != want {
					t.Fatalf("%s, time %d: phase %d, %v, want %v", c.name, n, x.Phase(), x.At().Sub(now), want)
				}
				x = x.Tick(x.At())
				if c.least > 0 {
					x = x.Respond(now, exchange.Head{Status: 503, RetryAfter: c.least})
				} else {
					x = x.Closed(now)
				}
			}
			if again := x.Phase() == exchange.Waiting; again != (x.Op() == 0 && i == 1) || !again && (x.Failure().Reason != exchange.Exhausted || x.Failure().Delivery() != lifecycle.MayHaveRun) {
				t.Errorf("%s: phase %d, %+v", c.name, x.Phase(), x.Failure())
			}
		}
	}
}

// An answer that the server has nothing new for is given up at some time; a stream of its
// own messages is not, as long as it can be opened.
func TestPolls(t *testing.T) {
	closed := func(x exchange.Exchange, after time.Duration, events ...sse.Event) exchange.Exchange {
		x = x.Tick(x.At()).Respond(now, head(200, headers.EventStream))
		x, _ = feed(x, events...)
		return x.Closed(now.Add(after))
	}
	primed := sse.Event{ID: "0", HasID: true}
	count := func(start exchange.Exchange, after time.Duration, event func(n int) []sse.Event) (n int, wait time.Duration) {
		x, _ := feed(start, primed)
		for x = x.Closed(now); x.Phase() == exchange.Waiting && n < 1000; n++ {
			wait = x.At().Sub(now)
			x = closed(x, after, event(n)...)
		}
		if n < 1000 && x.Failure().Reason != exchange.Exhausted {
			t.Errorf("%+v", x.Failure())
		}
		return n, wait
	}
	none := func(int) []sse.Event { return nil }
	same := func(int) []sse.Event { return []sse.Event{primed} }
	plain := func(int) []sse.Event { return []sse.Event{{Data: note}} }
	fresh := func(n int) []sse.Event { return []sse.Event{{ID: strconv.Itoa(n + 1), HasID: true}} }
	for _, c := range []struct {
		name  string
		opt   exchange.Options
		after time.Duration
		event func(int) []sse.Event
		want  int
	}{
		{"nothing", exchange.Options{}, time.Second, none, 100},
		{"the same id", exchange.Options{}, time.Second, same, 100},
		{"messages without id", exchange.Options{}, time.Second, plain, 100},
		{"nothing, three times", exchange.Options{Polls: 3}, time.Second, none, 3},
		{"something new", exchange.Options{}, time.Second, fresh, 1000},
		{"a long stream of nothing", exchange.Options{}, 30 * time.Second, none, 1000},
	} {
		if n, _ := count(streaming(c.opt), c.after, c.event); n != c.want {
			t.Errorf("%s: %d times", c.name, n)
		}
		if n, wait := count(listening(c.opt), c.after, c.event); n != 1000 || wait > 31*time.Second {
			t.Errorf("%s, GET stream: %d times, the last after %v", c.name, n, wait)
		}
	}
	// A failure between two streams does not count with those before.
	x, _ := feed(listening(exchange.Options{}), primed)
	for range 50 {
		x = closed(x.Closed(now), time.Second)
		for range 4 {
			x = x.Tick(x.At()).Closed(now)
		}
		if x.Phase() != exchange.Waiting {
			t.Fatalf("%+v", x.Failure())
		}
		x = x.Tick(x.At()).Respond(now, head(200, headers.EventStream))
	}
}

// A GET stream that never opened is tried again, and one without ids is opened anew.
func TestListen(t *testing.T) {
	x := exchange.Listen(exchange.Options{Attempts: 2}, session)
	x = x.Closed(now)
	if x.Phase() != exchange.Waiting || x.Tick(x.At()).Op() != headers.OpListen {
		t.Fatalf("phase %d", x.Phase())
	}
	for range 100 { // however long that takes: half a minute apart in the end
		if x = x.Tick(x.At()).Closed(now); x.Phase() != exchange.Waiting || x.At().Sub(now) > 30*time.Second {
			t.Fatalf("phase %d, in %v", x.Phase(), x.At().Sub(now))
		}
	}
	if x.At().Sub(now) != 30*time.Second {
		t.Errorf("in %v", x.At().Sub(now))
	}
	y, _ := feed(listening(exchange.Options{}), sse.Event{Data: note})
	y = y.Closed(now)
	if y = y.Tick(y.At()); y.Op() != headers.OpListen {
		t.Errorf("op %d", y.Op())
	}
	z, _ := feed(listening(exchange.Options{}), sse.Event{Data: note, ID: "5", HasID: true})
	z = z.Closed(now)
	if z = z.Tick(z.At()); z.Op() != headers.OpResume || last(z) != "5" {
		t.Errorf("op %d behind %q", z.Op(), last(z))
	}
}

// A request that wants a token is made again with one, as it was, and not without end.
//
// rows: AUTH-014
func TestAgain(t *testing.T) {
	no := exchange.Head{Status: 401}
	for name, start := range map[string]exchange.Exchange{"post": post(ping), "resume": resuming(ping), "listen": exchange.Listen(exchange.Options{}, session)} {
		x := start
		for i := range 4 {
			x = x.Respond(now, no)
			next, ok := x.Again()
			if ok != (i < 3) || !ok && next != x {
				t.Fatalf("%s, time %d: %v", name, i, ok)
			}
			if ok && (next.Op() != start.Op() || last(next) != last(start) || next.Failure() != exchange.Failure{}) {
				t.Fatalf("%s: op %d behind %q", name, next.Op(), last(next))
			}
			x = next
		}
	}
	if x, ok := post(ping).Again(); ok || x.Phase() != exchange.Requesting {
		t.Error("a request that was not refused is made again")
	}
	if _, ok := post(ping).Respond(now, head(500, "")).Again(); ok {
		t.Error("a request that was refused for another reason is made again")
	}
	// A stream that is taken up with a new token every hour goes on.
	x := exchange.Listen(exchange.Options{Logins: 1}, session)
	for i := range 20 {
		next, ok := x.Respond(now, no).Again()
		if !ok {
			t.Fatal("no new token is taken")
		}
		x, _ = feed(next.Respond(now, head(200, headers.EventStream)), sse.Event{ID: strconv.Itoa(i), HasID: true})
		if x = x.Closed(now); x.Phase() != exchange.Waiting {
			t.Fatalf("phase %d", x.Phase())
		}
		x = x.Tick(x.At())
	}
	// A refused resumption that is given up is one of a request that may run.
	if f := resuming(ping).Respond(now, no).Failure(); f.Delivery() != lifecycle.MayHaveRun {
		t.Errorf("%+v", f)
	}
	if f := post(ping).Respond(now, no).Failure(); f.Delivery() != lifecycle.Rejected {
		t.Errorf("%+v", f)
	}
	if f := post(ping).Closed(now).Failure(); f.Reason != exchange.NoResponse || f.Delivery() != lifecycle.MayHaveRun || f.Status != 0 {
		t.Errorf("%+v", f)
	}
}

// A GET stream that the server had once goes on, whatever an answer says that may not be the server's:
// behind the last event while it may be resumed, and anew once that was refused.
func TestListenComesBack(t *testing.T) {
	cut := listening(exchange.Options{})
	cut, _, _ = cut.Event(now, sse.Event{ID: "1-1", HasID: true})
	cut = cut.Closed(now)
	cut = cut.Tick(cut.At())
	if cut.Op() != headers.OpResume {
		t.Fatalf("%v is to be made", cut.Op())
	}
	for _, c := range []struct {
		name string
		head exchange.Head
		op   headers.Op // of the request that is made next
	}{
		{"another type", head(200, "text/html"), headers.OpResume},
		{"no body", head(204, ""), headers.OpResume},
		{"refused", head(400, "text/html"), headers.OpListen},
		{"gone", head(410, ""), headers.OpListen},
	} {
		c.head.RetryAfter = time.Minute
		x := cut.Respond(now, c.head)
		if x.Phase() != exchange.Waiting || x.At().Before(now.Add(time.Minute)) {
			t.Errorf("%s: phase %d until %v, %+v", c.name, x.Phase(), x.At(), x.Failure())
			continue
		}
		if x = x.Tick(x.At()); x.Op() != c.op {
			t.Errorf("%s: %v is made, want %v", c.name, x.Op(), c.op)
		}
	}
}

// A GET stream that could not be had comes back when another message shows that the server is there:
// once until it was had again, and not before what the server named.
func TestReached(t *testing.T) {
	opt := exchange.Options{MinWait: 100 * time.Millisecond}
	failed := exchange.Listen(opt, session).Closed(now)
	unwell := exchange.Listen(opt, session).Respond(now, exchange.Head{Status: 503, RetryAfter: time.Minute})
	told, _ := feed(listening(opt), sse.Event{ID: "1", HasID: true, Retry: 10 * time.Second, HasRetry: true})
	cut := told.Closed(now)
	again := cut.Tick(cut.At()).Closed(now)
	posted := resuming(ping).Closed(now)
	for _, c := range []struct {
		name  string
		x     exchange.Exchange
		after time.Duration // of Reached; -1 for as before
	}{
		{"failed", failed, 100 * time.Millisecond},
		{"refused with Retry-After", unwell, time.Minute},
		{"had, and ended", listening(opt).Closed(now), -1},
		{"ended with retry", cut, -1},
		{"ended with retry, and failed", again, 10 * time.Second},
		{"of a message", posted, -1},
		{"not waiting", listening(opt), -1},
	} {
		x := c.x.Reached(now)
		if want := now.Add(c.after); c.after >= 0 && !x.At().Equal(want) || c.after < 0 && !x.At().Equal(c.x.At()) || x.Phase() != c.x.Phase() {
			t.Errorf("%s: phase %d until %v, before %v", c.name, x.Phase(), x.At(), c.x.At())
		}
	}
	later := failed.Reached(now.Add(500 * time.Millisecond))
	if !later.At().Equal(now.Add(500 * time.Millisecond)) {
		t.Error(later.At())
	}
	x := later.Tick(later.At())
	if x.Op() != headers.OpListen {
		t.Fatal(x.Op())
	}
	x = x.Closed(now)
	if y := x.Reached(now); !y.At().Equal(x.At()) {
		t.Errorf("twice: %v, before %v", y.At(), x.At())
	}
	x = x.Tick(x.At()).Respond(now, head(200, headers.EventStream)).Closed(now)
	x = x.Tick(x.At()).Closed(now)
	if y := x.Reached(now); !y.At().Before(x.At()) {
		t.Errorf("after another stream: %v, before %v", y.At(), x.At())
	}
}
