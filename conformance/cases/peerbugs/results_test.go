package peerbugs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// invalidResult checks that the answer to the last request of x failed that request, and that
// the application got the answer.
func invalidResult(t *testing.T, x verbs.Side, req lifecycle.Req, result string) verbs.Side {
	t.Helper()
	x, out := x.Receive(x.Result(result))
	if len(out.Send) != 0 || verbs.Kinds(out) != "violation, request failed" {
		t.Errorf("%s: sent %q, events %s", result, verbs.Lines(out), reports(out))
		return x
	}
	ev := out.Events[1]
	if ev.Req != req || ev.Cause.Kind != lifecycle.CauseInvalidResponse || string(out.Events[0].Body) != result {
		t.Errorf("%s: %v failed with %v, reported %s", result, ev.Req, ev.Cause, out.Events[0].Body)
	}
	return x
}

// Case 48: a tool result without content has a defined outcome at once. The case asks for
// an empty one with a flag, which Policy.LenientContent gives; by default TOOL-014 makes it an
// invalid response, which is an event with the result in it. It ends only its own
// call, and other members make no difference.
func Test48NoContent(t *testing.T) {
	for _, result := range []string{
		`{"structuredContent":{"a":1}}`, `{"content":null}`, `{}`, `null`, `{"content":{}}`, `{"content":"text"}`, `{"Content":[]}`, `{"toolResult":1}`,
		`{"isError":true}`, `{"_meta":{}}`,
	} {
		x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
		r := requestTo(protocol.Server)
		x, other := ask(x, r, lifecycle.RequestOptions{})
		idOfOther := x.LastID()
		x, req := ask(x, r, lifecycle.RequestOptions{})
		x = invalidResult(t, x, req, result)
		if x.Status().Outbound != 1 {
			t.Errorf("%s: %d calls wait", result, x.Status().Outbound)
		}
		x, out := x.Receive(`{"jsonrpc":"2.0","id":` + idOfOther + `,"result":{"content":[]}}`)
		if silent(t, "the other", out, "response received"); out.Events[0].Req != other {
			t.Errorf("%s: %v was answered", result, out.Events[0].Req)
		}
		alive(t, x)
	}
}

// Case 48: with the policy a result without content is read as empty, and is reported; other
// faults remain faults, and are reported once with the original text.
func Test48LenientContent(t *testing.T) {
	for result, want := range map[string]string{
		`{"structuredContent":{"a":1}}`: `{"structuredContent":{"a":1},"content":[]}`,
		`{"content":null}`:              `{"content":[]}`,
		`{}`:                            `{"content":[]}`,
		`{"isError":true,"content":null,"x":1e400}`: `{"isError":true,"content":[],"x":1e400}`,
		`null`:               "",
		`[]`:                 "",
		`{"content":{}}`:     "",
		`{"content":"text"}`: "",
		`{"isError":1}`:      "",
		`{"content":null,"structuredContent":[]}`:      "",
		`{"content":null,"_meta":1,"isError":"false"}`: "",
	} {
		x := at(full(t, protocol.Client, lifecycle.Policy{LenientContent: true}), lifecycle.Ready)
		x, req := ask(x, requestTo(protocol.Server), lifecycle.RequestOptions{})
		if want == "" {
			alive(t, invalidResult(t, x, req, result))
			continue
		}
		_, out := x.Receive(x.Result(result))
		if reports(out) != "violation TOOL-014, response received" || string(out.Events[0].Body) != result || string(out.Events[1].Body) != want {
			t.Errorf("%s: events %s, got %s, want %s", result, reports(out), out.Events[len(out.Events)-1].Body, want)
		}
	}
}

// odd are items that no list should contain.
var odd = []string{`null`, `5`, `"x"`, `true`, `[]`, `{}`, `{"name":5}`, `{"name":null}`, `{"uri":[]}`, `{"uri":"a:b","name":{}}`, `{"uriTemplate":1,"name":null}`, `{"name":"n","title":1}`}

