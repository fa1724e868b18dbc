package protocol_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

const (
	goodForm = `{"type":"object","properties":{"a":{"type":"string","minLength":2}}}`
	oddForm  = `{"type":"object","properties":{"a":{"type":"string","enum":["x"],"enumNames":["X","Y"]}}}`
	badForm  = `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`
)

// What the answer to a request is bound by: what is to be kept of the request until then,
// on each side, and what cannot go out.
func TestTerms(t *testing.T) {
	type want struct{ subject, rule, err string } // err is part of the text, "" for none
	for _, c := range []struct {
		method, params, output string
		sent, received         want
	}{
		{"tools/call", `{"name":"t"}`, "", want{}, want{}},
		{"tools/call", `{"name":"t"}`, ` {"type":"object"}`, want{subject: ` {"type":"object"}`}, want{subject: ` {"type":"object"}`}},
		{"tools/call", `{"name":"t"}`, `{"type":`, want{err: "output schema"}, want{subject: `{"type":`}},
		{"tools/call", `{"name":""}`, "", want{err: "the name"}, want{}},
		{"tools/list", ``, "", want{}, want{}},
		{"tools/list", ``, `{}`, want{err: "output schema"}, want{}},
		{"prompts/get", `{"name":"t"}`, "", want{}, want{}},
		{"prompts/get", `{"name":"t"}`, `{}`, want{err: "output schema"}, want{}},
		{"prompts/get", `{"name":""}`, "", want{err: "the name"}, want{}},
		{"resources/read", `{"uri":"a:b"}`, "", want{}, want{}},
		{"resources/read", `{"uri":""}`, "", want{err: "the uri"}, want{}},
		{"resources/subscribe", `{"uri":"a:b"}`, "", want{subject: "a:b"}, want{subject: "a:b"}},
		{"resources/subscribe", `{"uri":""}`, "", want{err: "the uri"}, want{}},
		{"resources/unsubscribe", `{"uri":"a:b"}`, "", want{subject: "a:b"}, want{subject: "a:b"}},
		{"logging/setLevel", `{"level":"error"}`, "", want{}, want{subject: "error"}},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, "", want{}, want{}},
		{"elicitation/create", `{"message":"m","requestedSchema":` + goodForm + `}`, "", want{subject: goodForm}, want{subject: goodForm}},
		{"elicitation/create", `{"message":"m","requestedSchema":` + oddForm + `}`, "", want{err: "enumNames"}, want{subject: oddForm, rule: "ELIC-010"}},
		{"elicitation/create", `{"message":"m","requestedSchema":` + badForm + `}`, "", want{err: "required"}, want{subject: badForm}},
		{"sampling/createMessage", `{"messages":[],"maxTokens":1}`, "", want{}, want{}},
		{"ping", ``, `{}`, want{err: "output schema"}, want{}},
		{"x/y", `{"name":"","uri":""}`, "", want{}, want{}},
		{"x/y", ``, `{}`, want{err: "output schema"}, want{}},
	} {
		row := rowOf(c.method)
		info, err := row.ReadParams(Raw(c.params), jsonrpc.Span{})
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.params, err)
		}
		for received, w := range map[bool]want{false: c.sent, true: c.received} {
			got := row.Terms(Asked{Params: Raw(c.params), Info: info, OutputSchema: Raw(c.output), Received: received})
			var needs Capability
			var lacking string
			if c.method == MethodElicitationCreate { // a form is one of two kinds
				needs, lacking = CapElicitationForm, "ELIC-107"
			}
			if got.Needs != needs || got.Lacking != lacking || got.Rule != w.rule || (got.Err != nil) != (w.err != "") || w.err != "" && !strings.Contains(got.Err.Error(), w.err) {
				t.Errorf("%s %s, received %v: %+v, want %+v", c.method, c.params, received, got, w)
			}
			if w.err != "" {
				continue // nothing is kept
			}
			if got.Subject != w.subject {
				t.Errorf("%s %s, received %v: %q is to be kept, want %q", c.method, c.params, received, got.Subject, w.subject)
			}
			if !row.PossibleSubject(got.Subject, received) && !(received && c.output != "") {
				t.Errorf("%s, received %v: %q is not possible, and was returned", c.method, received, got.Subject)
			}
		}
	}
}

