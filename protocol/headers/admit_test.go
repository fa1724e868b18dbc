package headers_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

const both = "application/json, text/event-stream"

// choice is one value of a header and what an oracle needs to know of it.
type choice struct {
	value string
	json  bool // of an Accept or Content-Type: accepts or is JSON
	sse   bool
	has   bool // of a session: it is there
	valid bool // of a session or version
}

var (
	accepts = []choice{
		{value: "-", json: true, sse: true}, {value: "", json: true, sse: true}, {value: both, json: true, sse: true}, {value: "*/*", json: true, sse: true},
		{value: "application/json", json: true}, {value: "text/event-stream", sse: true}, {value: "text/html"}, {value: "text/*", sse: true},
		{value: "TEXT/Event-Stream;charset=utf-8 , APPLICATION/json;q=0.9", json: true, sse: true}, {value: "*/*, application/json;q=0", sse: true},
		{value: "application/*;q=0.0, text/event-stream;q=0.001", sse: true},
		{value: "application/json;q=0, application/json, text/event-stream;x=\"a,b\";Q=1", json: true, sse: true}, {value: "*;q=0", json: false},
		{value: "application/json;q=, text/event-stream;q=x", json: true, sse: true},
	}
	types = []choice{
		{value: "-"}, {value: ""}, {value: "application/json", json: true}, {value: "Application/JSON ; charset=utf-8", json: true},
		{value: "text/plain"}, {value: "application/json-patch+json"}, {value: "application/x-www-form-urlencoded"},
	}
	sessions = []choice{
		{value: "-"}, {value: ""}, {value: "abc", has: true, valid: true}, {value: "a,b~!", has: true, valid: true}, {value: "a b", has: true}, {value: "a\x7f", has: true}, {value: "é", has: true},
		{value: strings.Repeat("x", headers.MaxSession), has: true, valid: true}, {value: strings.Repeat("x", headers.MaxSession+1), has: true},
	}
	versions = []choice{
		{value: "-", valid: true}, {value: "2025-06-18", valid: true}, {value: "2025-11-25"}, {value: "2024-11-05", valid: true}, {value: "2025-06-18, 2025-06-18", valid: true},
		{value: "2025-06-18, 2024-11-05"}, {value: ""}, {value: "x"}, {value: "2099-01-01"}, {value: "2025-06-18 ", valid: true},
	}
)

