package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var page = protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "log in", URL: "https://example.com/login", ElicitationID: "1"}

// failing returns a server whose tool fails with an error, and a call of the tool without a session, answered by each of the
// ways that there are.
func failing(t *testing.T, e jsonrpc.Error) func(caps, more string) map[string]server.Output {
	t.Helper()
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "t"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return nil, e
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	return func(caps, more string) map[string]server.Output {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",` + more + modern(caps) + `}}`)
		outs := map[string]server.Output{}
		_, outs["receive"] = h.Receive(s, began, m)
		_, outs["handle"] = h.Handle(s.Receive(began, m))
		open, o := s.Receive(began, m)
		_, outs["finish"], _ = open.Finish(began, server.Answer{Call: o.Opened, Err: &e})
		if _, o, err := open.Fail(began, o.Opened, e); err == nil {
			outs["fail"] = o
		} else if !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%+v: %v", e, err)
		}
		for way, o := range outs {
			if len(o.Send) != 1 {
				t.Errorf("%s: %+v", way, o)
			}
		}
		return outs
	}
}

// The codes that 2026-07-28 keeps for itself go out for what they stand for alone, and those that nobody should use with a
// word to the application.
//
// rows: ERR-204 ERR-205
// revisions: 2026-07-28
func TestCodesOfTheSpecification(t *testing.T) {
	lacks := protocol.MissingCapability(protocol.CapRoots)
	for _, c := range []struct {
		e      jsonrpc.Error
		passes bool
		rule   string
	}{
		{jsonrpc.Error{Code: -32099}, false, ""}, {jsonrpc.Error{Code: -32050}, false, ""}, {jsonrpc.Error{Code: protocol.CodeHeaderMismatch}, false, ""},
		{jsonrpc.Error{Code: protocol.CodeUnsupportedVersion}, false, ""}, {jsonrpc.Error{Code: protocol.CodeMissingCapability}, false, ""}, {lacks, true, ""},
		{jsonrpc.Error{Code: -32019}, true, "ERR-205"}, {jsonrpc.Error{Code: -32000}, true, "ERR-205"}, {jsonrpc.Error{Code: -32100}, true, ""},
		{jsonrpc.Error{Code: -31999}, true, ""}, {jsonrpc.Error{Code: 1}, true, ""}, {protocol.ResourceNotFound("a:b"), true, ""},
	} {
		outs := failing(t, c.e)("{}", "")
		if _, passes := outs["fail"]; passes != c.passes {
			t.Errorf("%d: Fail passes it: %v", c.e.Code, passes)
		}
		want := c.e.Code
		switch {
		case !c.passes:
			want = jsonrpc.CodeInternalError
		case want == protocol.CodeResourceNotFound:
			want = jsonrpc.CodeInvalidParams
		}
		for way, o := range outs {
			rule := ""
			for _, ev := range o.Events {
				if ev.Kind == lifecycle.LocalViolation {
					rule += ev.Rule
				}
			}
			if got := o.Send[0].Message.Err; got == nil || got.Code != want || rule != c.rule {
				t.Errorf("%d, %s: %+v %q", c.e.Code, way, got, rule)
			}
		}
	}
	// In a session they mean what they did.
	s, _ := stateless(t)
	s = inSession(s)
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo"}}`))
	for _, code := range []int64{-32050, -32020, -32019} {
		if _, o, err := s.Fail(began, o.Opened, jsonrpc.Error{Code: code, Message: "m"}); err != nil || o.Send[0].Message.Err.Code != code || len(o.Events) > 0 {
			t.Errorf("%d: %v %+v", code, err, o)
		}
	}
}