// Nothing is always possible, and something only where Terms can have returned it.
func TestPossibleSubject(t *testing.T) {
	const sent, received = false, true
	possible := map[string]map[bool][]string{
		"tools/call":            {sent: {`{}`, `true`, `7`, goodForm, oddForm, badForm, `[]`}, received: {`{}`, `true`, `7`, `[]`, goodForm, oddForm, badForm, "t", `{"a`, "a:b", "error"}},
		"resources/subscribe":   {sent: {`{}`, `true`, `7`, `[]`, goodForm, oddForm, badForm, "t", `{"a`, "a:b", "error"}},
		"logging/setLevel":      {received: {`{}`, `true`, `7`, `[]`, goodForm, oddForm, badForm, "t", `{"a`, "a:b", "error"}},
		"elicitation/create":    {sent: {goodForm, oddForm, badForm}, received: {goodForm, oddForm, badForm}},
		"resources/unsubscribe": nil, "notifications/message": nil, "notifications/resources/updated": nil,
	}
	possible["resources/subscribe"][received] = possible["resources/subscribe"][sent]
	possible["resources/unsubscribe"] = possible["resources/subscribe"]
	possible["notifications/resources/updated"] = possible["resources/subscribe"]
	possible["notifications/message"] = possible["logging/setLevel"]
	for _, rev := range Revisions() {
		for _, row := range append(rev.Rows(), rev.CustomRow(Server), rev.CustomRow(Client), rev.CustomNotificationRow()) {
			for _, dir := range []bool{sent, received} {
				if !row.PossibleSubject("", dir) {
					t.Errorf("%v %s: nothing is impossible", rev, row.Method)
				}
				for _, s := range []string{`{}`, `true`, `7`, `[]`, goodForm, oddForm, badForm, "t", `{"a`, "a:b", "error"} {
					if got, want := row.PossibleSubject(s, dir), slices.Contains(possible[row.Method][dir], s); got != want {
						t.Errorf("%v %q, received %v: %q is possible: %v, want %v", rev, row.Method, dir, s, got, want)
					}
				}
			}
		}
	}
}