// Case 50: a malformed item affects only itself: the others arrive
// unchanged, wherever the odd one is, and it is reported.
func Test50OddItems(t *testing.T) {
	good := map[string][2]string{
		"tools/list":               {"tools", `{"name":"ok","inputSchema":{"type":"object","x":9007199254740993},"y":null}`},
		"resources/list":           {"resources", `{"uri":"a:b","name":"ok","size":1}`},
		"resources/templates/list": {"resourceTemplates", `{"uriTemplate":"a:{b}","name":"ok"}`},
		"prompts/list":             {"prompts", `{"name":"ok","arguments":[{"name":"a"}]}`},
	}
	moreTools := []string{
		`{"name":"bad","inputSchema":null}`, `{"name":"bad"}`, `{"name":"bad","inputSchema":[]}`, `{"name":"bad","inputSchema":"x"}`,
		`{"name":"bad","inputSchema":{"type":"array"}}`, `{"name":"bad","inputSchema":{"type":"object","properties":[]}}`, `{"name":"bad","inputSchema":{"type":"object"},"annotations":1}`,
	}
	mended := map[string]string{ // an odd optional member affects less
		`prompts/list{"name":"n","title":1}`:                                       `{"name":"n"}`,
		`tools/list{"name":"bad","inputSchema":{"type":"object","properties":[]}}`: `{"name":"bad","inputSchema":{"type":"object"}}`,
		`tools/list{"name":"bad","inputSchema":{"type":"object"},"annotations":1}`: `{"name":"bad","inputSchema":{"type":"object"}}`,
	}
	for method, g := range good {
		member, ok := g[0], g[1]
		list := odd
		if method == "tools/list" {
			list = append(append([]string{}, odd...), moreTools...)
		}
		forms := [][]string{{ok, "null", list[len(list)-1]}, list}
		for _, item := range list {
			forms = append(forms, []string{item, ok}, []string{ok, item}, []string{ok, item, ok}, []string{item})
		}
		for _, items := range forms {
			x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
			x, req := ask(x, request{name: method}, lifecycle.RequestOptions{})
			var kept []string
			for _, item := range items {
				if item == ok {
					kept = append(kept, item)
				}
				if rest := mended[method+item]; rest != "" {
					kept = append(kept, rest)
				}
			}
			rest := `"_meta":{"k":1},"nextCursor":"c"`
			sent := fmt.Sprintf(`{"%s":[%s],%s}`, member, strings.Join(items, ","), rest)
			want := fmt.Sprintf(`{"%s":[%s],%s}`, member, strings.Join(kept, ","), rest)
			x, out := x.Receive(x.Result(sent))
			if len(out.Send) != 0 || verbs.Kinds(out) != "violation, response received" || out.Events[1].Req != req || string(out.Events[1].Body) != want || string(out.Events[0].Body) != sent {
				t.Errorf("%s %s: events %s, got %s, want %s", method, sent, reports(out), out.Events[len(out.Events)-1].Body, want)
			}
			alive(t, x)
		}
		// Without a list nothing can be kept.
		for _, result := range []string{`{}`, `{"` + member + `":null}`, `{"` + member + `":{}}`, `{"` + member + `":[null],"nextCursor":3}`} {
			x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
			x, req := ask(x, request{name: method}, lifecycle.RequestOptions{})
			alive(t, invalidResult(t, x, req, result))
		}
	}
}

// Case 50 for the blocks of a tool result.
func Test50OddBlocks(t *testing.T) {
	const ok = `{"type":"text","text":"a","x":1e400}`
	for _, block := range append([]string{`{"type":"text"}`, `{"type":5}`, `{"type":"resource"}`, `{"type":"image","data":1}`, `{"type":"resource_link","uri":"a:b"}`}, odd...) {
		for _, c := range [][2]string{{block + "," + ok, ok}, {ok + "," + block, ok}, {ok + "," + block + "," + ok, ok + "," + ok}, {block, ""}} {
			x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
			x, req := ask(x, requestTo(protocol.Server), lifecycle.RequestOptions{})
			sent, want := `{"isError":true,"content":[`+c[0]+`]}`, `{"isError":true,"content":[`+c[1]+`]}`
			_, out := x.Receive(x.Result(sent))
			if verbs.Kinds(out) != "violation, response received" || out.Events[1].Req != req || string(out.Events[1].Body) != want || string(out.Events[0].Body) != sent {
				t.Errorf("%s: events %s, got %s, want %s", sent, reports(out), out.Events[len(out.Events)-1].Body, want)
			}
		}
	}
}

