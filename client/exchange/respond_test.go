package exchange_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	ping   = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	note   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	other  = `{"jsonrpc":"2.0","id":2,"result":{}}`
)

func open(rev string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + rev + `"}}`
}

var session = exchange.Session{ID: "s-1", Revision: protocol.Revision20251125}

func post(text string) exchange.Exchange {
	return exchange.Post(exchange.Options{}, session, jsonrpc.DecodeString(text))
}

func head(status int, contentType string) exchange.Head {
	return exchange.Head{Status: status, ContentType: contentType}
}

// resuming returns the exchange of a request whose stream was cut and that makes its GET.
func resuming(text string) exchange.Exchange {
	x := post(text).Respond(now, head(200, headers.EventStream))
	x, _, _ = x.Event(now, sse.Event{ID: "1-1", HasID: true})
	x = x.Closed(now)
	return x.Tick(x.At())
}

// Every status with every type of body, for every kind of exchange, against a table that is
// written in another way: what the driver reads next, or why it is over.
//
// rows: HTTP-009 HTTP-012 HTTP-013 HTTP-025 HTTP-047 HTTP-055 HTTP-110 AUTH-014
func TestRespond(t *testing.T) {
	type ending struct {
		phase  exchange.Phase
		reason exchange.Reason
	}
	lost := func(r exchange.Reason) ending { return ending{exchange.Lost, r} }
	is := func(p exchange.Phase) ending { return ending{phase: p} }
	started := map[string]func(id string) exchange.Exchange{
		"note": func(id string) exchange.Exchange {
			return exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(note))
		},
		"response": func(id string) exchange.Exchange {
			return exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(other))
		},
		"request": func(id string) exchange.Exchange {
			return exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(ping))
		},
		"old open": func(id string) exchange.Exchange {
			return exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(open("2025-06-18")))
		},
		"open": func(id string) exchange.Exchange {
			return exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(open("2025-11-25")))
		},
		"listen": func(id string) exchange.Exchange {
			return exchange.Listen(exchange.Options{}, exchange.Session{ID: id})
		},
		"resume": func(id string) exchange.Exchange {
			x := exchange.Post(exchange.Options{}, exchange.Session{ID: id}, jsonrpc.DecodeString(ping)).Respond(now, head(200, headers.EventStream))
			x, _, _ = x.Event(now, sse.Event{ID: "1-1", HasID: true})
			x = x.Closed(now)
			return x.Tick(x.At())
		},
	}
	want := func(kind, id string, status int, contentType string, challenged bool) ending {
		json, stream := strings.Contains(contentType, "json"), strings.Contains(contentType, "event")
		get := kind == "listen" || kind == "resume"
		opens := kind == "open" || kind == "old open"
		switch {
		case status/100 == 2:
			switch {
			case kind == "note" || kind == "response":
				return is(exchange.Done)
			case stream:
				return is(exchange.Stream)
			case json && !get:
				return is(exchange.JSON)
			case (status == 202 || status == 204) && !get:
				return lost(exchange.NoAnswer)
			}
			return lost(exchange.WrongType)
		case status == 404 && id != "" && kind == "listen":
			return lost(exchange.NotServed)
		case status == 404 && id != "" && !opens:
			return lost(exchange.SessionGone)
		case (status == 401 || status == 403 && challenged) && contentType != "":
			return is(exchange.JSON)
		case status == 401 || status == 403 && challenged:
			return lost(exchange.Unauthorized)
		case get:
			switch {
			case status >= 500 || slices.Contains([]int{408, 425, 429}, status):
				return is(exchange.Waiting)
			case kind == "resume":
				return lost(exchange.NoAnswer)
			case status == 405:
				return lost(exchange.NotServed)
			}
			return lost(exchange.Refused)
		case contentType != "":
			return is(exchange.JSON) // the body may say why
		case kind == "open" && slices.Contains([]int{400, 404, 405}, status), kind == "old open" && status/100 == 4 && status != 403:
			return lost(exchange.Legacy)
		}
		return lost(exchange.Refused)
	}
	var found cases.Findings
	for kind, start := range started {
		for _, id := range []string{"", "s-1"} {
			for _, status := range []int{0, 100, 200, 201, 202, 204, 299, 300, 302, 400, 401, 403, 404, 405, 406, 408, 409, 410, 415, 418, 422, 425, 429, 499, 500, 501, 502, 503, 599, 999} {
				for _, contentType := range []string{"", "application/json", "Application/JSON; charset=utf-8", "text/event-stream", "text/event-stream;charset=utf-8", "text/html", "application/jsonl"} {
					for _, challenged := range []bool{false, true} {
						h := head(status, contentType)
						if challenged {
							h.Authenticate = []string{`Bearer scope="a"`}
						}
						x := start(id)
						taken := x.Accepted()
						x = x.Respond(now, h)
						c := strings.ReplaceAll(contentType, "jsonl", "x")
						got := ending{x.Phase(), x.Failure().Reason}
						if w := want(kind, id, status, strings.ToLower(c), challenged); got != w {
							found.Add(rowOf(w.reason), "%s in %q, status %d, %q: %v, want %v", kind, id, status, contentType, got, w)
						}
						if x.Accepted() != (taken || status/100 == 2) {
							found.Add("HTTP-009", "%s, status %d: accepted is %v", kind, status, x.Accepted())
						}
						if f := x.Failure(); x.Phase() == exchange.Lost && (f.Status != status || f.Accepted != x.Accepted() || f.Error() == "") {
							found.Add("", "%s, status %d: %+v", kind, status, f)
						}
						if x.Failure().Reason == exchange.Unauthorized && (x.Failure().Challenge.Scope == "a") != challenged {
							found.Add("AUTH-014", "%s, status %d: %+v", kind, status, x.Failure())
						}
					}
				}
			}
		}
	}
	found.Report(t, "HTTP-009", "HTTP-012", "HTTP-013", "HTTP-025", "HTTP-047", "HTTP-055", "HTTP-110", "AUTH-014")
}