// Every head that a request can have, against a second statement of the rules in this file.
//
// rows: HTTP-001 HTTP-007 HTTP-024 HTTP-025 HTTP-042 HTTP-044 HTTP-049 HTTP-053
func TestAdmit(t *testing.T) {
	rules := headers.Rules{Revisions: []protocol.Revision{protocol.Revision20241105, protocol.Revision20250618}}
	var found cases.Findings
	for _, method := range []string{"POST", "GET", "DELETE", "PUT", "HEAD", "OPTIONS", "post", ""} {
		for _, last := range []string{"-", "", "1-2"} {
			for _, closed := range []bool{false, true} {
				for _, a := range accepts {
					for _, c := range types {
						for _, s := range sessions {
							for _, v := range versions {
								rules.NoListen, rules.NoEnd = closed, closed
								h := read(method, "x.example", headers.Accept, a.value, headers.ContentType, c.value, headers.Session, s.value, headers.Version, v.value, headers.LastEventID, last)
								op, no := rules.Admit(h)
								want := admitted(method, last, closed, a, c, s, v)
								if got := outcome(op, no); got != want {
									found.Add(rowOf(want), "%s %+v: %v, want %v", method, h, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
	found.Report(t, "HTTP-001", "HTTP-007", "HTTP-024", "HTTP-025", "HTTP-042", "HTTP-044", "HTTP-049", "HTTP-053")
}

// A request that names a revision without sessions must be a POST, if the server has that
// revision, and its message a request or a notification.
//
// rows: HTTP-210
// revisions: 2026-07-28
func TestAdmitStateless(t *testing.T) {
	for _, c := range []struct {
		revisions []protocol.Revision
		version   string
		method    int // the status of a GET and of a DELETE
		message   int // the status of a batch within a session
	}{
		{nil, "2026-07-28", 400, 400}, // the default has sessions
		{nil, "2025-11-25", 0, 0},
		{protocol.AllRevisions(), "2026-07-28", 405, 400},
		{protocol.AllRevisions(), "2026-07-28, 2026-07-28", 405, 400},
		{protocol.AllRevisions(), "2025-11-25", 0, 0},
		{protocol.AllRevisions(), "2099-01-01", 400, 400},
		{protocol.Revisions(), "2026-07-28", 400, 400},
		{protocol.StatelessRevisions(), "2026-07-28", 405, 400},
		{protocol.StatelessRevisions(), "2025-11-25", 400, 400},
	} {
		rules := headers.Rules{Revisions: c.revisions}
		status := func(no *headers.Refusal) int {
			if no == nil {
				return 0
			}
			if no.Status == 405 && no.Allow != "POST" {
				t.Errorf("Allow is %q", no.Allow)
			}
			return no.Status
		}
		for _, method := range []string{"GET", "DELETE"} {
			_, no := rules.Admit(read(method, "x.example", headers.Session, "abc", headers.Version, c.version))
			if got := status(no); got != c.method {
				t.Errorf("%+v: %s: %d", c, method, got)
			}
		}
		h := read("POST", "x.example", headers.Session, "abc", headers.Version, c.version, headers.ContentType, "application/json")
		if _, no := rules.Admit(h); no != nil {
			t.Errorf("%+v: POST: %+v", c, no)
		}
		for _, text := range []string{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
			if got := status(rules.Check(h, jsonrpc.DecodeString(text))); got != c.message {
				t.Errorf("%+v: %s: %d", c, text, got)
			}
		}
	}
}

// verdict is an op or a status.
type verdict struct {
	op     headers.Op
	status int
}

func outcome(op headers.Op, no *headers.Refusal) verdict {
	if no != nil {
		return verdict{op, no.Status}
	}
	return verdict{op, 200}
}

func rowOf(v verdict) string {
	switch v.status {
	case 400:
		return "HTTP-044 HTTP-053"
	case 404:
		return "HTTP-042"
	case 405:
		return "HTTP-025 HTTP-049"
	case 406, 415:
		return "HTTP-007 HTTP-024"
	}
	return "HTTP-001"
}

func admitted(method, last string, closed bool, a, c, s, v choice) verdict {
	op := map[string]headers.Op{"POST": headers.OpPost, "GET": headers.OpListen, "DELETE": headers.OpEnd}[method]
	if op == headers.OpListen && last == "1-2" {
		op = headers.OpResume
	}
	switch {
	case op == 0 || closed && op != headers.OpPost:
		return verdict{0, 405}
	case op == headers.OpPost && !a.json, op != headers.OpPost && op != headers.OpEnd && !a.sse:
		return verdict{0, 406}
	case op == headers.OpPost && !c.json:
		return verdict{0, 415}
	case op == headers.OpPost:
		return verdict{op, 200}
	case !s.has:
		return verdict{0, 400}
	case !s.valid:
		return verdict{0, 404}
	case !v.valid:
		return verdict{0, 400}
	}
	return verdict{op, 200}
}

// Check judges a POST with its message: initialize needs neither session nor
// version; other messages need a session, and a version that the server speaks if they name one.
//
// rows: HTTP-044 HTTP-046 HTTP-052 HTTP-053
func TestCheck(t *testing.T) {
	const name = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	rules := headers.Rules{Revisions: []protocol.Revision{protocol.Revision20241105, protocol.Revision20250618}}
	var found cases.Findings
	for _, m := range []struct {
		text    string
		opens   bool
		invalid int64
	}{
		{text: name, opens: true},
		{text: `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{text: `{"jsonrpc":"2.0","method":"initialize"}`},
		{text: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{text: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{text: "[" + name + "]"},
		{text: `{"jsonrpc":"2.0","id":null,"method":"initialize"}`, invalid: jsonrpc.CodeInvalidRequest},
		{text: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":5}`, invalid: jsonrpc.CodeInvalidRequest},
		{text: `{`, invalid: jsonrpc.CodeParseError}, {text: "{} {}", invalid: jsonrpc.CodeParseError}, {text: "\"\xff\"", invalid: jsonrpc.CodeParseError},
		{text: "", invalid: jsonrpc.CodeParseError}, {text: "5", invalid: jsonrpc.CodeInvalidRequest},
	} {
		msg := jsonrpc.DecodeString(m.text)
		for _, s := range sessions {
			for _, v := range versions {
				h := read("POST", "x.example", headers.Session, s.value, headers.Version, v.value)
				want := 200
				switch {
				case m.opens:
				case !s.has:
					want = 400
				case !s.valid:
					want = 404
				case !v.valid, msg.Fault == jsonrpc.FaultTrailing:
					want = 400
				}
				no := rules.Check(h, msg)
				if got := outcome(0, no).status; got != want {
					found.Add("HTTP-044 HTTP-046 HTTP-053", "%s with %+v: %d, want %d", m.text, h, got, want)
				}
				if no != nil && m.invalid != 0 && (!s.has || s.valid && v.valid) && no.Err.Code != m.invalid {
					found.Add("", "%s: %v", m.text, no.Err)
				}
			}
		}
	}
	if no := (headers.Rules{}).Check(read("POST", "x", headers.Session, "s"), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); no != nil {
		found.Add("HTTP-052", "no version: %v", no)
	}
	found.Report(t, "HTTP-044", "HTTP-046", "HTTP-052", "HTTP-053")
}

// A header that must occur once and occurs with two values is refused, whatever the values.
func TestRepeated(t *testing.T) {
	for name, status := range map[string]int{headers.ContentType: 415, headers.Session: 400, headers.Version: 400, headers.LastEventID: 400} {
		for method, want := range map[string]int{"POST": status, "GET": status, "PUT": 405} {
			pairs := []string{headers.Accept, both, headers.ContentType, headers.JSON, headers.Session, "s", headers.Version, "2025-06-18", headers.LastEventID, "1"}
			if _, no := (headers.Rules{}).Admit(read(method, "x", append(pairs, name, "other")...)); no == nil || no.Status != want {
				t.Errorf("%s %s: %v", method, name, no)
			}
			if _, no := (headers.Rules{}).Admit(read(method, "x", append(pairs, pairs...)...)); (no == nil) != (method != "PUT") {
				t.Errorf("%s %s, each twice: %v", method, name, no)
			}
		}
	}
	if _, no := (headers.Rules{}).Admit(read("GET", "x", headers.Session, "s", headers.Accept, "text/html", headers.Accept, "text/event-stream")); no != nil {
		t.Errorf("two Accept headers: %v", no)
	}
	if op, no := (headers.Rules{}).Admit(headers.Read("GET", "", nil)); op != 0 || no.Status != 400 {
		t.Errorf("no headers: %v, %v", op, no)
	}
}

// The body of a refusal is a JSON-RPC error without id; it has the headers of its status.
//
// rows: HTTP-010 HTTP-011 HTTP-046 HTTP-102 AUTH-013 AUTH-031 AUTH-035
func TestRefusal(t *testing.T) {
	all, _ := headers.Rules{}, 0
	_, method := all.Admit(read("PUT", "x"))
	_, method2 := headers.Rules{NoListen: true}.Admit(read("GET", "x"))
	_, method3 := headers.Rules{NoEnd: true}.Admit(read("DELETE", "x"))
	_, version := headers.Rules{Revisions: []protocol.Revision{protocol.Revision20250326, protocol.Revision20250618}}.Admit(read("GET", "x", headers.Session, "s", headers.Version, "1"))
	_, anyVersion := all.Admit(read("GET", "x", headers.Session, "s", headers.Version, "1"))
	challenge := headers.Challenge{ResourceMetadata: "https://x.example/.well-known/oauth-protected-resource"}
	with := func(kind string) headers.Challenge { c := challenge; c.Error = kind; return c }
	for _, c := range []struct {
		name   string
		no     *headers.Refusal
		status int
		field  headers.Field
		data   string
	}{
		{"session", headers.NoSession(), 404, headers.Field{}, ""},
		{"method", method, 405, headers.Field{Name: headers.Allow, Value: "POST, GET, DELETE"}, ""},
		{"method", method2, 405, headers.Field{Name: headers.Allow, Value: "POST, DELETE"}, ""},
		{"method", method3, 405, headers.Field{Name: headers.Allow, Value: "POST, GET"}, ""},
		{"version", version, 400, headers.Field{}, `{"supported":["2025-06-18","2025-03-26"]}`},
		{"version", anyVersion, 400, headers.Field{}, `{"supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}`},
		{"own", headers.Refuse(503, "busy"), 503, headers.Field{}, ""},
		{"no token", headers.Unauthorized(challenge), 401, headers.Field{Name: headers.Authenticate, Value: challenge.String()}, ""},
		{"bad token", headers.Unauthorized(with("invalid_token")), 401, headers.Field{Name: headers.Authenticate, Value: with("invalid_token").String()}, ""},
		{"scope", headers.Unauthorized(with("insufficient_scope")), 403, headers.Field{Name: headers.Authenticate, Value: with("insufficient_scope").String()}, ""},
		{"malformed", headers.Unauthorized(with("invalid_request")), 400, headers.Field{Name: headers.Authenticate, Value: with("invalid_request").String()}, ""},
	} {
		if c.no.Status != c.status {
			t.Errorf("%s: status %d", c.name, c.no.Status)
		}
		fields := c.no.Fields()
		if !slices.Contains(fields, headers.Field{Name: headers.ContentType, Value: headers.JSON}) {
			t.Errorf("%s: %v", c.name, fields)
		}
		if n := len(fields); (n > 1) != (c.field != headers.Field{}) || n > 1 && fields[n-1] != c.field {
			t.Errorf("%s: %v", c.name, fields)
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal(c.no.Body(), &body); err != nil || body["id"] != nil || body["jsonrpc"] == nil {
			t.Errorf("%s: %s, %v", c.name, c.no.Body(), err)
		}
		if m := jsonrpc.Decode(c.no.Body()); m.Kind != jsonrpc.KindError || m.Err.Message == "" || string(m.Err.Data) != c.data || m.Err.Code != jsonrpc.CodeInvalidRequest {
			t.Errorf("%s: %s", c.name, c.no.Body())
		}
	}
}
