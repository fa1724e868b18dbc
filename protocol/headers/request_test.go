package headers_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A server admits what a client of the same revision sends, in every revision.
//
// rows: HTTP-006 HTTP-007 HTTP-024 HTTP-037 HTTP-043 HTTP-050 HTTP-051
func TestRequest(t *testing.T) {
	var found cases.Findings
	versioned := map[string]bool{"2025-06-18": true, "2025-11-25": true}
	for _, rev := range append(protocol.Revisions(), protocol.Revision{}) {
		for _, session := range []string{"", "s"} {
			for op, method := range map[headers.Op]string{headers.OpPost: "POST", headers.OpListen: "GET", headers.OpResume: "GET", headers.OpEnd: "DELETE", 0: ""} {
				if op.Method() != method {
					found.Add("HTTP-006", "%d: %s", op, op.Method())
				}
				got := map[string]string{}
				fields := headers.RequestFields(op, session, rev, "1-2")
				for _, f := range fields {
					got[f.Name] = f.Value
				}
				if len(got) != len(fields) {
					found.Add("", "%v: a header twice", fields)
				}
				want := map[string]string{}
				switch op {
				case headers.OpPost:
					want[headers.Accept], want[headers.ContentType] = both, "application/json"
				case headers.OpListen, headers.OpResume:
					want[headers.Accept] = "text/event-stream"
				}
				if op == headers.OpResume {
					want[headers.LastEventID] = "1-2"
				}
				if op != 0 && session != "" {
					want[headers.Session] = session
				}
				if op != 0 && versioned[rev.String()] {
					want[headers.Version] = rev.String()
				}
				for name, row := range map[string]string{headers.Accept: "HTTP-007 HTTP-024", headers.ContentType: "", headers.LastEventID: "HTTP-037", headers.Session: "HTTP-043", headers.Version: "HTTP-050 HTTP-051"} {
					if got[name] != want[name] {
						found.Add(row, "%d in %v: %s is %q, want %q", op, rev, name, got[name], want[name])
					}
				}
				if op == 0 || session == "" && op != headers.OpPost {
					continue
				}
				h := headers.Read(method, "x", func(name string) []string {
					if v, ok := got[name]; ok {
						return []string{v}
					}
					return nil
				})
				rules := headers.Rules{}
				if !rev.IsZero() {
					rules.Revisions = []protocol.Revision{rev}
				}
				if admitted, no := rules.Admit(h); admitted != op || no != nil {
					found.Add("", "%d in %v: %v, %v", op, rev, admitted, no)
				}
			}
		}
	}
	found.Report(t, "HTTP-006", "HTTP-007", "HTTP-024", "HTTP-037", "HTTP-043", "HTTP-050", "HTTP-051")
}

// A header can carry valid ids of sessions and events.
//
// rows: HTTP-042
func TestIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"": false, "a": true, "!~": true, " a": false, "a ": false, "a\tb": false, "\x7f": false, "\x80": false, "a,b": true,
		strings.Repeat("x", headers.MaxSession): true, strings.Repeat("x", headers.MaxSession+1): false,
	} {
		if headers.ValidSession(id) != want {
			t.Errorf("session %.20q: %v", id, !want)
		}
	}
	for id, want := range map[string]bool{
		"": false, "a": true, "a b": true, "é": true, " a": false, "a ": false, "a\tb": false, "a\nb": false, "a\x00": false, "\x7f": false, "\x1f": false,
		strings.Repeat("x", headers.MaxEventID): true, strings.Repeat("x", headers.MaxEventID+1): false,
	} {
		if headers.ValidEventID(id) != want {
			t.Errorf("event %.20q: %v", id, !want)
		}
	}
}

// Accepts reads only part of a long Accept header.
func TestLongAccept(t *testing.T) {
	blanks := strings.Repeat(" ", 8<<10-len(headers.JSON)-1)
	if !headers.Accepts(blanks+","+headers.JSON, headers.JSON) || headers.Accepts("text/html, "+blanks+headers.JSON, headers.JSON) {
		t.Error("the bound is another one")
	}
}

// The type of a body is compared without its parameters and without regard to case.
func TestTypes(t *testing.T) {
	for text, want := range map[string][2]bool{
		"application/json": {true, false}, " Application/Json ; charset=utf-8": {true, false}, "text/event-stream": {false, true}, "TEXT/event-stream;x=\"application/json\"": {false, true},
		"": {}, ";": {}, "text/event-streams": {}, "application/json, text/event-stream": {}, "application/jsonl": {},
	} {
		if got := [2]bool{headers.IsJSON(text), headers.IsEventStream(text)}; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A version that is a list of equal names is that name, with any white space; a list of different ones is invalid.
func TestVersionAsList(t *testing.T) {
	for list, want := range map[string]string{
		"a": "a", "a,a": "a", " a ,\ta , a": "a", "a , b": "a , b", "a,": "a,", "": "", ",": "",
	} {
		h := headers.Read("POST", "h", func(name string) []string {
			if name == headers.Version {
				return []string{list}
			}
			return nil
		})
		if h.Version != want || !h.HasVersion {
			t.Errorf("%q is %q", list, h.Version)
		}
	}
}