// form is the form for elicited.
const form = `{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":1},"s":{"type":"string"}},"required":["n"]}}`

// elicited are answers to elicitation/create and their outcomes.
var elicited = []struct {
	answer string
	good   bool
	want   string // the rest of it
}{
	{`{"action":"decline"}`, true, `{"action":"decline"}`},
	{`{"action":"decline","content":{"junk":"x"}}`, true, `{"action":"decline"}`},
	{`{"action":"cancel","content":{"n":"no number"}}`, true, `{"action":"cancel"}`},
	{`{"action":"cancel","content":null}`, true, `{"action":"cancel"}`},
	{`{"action":"accept","content":{"n":1}}`, true, `{"action":"accept","content":{"n":1}}`},
	{`{"action":"accept","content":{"n":1.0,"s":"","more":true}}`, true, `{"action":"accept","content":{"n":1.0,"s":"","more":true}}`},
	{`{"action":"accept"}`, false, ""},
	{`{"action":"accept","content":null}`, false, ""},
	{`{"action":"accept","content":{}}`, false, ""},
	{`{"action":"accept","content":{"s":"x"}}`, false, ""},
	{`{"action":"accept","content":{"n":null}}`, false, ""},
	{`{"action":"accept","content":{"n":0}}`, false, ""},
	{`{"action":"accept","content":{"n":1.5}}`, false, ""},
	{`{"action":"accept","content":{"n":"1"}}`, false, ""},
	{`{"action":"accept","content":{"n":1,"s":5}}`, false, ""},
	{`{"action":"Accept","content":{"n":1}}`, false, ""},
	{`{"action":null,"content":{"n":1}}`, false, ""},
	{`{"content":{"n":1}}`, false, ""},
}

// Case 63: only accepted content is checked against the form. Content of a refusal is dropped,
// null counts as absent, on both sides: the client's application cannot send
// invalid content, and the server's does not get it.
func Test63ElicitationAnswers(t *testing.T) {
	for _, c := range elicited {
		s := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
		s, req := ask(s, request{name: "elicitation/create", params: form}, lifecycle.RequestOptions{})
		if c.good {
			_, out := s.Receive(s.Result(c.answer))
			if silent(t, c.answer, out, "response received"); string(out.Events[0].Body) != c.want {
				t.Errorf("%s came in as %s, want %s", c.answer, out.Events[0].Body, c.want)
			}
		} else {
			alive(t, invalidResult(t, s, req, c.answer))
		}
		x, out := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready).Receive(line("a", "elicitation/create", form))
		_, out, err := x.Respond(out.Opened, jsonrpc.Raw(c.answer))
		switch {
		case !c.good && !errors.Is(err, lifecycle.ErrParams):
			t.Errorf("%s: %v, sent %q", c.answer, err, verbs.Lines(out))
		case c.good && (err != nil || wire(out) != `{"id":"a","result":`+c.want+`}`):
			t.Errorf("%s: %v, sent %s", c.answer, err, wire(out))
		}
	}
	// Nothing is required here, so no content is enough.
	for _, answer := range []string{`{"action":"accept"}`, `{"action":"accept","content":null}`, `{"action":"accept","content":{}}`} {
		s := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
		s, _ = ask(s, requestNamed("elicitation/create"), lifecycle.RequestOptions{})
		_, out := s.Receive(s.Result(answer))
		silent(t, answer, out, "response received")
	}
}