// Without a session there is no error that names pages, and no notification that a user is done with one: the result asks for
// them, and the request is made again.
//
// rows: ERR-208 ELIC-201
// revisions: 2026-07-28
func TestPagesWithoutASession(t *testing.T) {
	two := page
	two.URL, two.ElicitationID = "https://example.com/2", "2"
	call := failing(t, protocol.URLElicitationRequired(page, two, page))
	const asks = `"inputRequests":{"1":{"method":"elicitation/create","params":{"mode":"url","message":"log in","url":"https://example.com/login"}},"2":{"method":"elicitation/create","params":{"mode":"url","message":"log in","url":"https://example.com/2"}}}`
	for _, more := range []string{"", `"inputResponses":{"1":{"action":"accept"},"2":{"action":"accept"}},`} { // a function that fails goes on to
		for way, o := range call(`{"elicitation":{"url":{}}}`, more) {
			if got := texts(o); !strings.Contains(got, `"resultType":"input_required"`) || !strings.Contains(got, asks) {
				t.Errorf("%s: %s", way, got)
			}
		}
	}
	for _, caps := range []string{`{}`, `{"elicitation":{}}`, `{"elicitation":{"form":{}}}`} {
		for way, o := range call(caps, "") {
			if got := texts(o); !strings.Contains(got, `"error":{"code":-32021,`) || !strings.Contains(got, `{"elicitation":{"url":{}}}`) {
				t.Errorf("%s: %s", way, got)
			}
		}
	}
	// Where a result does not ask it is an error of another kind.
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{protocol.MethodToolsList, protocol.MethodToolsCall}, Revisions: protocol.AllRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern(`{"elicitation":{"url":{}}}`)+`}}`))
	done := protocol.ElicitationCompleteParams{ElicitationID: "1"}
	if _, out, err := s.Notify(began, done, o.Opened); !errors.Is(err, lifecycle.ErrRevision) || len(out.Send) > 0 {
		t.Errorf("%v: %s", err, texts(out))
	}
	if _, o, err = s.Fail(began, o.Opened, protocol.URLElicitationRequired(page)); err != nil || o.Send[0].Message.Err == nil || o.Send[0].Message.Err.Code != jsonrpc.CodeInternalError {
		t.Errorf("%v: %s", err, texts(o))
	}
}

// A question for a page has no id of its own: without a session there is none, and in one it gets one of its call and key.
//
// rows: MRTR-041
// revisions: 2025-11-25 2026-07-28
func TestPagesHaveIDs(t *testing.T) {
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "t"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		q := protocol.Ask(p)
		no := page
		no.ElicitationID = ""
		a, b := q.Elicit("a", no), q.Elicit("b", page)
		if err := q.Open(""); err != nil {
			return nil, err
		}
		return protocol.TextResult(string(a.Action + b.Action)), nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	if _, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",`+modern(`{"elicitation":{"url":{}}}`)+`}}`)); strings.Count(texts(o), "elicitation/create") != 2 || strings.Contains(texts(o), "elicitationId") {
		t.Error(texts(o))
	}
	for revision, capable := range map[string]string{"2025-11-25": `{"elicitation":{"url":{}}}`, "2025-06-18": `{"elicitation":{}}`} {
		s := s
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":` + capable + `,"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		} {
			s, _ = s.Receive(began, jsonrpc.DecodeString(line))
		}
		s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`))
		j, ok := h.Job(o.Events[0])
		if !ok {
			t.Fatal("no Job")
		}
		c := &noter{s: s, call: o.Opened}
		a := j.Run(context.Background(), c)
		got, _ := protocol.Decode[protocol.CallToolResult](protocol.Raw(a.Result.AppendJSON(nil)))
		switch {
		case revision != "2025-11-25": // MRTR-039
			if !got.IsError || len(c.ids) > 0 {
				t.Errorf("%s: %+v", revision, got)
			}
		case got.IsError || len(c.ids) != 2 || c.ids[0] == "" || c.ids[0] == c.ids[1] || c.ids[1] != "1":
			t.Errorf("%+v %q", got, c.ids)
		}
	}
}

// noter is a Caller that asks by its State, notes the ids of pages and accepts.
type noter struct {
	deaf
	s    server.State
	call server.Call
	ids  []string
}

func (c *noter) Call() server.Call   { return c.call }
func (c *noter) State() server.State { return c.s }
func (c *noter) Request(_ context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	var err error
	opt.Within = c.call
	if c.s, _, err = c.s.Request(began, p, opt); err != nil {
		return "", err
	}
	c.ids = append(c.ids, p.(protocol.ElicitParams).ElicitationID)
	return `{"action":"accept"}`, nil
}