func rowOf(r exchange.Reason) string {
	switch r {
	case 0:
		return "HTTP-009 HTTP-012 HTTP-013"
	case exchange.SessionGone:
		return "HTTP-047"
	case exchange.Unauthorized:
		return "AUTH-014"
	case exchange.Legacy:
		return "HTTP-055 HTTP-110"
	case exchange.NotServed:
		return "HTTP-025"
	}
	return ""
}

// The body of an answer, with each status: which message comes out of it, and what becomes of the
// exchange.
//
// rows: HTTP-011 HTTP-012 HTTP-102
func TestBody(t *testing.T) {
	const bare = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`
	const null = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`
	const mine = `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`
	const odd = `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no"}}`
	for _, c := range []struct {
		name, message string
		status        int
		body          string
		kind          jsonrpc.Kind // of the message; KindInvalid and "-" as an id for none
		id            string
		reason        exchange.Reason // 0: Done
		err           bool
	}{
		{"a result", ping, 200, answer, jsonrpc.KindResult, "1", 0, false},
		{"another result", ping, 200, other, jsonrpc.KindResult, "2", exchange.NoAnswer, false},
		{"a result in an array", ping, 200, "[" + other + "," + answer + "]", jsonrpc.KindBatch, "absent", exchange.NoAnswer, false},
		{"an array without it", ping, 200, "[" + other + "]", jsonrpc.KindBatch, "absent", exchange.NoAnswer, false},
		{"an error", ping, 200, mine, jsonrpc.KindError, "1", 0, false},
		{"an error without id", ping, 200, bare, jsonrpc.KindError, "1", 0, false},
		{"an error with a null id", ping, 200, null, jsonrpc.KindError, "1", 0, false},
		{"an error with another id", ping, 200, odd, jsonrpc.KindError, "2", exchange.NoAnswer, false},
		{"a malformed result", ping, 200, `{"jsonrpc":"2.0","id":1,"result":5}`, jsonrpc.KindInvalid, "1", 0, false},
		{"a request of the same id", ping, 200, ping, jsonrpc.KindRequest, "1", exchange.NoAnswer, false},
		{"a malformed request of the same id", ping, 200, `{"jsonrpc":"2.0","id":1,"method":"x","params":5}`, jsonrpc.KindInvalid, "1", exchange.NoAnswer, false},
		{"no JSON", ping, 200, "<html>", jsonrpc.KindInvalid, "absent", exchange.NoAnswer, false},
		{"an empty body", ping, 200, "", jsonrpc.KindInvalid, "-", exchange.NoAnswer, false},
		{"too long a result", ping, 200, `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", 300) + `"}}`, jsonrpc.KindInvalid, "1", 0, false},
		{"refused", ping, 400, bare, jsonrpc.KindInvalid, "-", exchange.Refused, true},
		{"refused with a null id", ping, 500, null, jsonrpc.KindInvalid, "-", exchange.Refused, true},
		{"refused with id", ping, 500, mine, jsonrpc.KindError, "1", 0, false},
		{"refused with another id", ping, 400, odd, jsonrpc.KindInvalid, "-", exchange.Refused, true},
		{"refused with a result", ping, 400, answer, jsonrpc.KindInvalid, "-", exchange.Refused, false},
		{"refused with anything", ping, 400, "{}", jsonrpc.KindInvalid, "-", exchange.Refused, false},
		{"refused with nothing", ping, 400, "", jsonrpc.KindInvalid, "-", exchange.Refused, false},
		{"refused note", note, 400, bare, jsonrpc.KindInvalid, "-", exchange.Refused, true},
		{"refused note with id", note, 400, mine, jsonrpc.KindInvalid, "-", exchange.Refused, true},
		{"initialize refused", open("2025-11-25"), 400, mine, jsonrpc.KindError, "1", 0, false},
		{"initialize refused without id", open("2025-11-25"), 400, bare, jsonrpc.KindInvalid, "-", exchange.Legacy, true},
		{"initialize refused with HTML", open("2025-11-25"), 404, "<html>", jsonrpc.KindInvalid, "-", exchange.Legacy, false},
		{"initialize refused for good", open("2025-11-25"), 406, bare, jsonrpc.KindInvalid, "-", exchange.Refused, true},
	} {
		x := exchange.Post(exchange.Options{MaxBytes: 256}, exchange.Session{}, jsonrpc.DecodeString(c.message)).Respond(now, head(c.status, headers.JSON))
		before := x
		x, m, ok := x.Body(now, []byte(c.body))
		if ok != (c.id != "-") || !ok && (m.Kind != jsonrpc.KindInvalid || m.Fault != 0) || ok && (m.Kind != c.kind || m.ID.String() != c.id) {
			t.Errorf("%s: %v, %+v", c.name, ok, m)
		}
		if x.Failure().Reason != c.reason || (x.Phase() == exchange.Done) != (c.reason == 0) || (x.Failure().Err != nil) != c.err {
			t.Errorf("%s: phase %d, %+v", c.name, x.Phase(), x.Failure())
		}
		if again, _, ok := x.Body(now, []byte(c.body)); ok || again != x {
			t.Errorf("%s: a second body changes something", c.name)
		}
		if cut := before.Closed(now); cut.Phase() != exchange.Lost || c.status == 200 && cut.Failure().Reason != exchange.NoAnswer || c.status != 200 && cut.Failure().Reason == exchange.NoAnswer {
			t.Errorf("%s, cut: %+v", c.name, cut.Failure())
		}
	}
}

// In a revision with batches an array ends the request if the answer is in it, and no other array does.
func TestBodyOfBatch(t *testing.T) {
	old := exchange.Session{Revision: protocol.Revision20250326}
	for _, c := range []struct {
		body   string
		phase  exchange.Phase
		reason exchange.Reason
	}{
		{"[" + other + "," + answer + "]", exchange.Done, 0},
		{"[" + answer + "]", exchange.Done, 0},
		{"[" + other + "," + note + "]", exchange.Lost, exchange.NoAnswer},
	} {
		x := exchange.Post(exchange.Options{}, old, jsonrpc.DecodeString(ping)).Respond(now, head(200, headers.JSON))
		x, m, ok := x.Body(now, []byte(c.body))
		if !ok || m.Kind != jsonrpc.KindBatch || x.Phase() != c.phase || x.Failure().Reason != c.reason {
			t.Errorf("%s: %v, %v, phase %d, %+v", c.body, ok, m.Kind, x.Phase(), x.Failure())
		}
	}
}

// What the server said is the message of its error, or else the text.
func TestSaid(t *testing.T) {
	for want, f := range map[string]exchange.Failure{
		"no":   {Err: &jsonrpc.Error{Code: 5, Message: "no"}},
		"html": {Text: "html"},
		"":     {},
	} {
		if got := f.Said(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a Failure keeps of the server is bounded and a copy.
func TestFailureIsSmall(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for data, kept := range map[string]bool{`"` + long + `"`: false, `"short"`: true} {
		body := `{"jsonrpc":"2.0","error":{"code":-1,"message":"` + long + `","data":` + data + `}}`
		x := post(note).Respond(now, head(500, headers.JSON))
		x, _, _ = x.Body(now, []byte(body))
		e := x.Failure().Err
		if e == nil || e.Code != -1 || len(e.Message) > 4096 || !strings.HasPrefix(long, e.Message) || (e.Data != "") != kept {
			t.Errorf("%+v", e)
		}
	}
	x := post(ping).Respond(now, exchange.Head{Status: 401, Authenticate: []string{`Bearer scope="` + long + `", realm="r"`}})
	if c := x.Failure().Challenge; c.Scope != "" || c.Realm != "r" {
		t.Errorf("%+v", c)
	}
	x = post(ping).Respond(now, exchange.Head{Status: 401, Authenticate: []string{`Bearer realm="r", error="invalid_token", error_description="` + long[:300] + `"`}})
	if got := x.Failure().Error(); !strings.HasPrefix(got, `exchange: unauthorized, status 401: Bearer error="invalid_token", error_description="`) || len(got) > 250 {
		t.Error(got)
	}
	if got := (exchange.Failure{Reason: exchange.Refused, Status: 400, Err: &jsonrpc.Error{Code: 5, Message: "no"}}).Error(); !strings.HasPrefix(got, "exchange: refused, status 400: ") {
		t.Error(got)
	}
	if got := exchange.Reason(99).String(); got != "reason(?)" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for r := exchange.Reason(0); r <= exchange.Rejected; r++ {
		if seen[r.String()] || r.String() == "" || r.String() == "reason(?)" {
			t.Errorf("reason %d: %v", r, r)
		}
		seen[r.String()] = true
	}
}

// What an exchange sends: the method, and the headers of its session, in each of its requests.
//
// rows: HTTP-005 HTTP-006 HTTP-037 HTTP-043 HTTP-047 HTTP-050 HTTP-107
func TestRequests(t *testing.T) {
	show := func(x exchange.Exchange) string {
		var parts []string
		for _, f := range x.Fields() {
			parts = append(parts, f.Name+"="+f.Value)
		}
		slices.Sort(parts)
		return fmt.Sprint(x.Op().Method(), " ", strings.Join(parts, ";"))
	}
	const posted = "POST Accept=application/json, text/event-stream;Content-Type=application/json"
	const in = ";Mcp-Protocol-Version=2025-11-25;Mcp-Session-Id=s-1"
	old := session
	old.Revision = protocol.Revision20250326
	for name, c := range map[string]struct {
		x    exchange.Exchange
		want string
	}{
		"request":    {post(ping), posted + in},
		"note":       {post(note), posted + in},
		"initialize": {post(open("2025-11-25")), posted},
		"no session": {exchange.Post(exchange.Options{}, exchange.Session{Revision: protocol.Revision20250618}, jsonrpc.DecodeString(ping)), posted + ";Mcp-Protocol-Version=2025-06-18"},
		"old":        {exchange.Post(exchange.Options{}, old, jsonrpc.DecodeString(ping)), posted + ";Mcp-Session-Id=s-1"},
		"listen":     {exchange.Listen(exchange.Options{}, session), "GET Accept=text/event-stream" + in},
		"resume":     {resuming(ping), "GET Accept=text/event-stream;Last-Event-Id=1-1" + in},
		"zero":       {exchange.Exchange{}, " "},
		"answered":   {post(ping).Respond(now, head(200, headers.JSON)), " "},
	} {
		if got := show(c.x); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// The session id comes with the answer to initialize and with nothing else, and is one that can be
// sent back.
//
// rows: HTTP-040 HTTP-042
func TestSessionID(t *testing.T) {
	for _, c := range []struct {
		text, id, want string
		status         int
	}{
		{open("2025-06-18"), "abc", "abc", 200},
		{open("2025-06-18"), "", "", 200},
		{open("2025-06-18"), "a b", "", 200},
		{open("2025-06-18"), strings.Repeat("x", headers.MaxSession), strings.Repeat("x", headers.MaxSession), 200},
		{open("2025-06-18"), strings.Repeat("x", headers.MaxSession+1), "", 200},
		{open("2025-06-18"), "abc", "", 400},
		{ping, "abc", "", 200},
		{note, "abc", "", 202},
	} {
		h := exchange.Read(c.status, http.Header{"Mcp-Session-Id": {c.id}, "Content-Type": {"application/json"}}.Values)
		if got := post(c.text).Respond(now, h).SessionID(); got != c.want {
			t.Errorf("%s with %.20q, %d: %.20q", c.text, c.id, c.status, got)
		}
	}
}

// The head of an answer is read from headers, whatever they are.
func TestRead(t *testing.T) {
	h := exchange.Read(503, http.Header{"Content-Type": {"a/b", "c"}, "Mcp-Session-Id": {"s"}, "Www-Authenticate": {"x", "y"}, "Retry-After": {"120"}}.Values)
	if h.Status != 503 || h.ContentType != "a/b" || h.Session != "s" || !slices.Equal(h.Authenticate, []string{"x", "y"}) || h.RetryAfter != 2*time.Minute {
		t.Errorf("%+v", h)
	}
	if h := exchange.Read(200, nil); h.Status != 200 || h.ContentType != "" {
		t.Errorf("%+v", h)
	}
	for text, want := range map[string]time.Duration{"": 0, "0": 0, "x": 0, "-1": 0, "1.5": 0, "Fri, 31 Dec 1999 23:59:59 GMT": 0, strings.Repeat("9", 100): 365 * 24 * time.Hour} {
		if h := exchange.Read(200, http.Header{"Retry-After": {text}}.Values); h.RetryAfter != want {
			t.Errorf("%q: %v", text, h.RetryAfter)
		}
	}
}
