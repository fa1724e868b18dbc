package exchange_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// How far a message came, for every reason with every status, before and after the server took it: by
// what a server does for each, written down here once more.
func TestDelivery(t *testing.T) {
	// Statuses that a server gives before it does anything; the second ones pass.
	first := []int{307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 451}
	later := []int{421, 425, 429}
	in := func(list []int, n int) bool {
		for _, v := range list {
			if v == n {
				return true
			}
		}
		return false
	}
	for r := exchange.Reason(0); r <= exchange.Rejected; r++ {
		for status := range 600 {
			for _, accepted := range []bool{false, true} {
				f := exchange.Failure{Reason: r, Status: status, Accepted: accepted, After: time.Duration(status)}
				rejected := in(first, status)
				switch r {
				case exchange.Rejected, exchange.SessionGone, exchange.NotServed, exchange.Unauthorized:
					rejected = true
				}
				want := lifecycle.MayHaveRun
				switch {
				case accepted:
				case r == exchange.NotSent || r == exchange.Unauthorized && status == 0:
					want = lifecycle.NotSent
				case rejected:
					want = lifecycle.Rejected
				}
				temporary := want != lifecycle.Rejected || r == exchange.Rejected || r == exchange.SessionGone || in(later, status)
				if f.Delivery() != want || f.Temporary() != temporary || f.RetryAfter() != f.After {
					t.Fatalf("%v, status %d, accepted %v: %v, temporary %v, after %v; want %v, %v", r, status, accepted, f.Delivery(), f.Temporary(), f.RetryAfter(), want, temporary)
				}
			}
		}
	}
}

// What a Failure says of a body that is no JSON-RPC: its beginning, quoted, and at most so much; and the
// text of the error, whatever it has.
func TestText(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"no such page", `"no such page"`},
		{" \n\t no \r\n", `"no"`},
		{" \n\t", ""},
		{`a "b"`, `"a \"b\""`},
		{"\xff\x00", `"\xff\x00"`},
		{strings.Repeat("x", 200), `"` + strings.Repeat("x", 200) + `"`},
		{strings.Repeat("x", 201), `"` + strings.Repeat("x", 200) + `"`},
		{strings.Repeat(" ", 4095) + "xy", `"x"`}, // what is behind 4096 bytes is not read
		{strings.Repeat(" ", 4096) + "x", ""},
	} {
		for _, contentType := range []string{"text/html", headers.JSON} {
			x := post(ping).Respond(now, exchange.Head{Status: 503, ContentType: contentType, RetryAfter: time.Minute})
			if most := x.MaxBody(); contentType == headers.JSON && most != jsonrpc.DefaultMaxBytes+1 || contentType != headers.JSON && most != 4096 {
				t.Errorf("%d bytes of %s are read", most, contentType)
			}
			x, _, ok := x.Body(now, []byte(c.body))
			f := x.Failure()
			if ok || x.Phase() != exchange.Lost || f.Text != c.want || f.Said() != c.want || f.After != time.Minute || f.Status != 503 {
				t.Errorf("%.20q: %v, %+v", c.body, ok, f)
			}
			want := "exchange: refused, status 503"
			if c.want != "" {
				want += ": " + c.want
			}
			if f.Error() != want {
				t.Errorf("%q, want %q", f.Error(), want)
			}
		}
	}
	// With an error the text is that of the error, cut where it is too long, whole characters alone.
	for _, n := range []int{4095, 4096, 4097} {
		data := `"` + strings.Repeat("d", n-2) + `"`
		body := `{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"` + strings.Repeat("m", n) + `","data":` + data + `}}`
		x, _, _ := post(ping).Respond(now, head(500, headers.JSON)).Body(now, []byte(body))
		e := x.Failure().Err
		if e == nil || e.Code != -5 || len(e.Message) != min(n, 4096) || (e.Data != "") != (n <= 4096) || x.Failure().Text != "" || x.Failure().Said() != e.Message {
			t.Errorf("%d bytes: %+v", n, x.Failure())
		}
	}
}

// A request that may not have left is lost at once, whatever it is; one of a stream that is resumed comes
// back.
func TestUnanswered(t *testing.T) {
	for _, c := range []struct {
		d    lifecycle.Delivery
		want exchange.Reason
	}{{lifecycle.MayHaveRun, exchange.NoResponse}, {lifecycle.NotSent, exchange.NotSent}, {lifecycle.Rejected, exchange.Rejected}} {
		for _, before := range []exchange.Exchange{post(ping), post(note), post(open("2025-11-25"))} {
			x := before.Unanswered(now, c.d)
			if f := x.Failure(); x.Phase() != exchange.Lost || f.Reason != c.want || f.Delivery() != c.d || f.Status != 0 || f.Accepted {
				t.Errorf("%v: %+v", c.d, f)
			}
		}
		for _, before := range []exchange.Exchange{resuming(ping), exchange.Listen(exchange.Options{}, session)} {
			if x := before.Unanswered(now, c.d); x.Phase() != exchange.Waiting {
				t.Errorf("%v: phase %d", c.d, x.Phase())
			}
		}
		if x := post(ping).Respond(now, head(200, headers.EventStream)); x.Unanswered(now, c.d) != x.Closed(now) {
			t.Errorf("%v: an answer that broke off is something else", c.d)
		}
		// What an earlier request was answered with is not the status of this one.
		x, _ := post(ping).Respond(now, head(401, "")).Again()
		if f := x.Unanswered(now, c.d).Failure(); f.Status != 0 || f.Delivery() != c.d {
			t.Errorf("%v: %+v", c.d, f)
		}
	}
}