// A result that comes is judged by its row, mended where a receiver can live with it, and
// what is wrong is named with the result as it came.
func TestAccept(t *testing.T) {
	const (
		text     = `{"type":"text","text":"x"}`
		odd      = `{"type":"text","text":7}`
		hologram = `{"type":"hologram"}`
		number   = `{"type":"object","properties":{"n":{"type":"number"}}}`
	)
	many := func(n int, rest string) string {
		return `{"completion":{"values":[` + strings.TrimSuffix(strings.Repeat(`"v",`, n), ",") + `]` + rest + `}}`
	}
	for _, c := range []struct {
		name, method, subject, body string
		lenient                     bool
		want, found                 string // the body, "" for the one that came; the rules of what is found
		rule                        string // of the error
	}{
		{name: "plain", method: "tools/call", body: `{"content":[` + text + `]}`},
		{name: "no content", method: "tools/call", body: `{"isError":true}`, rule: "TOOL-014"},
		{name: "null content", method: "tools/call", body: `{"content":null}`, rule: "TOOL-014"},
		{name: "no content, lenient", method: "tools/call", body: `{"isError":true}`, lenient: true, want: `{"isError":true,"content":[]}`, found: "TOOL-014"},
		{name: "null content, lenient", method: "tools/call", body: `{"content":null}`, lenient: true, want: `{"content":[]}`, found: "TOOL-014"},
		{name: "another fault beside", method: "tools/call", body: `{"isError":7}`, lenient: true, rule: "TOOL-014"},
		{name: "content of another type", method: "tools/call", body: `{"content":{}}`, lenient: true, rule: "TOOL-014"},
		{name: "lenient is for tools", method: "tools/list", body: `{}`, lenient: true, rule: "TOOL-003"},
		{name: "an odd block", method: "tools/call", body: `{"content":[` + odd + `,` + text + `]}`, want: `{"content":[` + text + `]}`, found: "SCHEMA-012"},
		{name: "an odd block, lenient", method: "tools/call", body: `{"content":[` + odd + `]}`, lenient: true, want: `{"content":[]}`, found: "SCHEMA-012"},
		{name: "an odd block and another fault", method: "tools/call", body: `{"content":[` + odd + `],"isError":7}`, rule: "TOOL-014"},
		{name: "a block of another kind", method: "tools/call", body: `{"content":[` + hologram + `]}`, found: "SCHEMA-012"},
		{name: "both", method: "tools/call", body: `{"content":[` + odd + `,` + hologram + `]}`, want: `{"content":[` + hologram + `]}`, found: "SCHEMA-012 SCHEMA-012"},
		{name: "structured", method: "tools/call", subject: number, body: `{"content":[],"structuredContent":{"n":1}}`},
		{name: "structured as not promised", method: "tools/call", subject: number, body: `{"content":[],"structuredContent":{"n":"x"}}`, rule: "TOOL-028"},
		{name: "not structured", method: "tools/call", subject: number, body: `{"content":[]}`, rule: "TOOL-029"},
		{name: "null for structured", method: "tools/call", subject: number, body: `{"content":[],"structuredContent":null}`, rule: "TOOL-029"},
		{name: "failed", method: "tools/call", subject: number, body: `{"content":[],"isError":true}`},
		{name: "no promise", method: "tools/call", body: `{"content":[],"structuredContent":{"n":"x"}}`},
		{name: "a promise that cannot be read", method: "tools/call", subject: `7`, body: `{"content":[],"structuredContent":{"n":"x"}}`, found: "TOOL-028"},
		{name: "an odd tool", method: "tools/list", body: `{"tools":[{"name":7},{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"c"}`, want: `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"c"}`, found: "TOOL-004"},
		{name: "no tools", method: "tools/list", body: `{}`, rule: "TOOL-003"},
		{name: "an odd prompt", method: "prompts/list", body: `{"prompts":[{"name":7}]}`, want: `{"prompts":[]}`, found: "PROMPT-003"},
		{name: "an odd resource", method: "resources/list", body: `{"resources":[{"name":7}]}`, want: `{"resources":[]}`, found: "RES-004"},
		{name: "an odd template", method: "resources/templates/list", body: `{"resourceTemplates":[{"name":7}]}`, want: `{"resourceTemplates":[]}`, found: "RES-011"},
		{name: "no contents", method: "resources/read", body: `{}`, rule: "RES-006"},
		{name: "a prompt", method: "prompts/get", body: `{"messages":[{"role":"user","content":` + text + `}]}`},
		{name: "a prompt of another kind", method: "prompts/get", body: `{"messages":[{"role":"user","content":` + text + `},{"role":"user","content":` + hologram + `}]}`, found: "SCHEMA-012"},
		{name: "an odd message", method: "prompts/get", body: `{"messages":[{"role":"user","content":` + odd + `}]}`, rule: "PROMPT-006"},
		{name: "as many values as there may be", method: "completion/complete", body: many(100, "")},
		{name: "too many values", method: "completion/complete", body: many(101, ""), want: many(100, `,"total":101,"hasMore":true`), found: "COMPL-008"},
		{name: "too many values, total null", method: "completion/complete", body: many(101, `,"total":null`), want: many(100, `,"total":101,"hasMore":true`), found: "COMPL-008"},
		{name: "too many values of more", method: "completion/complete", body: many(101, `,"total":500,"hasMore":false`), want: many(100, `,"total":500,"hasMore":true`), found: "COMPL-008"},
		{name: "an answer", method: "elicitation/create", subject: goodForm, body: `{"action":"accept","content":{"a":"xy"}}`},
		{name: "an answer beside the form", method: "elicitation/create", subject: goodForm, body: `{"action":"accept","content":{"a":"x"}}`, rule: "ELIC-011"},
		{name: "content of a refusal", method: "elicitation/create", subject: goodForm, body: `{"action":"decline","content":{"a":"x"}}`, want: `{"action":"decline"}`},
		{name: "no form", method: "elicitation/create", body: `{"action":"accept","content":{"a":"x"}}`},
		{name: "an action that is none", method: "elicitation/create", body: `{"action":"x"}`, rule: "ELIC-011"},
		{name: "empty", method: "ping", body: `{}`},
		{name: "empty and no object", method: "ping", body: `7`, rule: rowOf("ping").ResultRule},
		{name: "custom", method: "x/y", body: `{"content":7}`},
	} {
		for _, spans := range []bool{false, true} {
			r := Reply{Body: Raw(c.body), Subject: c.subject, Schemas: schema.Basic{}, Lenient: c.lenient}
			if m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":` + c.body + `}`); spans {
				r.Span = m.Span
			}
			a := rowOf(c.method).Accept(r)
			want := c.want
			if want == "" {
				want = c.body
			}
			if string(a.Body) != want || a.Rule != c.rule || (a.Err != nil) != (c.rule != "") {
				t.Errorf("%s: %s, breaks %q: %v; want %s, %q", c.name, a.Body, a.Rule, a.Err, want, c.rule)
			}
			if a.Body != r.Body && a.Span != (jsonrpc.Span{}) {
				t.Errorf("%s: the span is about another body", c.name)
			}
			var found []string
			for i, f := range a.Found {
				found = append(found, f.Rule)
				local := c.name == "a promise that cannot be read"
				if (f.Local != nil) != local || !local && i == 0 && string(f.Body) != c.body {
					t.Errorf("%s: finding %d is %+v", c.name, i, f)
				}
			}
			if got := strings.Join(found, " "); got != c.found {
				t.Errorf("%s: found %q, want %q", c.name, got, c.found)
			}
			// What was made of it is as good as it says.
			if again := rowOf(c.method).Accept(Reply{Body: a.Body, Subject: c.subject, Schemas: schema.Basic{}}); a.Err == nil {
				if diff := cmp.Diff(a.Info, again.Info); diff != "" || again.Err != nil || again.Body != a.Body {
					t.Errorf("%s: a second look: %v %s %s", c.name, again.Err, again.Body, diff)
				}
			}
		}
	}
}

// Two readers check a result of tools/call: one that only looks, and the codec. They come
// to one verdict, and name the same fault.
func TestToolResultReaders(t *testing.T) {
	members := []string{
		`"content":[]`, `"content":[{"type":"text","text":"x"}]`, `"content":[{"type":"text","text":7}]`, `"content":{}`, `"content":null`, `"content":7`, `"content":[7]`,
		`"structuredContent":{}`, `"structuredContent":[]`, `"structuredContent":null`, `"structuredContent":"x"`, `"isError":true`, `"isError":null`, `"isError":"true"`,
		`"_meta":{}`, `"_meta":null`, `"_meta":7`, `"_meta":[]`, `"other":7`, `"content"`, `x`, `"a":"`,
	}
	for _, rev := range Revisions() {
		row := rev.Row(MethodToolsCall)
		check := func(t interface{ Fatalf(string, ...any) }, body Raw) {
			want := row.CheckResult(body, jsonrpc.Span{})
			got := row.Accept(Reply{Body: body})
			if len(got.Found) > 0 && got.Found[0].Rule == row.ItemRule && got.Body != body {
				want = row.CheckResult(got.Body, jsonrpc.Span{}) // an odd block was dropped
			}
			var a, b *DecodeError
			if errors.As(got.Err, &a) != errors.As(want, &b) || a != nil && *a != *b || (got.Err == nil) != (want == nil) {
				t.Fatalf("%v: %s: %v, the codec says %v", rev, body, got.Err, want)
			}
		}
		for _, body := range []Raw{"", "7", `"x"`, "[]", "null", " {}", "{", "{}"} {
			check(t, body)
		}
		for _, m := range members {
			check(t, Raw(`{`+m+`}`))
			check(t, Raw(`{"content":[],`+m+`}`))
		}
		rapid.Check(t, func(t *rapid.T) {
			check(t, Raw("{"+strings.Join(rapid.SliceOfN(rapid.SampledFrom(members), 0, 5).Draw(t, "members"), ",")+"}"))
		})
	}
}

// A revision without structured content has no promise to break.
func TestAcceptBeforeStructured(t *testing.T) {
	for _, rev := range Revisions() {
		a := rev.Row(MethodToolsCall).Accept(Reply{Body: `{"content":[]}`, Subject: `{}`, Schemas: schema.Basic{}})
		if (a.Err != nil) != rev.Structured() {
			t.Errorf("%v: %v", rev, a.Err)
		}
	}
}