// A request that is made again after Unauthorized is as it was before: each answer does to it what it does
// to a fresh one.
func TestAgainIsFresh(t *testing.T) {
	const bare = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`
	type seen struct {
		phase   exchange.Phase
		failure string
		message string
	}
	look := func(x exchange.Exchange, m jsonrpc.Message) seen {
		return seen{x.Phase(), x.Failure().Error(), m.Kind.String() + m.ID.String()}
	}
	for _, status := range []int{200, 202, 302, 400, 401, 403, 404, 405, 429, 500, 503} {
		for _, contentType := range []string{"", headers.JSON, headers.EventStream, "text/html"} {
			for _, body := range []string{"", answer, other, bare, "x"} {
				var got [2]seen
				for i, x := range []exchange.Exchange{post(ping), post(ping).Respond(now, exchange.Head{Status: 401, ContentType: headers.JSON})} {
					if i == 1 {
						x, _, _ = x.Body(now, []byte(bare))
						if x, _ = x.Again(); x.Phase() != exchange.Requesting {
							t.Fatal("it is not made again")
						}
					}
					x = x.Respond(now, head(status, contentType))
					var m jsonrpc.Message
					if contentType == headers.EventStream {
						x, m, _ = x.Event(now, sse.Event{Data: body})
					} else {
						x, m, _ = x.Body(now, []byte(body))
					}
					got[i] = look(x.Closed(now), m)
				}
				if got[0] != got[1] {
					t.Errorf("status %d, %q, %.20q: %v, and at first %v", status, contentType, body, got[1], got[0])
				}
			}
		}
	}
}

// An array with the answer in it ends the exchange: as an answer in a revision that has arrays, as a loss in
// one that has none. Any other array is what may stand before the answer.
func TestArrayInStream(t *testing.T) {
	const failed = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`
	for _, rev := range protocol.Revisions() {
		for body, has := range map[string]bool{
			"[" + answer + "]": true, "[" + other + "," + answer + "]": true, "[" + failed + "]": true,
			"[" + other + "]": false, "[" + note + "]": false, "[" + ping + "]": false, "[]": false, "[5]": false,
		} {
			in := exchange.Session{Revision: rev}
			x := exchange.Post(exchange.Options{}, in, jsonrpc.DecodeString(ping)).Respond(now, head(200, headers.EventStream))
			x, m, ok := x.Event(now, sse.Event{Data: body})
			want := exchange.Stream
			if has && rev.Batches() {
				want = exchange.Done
			} else if has {
				want = exchange.Lost
			}
			if !ok || x.Phase() != want || want == exchange.Lost && x.Failure().Reason != exchange.NoAnswer {
				t.Errorf("%v, %s: %v, %v, phase %d, %+v", rev, body, ok, m.Kind, x.Phase(), x.Failure())
			}
			// It is no answer on a GET stream, and none once there is one.
			x, _, _ = exchange.Listen(exchange.Options{}, in).Respond(now, head(200, headers.EventStream)).Event(now, sse.Event{Data: body})
			if x.Phase() != exchange.Stream {
				t.Errorf("%v, %s: the GET stream is in phase %d", rev, body, x.Phase())
			}
			x = exchange.Post(exchange.Options{}, in, jsonrpc.DecodeString(ping)).Respond(now, head(200, headers.EventStream))
			x, _, _ = x.Event(now, sse.Event{Data: answer})
			if x, _, _ = x.Event(now, sse.Event{Data: body}); x.Phase() != exchange.Done {
				t.Errorf("%v, %s behind the answer: phase %d", rev, body, x.Phase())
			}
		}
	}
}

// News is an event with another id than the one before: without any the wait doubles, and with it begins
// anew.
func TestNews(t *testing.T) {
	for _, c := range []struct {
		ids  []string // of each stream in turn, one event each; "-" for an event without id
		want time.Duration
	}{
		{[]string{"1", "2", "3", "4"}, time.Second},
		{[]string{"1", "1", "1", "1"}, time.Second << 3},
		{[]string{"1", "-", "-"}, time.Second << 2},
		{[]string{"1", "1", "2"}, time.Second},
		{[]string{"1", "2", "2", "2"}, time.Second << 2},
	} {
		x := post(ping)
		for i, id := range c.ids {
			x = x.Respond(now, head(200, headers.EventStream))
			e := sse.Event{Data: note}
			if id != "-" {
				e.ID, e.HasID = id, true
			}
			x, _, _ = x.Event(now, e)
			if x = x.Closed(now); x.Phase() != exchange.Waiting {
				t.Fatalf("%v, %d: phase %d", c.ids, i, x.Phase())
			}
			if i < len(c.ids)-1 {
				x = x.Tick(x.At())
			}
		}
		if wait := x.At().Sub(now); wait != c.want {
			t.Errorf("%v: it waits %v, want %v", c.ids, wait, c.want)
		}
	}
}
