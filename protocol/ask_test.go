package protocol_test

import (
	"errors"
	"io"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// What is not answered yet is asked, in order and each key once; the answers that came are read.
//
// rows: MRTR-010 MRTR-013
// revisions: 2026-07-28
func TestAsk(t *testing.T) {
	form := ElicitParams{Message: "Sure?", RequestedSchema: ElicitSchema{
		Properties: []Property{{"sure", PrimitiveSchema{Type: TypeBoolean}}}, Required: []string{"sure"},
	}}
	in := &InputResponses{State: "before"}
	ask := func() *Questions { return Ask(CallToolParams{Name: "x", Input: in}) }
	run := func(q *Questions) (ElicitResult, CreateMessageResult, ListRootsResult, error) {
		e, s, r := q.Elicit("form", form), q.Sample("model", CreateMessageParams{MaxTokens: 5}), q.Roots("roots")
		q.Roots("roots")
		return e, s, r, q.Open("after")
	}
	q := ask()
	if q.State() != "before" {
		t.Errorf("state %q", q.State())
	}
	e, s, r, err := run(q)
	var need *InputRequired
	if !errors.As(err, &need) {
		t.Fatalf("nothing is asked: %v", err)
	}
	if err.Error() != "protocol: the client must answer questions first" || need.State != "after" || len(need.Questions) != 3 {
		t.Fatalf("%v: %+v", err, need)
	}
	for i, want := range [][2]string{{"form", "elicitation/create"}, {"model", "sampling/createMessage"}, {"roots", "roots/list"}} {
		if o := need.Questions[i]; o.Key != want[0] || o.Params.Method() != want[1] {
			t.Errorf("question %d: %q, %s", i, o.Key, o.Params.Method())
		}
	}
	if e.Action != "" || s.Model != "" || r.Roots != nil {
		t.Errorf("results of nothing: %+v %+v %+v", e, s, r)
	}

	in.Results = map[string]Raw{
		"form":  `{"action":"accept","content":{"sure":true}}`,
		"model": `{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`,
		"roots": `{"roots":[{"uri":"file:///a"}]}`,
	}
	e, s, r, err = run(ask())
	if err != nil || e.Content["sure"] != "true" || s.Model != "m" || len(r.Roots) != 1 || r.Roots[0].URI != "file:///a" {
		t.Errorf("answered: %+v %+v %+v, %v", e, s, r, err)
	}
}

// An answer that is none, or does not fit the form, is asked for again and leaves the zero result.
//
// rows: MRTR-013 MRTR-014
// revisions: 2026-07-28
func TestAskAgain(t *testing.T) {
	form := ElicitParams{Message: "Sure?", RequestedSchema: ElicitSchema{
		Properties: []Property{{"sure", PrimitiveSchema{Type: TypeBoolean}}}, Required: []string{"sure"},
	}}
	page := ElicitParams{Message: "Go", Mode: ElicitURL, URL: "https://a.example", ElicitationID: "1"}
	elicit := func(p ElicitParams) func(q *Questions) bool {
		return func(q *Questions) bool { r := q.Elicit("k", p); return r.Action == "" && r.Content == nil }
	}
	sample := func(q *Questions) bool {
		r := q.Sample("k", CreateMessageParams{})
		return r.Role == "" && r.Content == nil && r.Model == ""
	}
	roots := func(q *Questions) bool { return q.Roots("k").Roots == nil }
	for _, tt := range []struct {
		body  Raw
		ask   func(q *Questions) (zero bool)
		again bool
	}{
		{`{"action":"accept","content":{}}`, elicit(form), true},
		{`{"action":"accept","content":{"sure":"x"}}`, elicit(form), true},
		{`{"action":"other"}`, elicit(form), true},
		{`[]`, elicit(form), true},
		{`{"action":"decline"}`, elicit(form), false},
		{`{"action":"accept"}`, elicit(page), false},
		{`{"model":"m"}`, sample, true},
		{`[]`, sample, true},
		{`{"roots":5}`, roots, true},
		{`{"roots":[]}`, roots, false},
	} {
		q := Ask(GetPromptParams{Input: &InputResponses{Results: map[string]Raw{"k": tt.body}}})
		zero, err := tt.ask(q), q.Open("")
		var need *InputRequired
		if again := errors.As(err, &need); again != tt.again || again && !zero {
			t.Errorf("%s: asked again: %v, the zero result: %v", tt.body, again, zero)
		}
	}
}

// An answer counts as one of a session does: three outcomes of which accept alone has content, and none
// of a page; a model that was given no tools and uses one is asked again. What it does with those that it
// was given is its own fault.
//
// rows: ELIC-013 ELIC-015 ELIC-109 ELIC-204 SAMP-026 SAMP-116 SAMP-117 SAMP-118 SAMP-203 ROOT-015
// revisions: 2026-07-28
func TestAskTakesAnswers(t *testing.T) {
	form := ElicitParams{Message: "m", RequestedSchema: ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeInteger}}}}}
	page := ElicitParams{Message: "m", Mode: ElicitURL, URL: "https://a.example"}
	tools := func(mode ToolChoiceMode) CreateMessageParams {
		return CreateMessageParams{Tools: []Tool{{Name: "t", InputSchema: `{"type":"object"}`}}, ToolChoice: &ToolChoice{Mode: mode}}
	}
	const (
		text = `{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":"endTurn"}`
		use  = `{"role":"assistant","content":{"type":"tool_use","id":"a","name":"t","input":{}},"model":"m","stopReason":"toolUse"}`
	)
	for _, tt := range []struct {
		p          Params
		body, want string // "" where it is asked again
	}{
		{form, `{"action":"accept","content":{"a":1}}`, `{"action":"accept","content":{"a":1}}`},
		{form, `{"action":"decline","content":{"a":1}}`, `{"action":"decline"}`},
		{form, `{"action":"cancel","content":{"a":"x"}}`, `{"action":"cancel"}`},
		{form, `{"action":"accept","content":{"a":"x"}}`, ""},
		{page, `{"action":"accept","content":{"a":1}}`, `{"action":"accept"}`},
		{page, `{"action":"decline"}`, `{"action":"decline"}`},
		{CreateMessageParams{}, text, text},
		{CreateMessageParams{}, use, ""},
		{CreateMessageParams{}, `{"role":"assistant","content":{"type":"text"},"model":"m"}`, ""},
		{tools(ToolChoiceAuto), use, use},
		{tools(ToolChoiceNone), use, use},
		{tools(ToolChoiceRequired), text, text},
		{ListRootsParams{}, `{"roots":[]}`, `{"roots":[]}`},
		{ListRootsParams{}, `{"roots":[{"uri":"https://x"}]}`, `{"roots":[{"uri":"https://x"}]}`},
		{ListRootsParams{}, `{"roots":5}`, ""},
	} {
		q := Ask(ReadResourceParams{Input: &InputResponses{Results: map[string]Raw{"k": Raw(tt.body)}}})
		var got []byte
		switch p := tt.p.(type) {
		case ElicitParams:
			got = q.Elicit("k", p).AppendJSON(nil)
		case CreateMessageParams:
			got = q.Sample("k", p).AppendJSON(nil)
		case ListRootsParams:
			got = q.Roots("k").AppendJSON(nil)
		}
		err := q.Open("")
		var need *InputRequired
		if again := errors.As(err, &need); again != (tt.want == "") || !again && (err != nil || string(got) != tt.want) {
			t.Errorf("%s: %v, %s\nwant %s", tt.body, err, got, tt.want)
		}
	}
}

// The first mistake is the error of Open, whatever else is asked; without input and questions there
// is none.
func TestAskFail(t *testing.T) {
	q := Ask(ReadResourceParams{URI: "a:b"})
	if err := q.Open("x"); err != nil || q.State() != "" {
		t.Errorf("of nothing: %v, state %q", err, q.State())
	}
	q.Roots("roots")
	q.Fail(io.EOF)
	q.Fail(io.ErrClosedPipe)
	if err := q.Open("x"); err != io.EOF { //nolint:errorlint // as it is
		t.Errorf("%v", err)
	}
}

// A key stands for one question of a run: another message, form or method under it makes Open fail with an
// error that names both, answered or not, and whose second question has no answer. The same question again
// has the answer that there is.
func TestAskKeys(t *testing.T) {
	form := func(message, field string) ElicitParams {
		return ElicitParams{Message: message, RequestedSchema: ElicitSchema{Properties: []Property{{field, PrimitiveSchema{Type: TypeBoolean}}}}}
	}
	yes := func(q *Questions, p ElicitParams) bool { return q.Elicit("sure", p).Action == ActionAccept }
	for _, answered := range []bool{false, true} {
		start := func() *Questions {
			p := CallToolParams{Name: "delete", Input: &InputResponses{}}
			if answered {
				p.Input.Results = map[string]Raw{"sure": `{"action":"accept","content":{}}`}
			}
			q := Ask(p)
			if yes(q, form("Delete a?", "now")) != answered {
				t.Errorf("the first question: want answered %v", answered)
			}
			return q
		}
		again := start()
		if yes(again, form("Delete a?", "now")) != answered {
			t.Errorf("the same question: want answered %v", answered)
		}
		var need *InputRequired
		if err := again.Open(""); answered && err != nil || !answered && (!errors.As(err, &need) || len(need.Questions) != 1) {
			t.Errorf("the same question, answered %v: %v", answered, err)
		}
		for _, tt := range []struct {
			ask  func(q *Questions) (zero bool)
			want string
		}{
			{func(q *Questions) bool { return !yes(q, form("Delete b?", "now")) }, `elicitation/create "Delete a?" and elicitation/create "Delete b?"`},
			{func(q *Questions) bool { return !yes(q, form("Delete a?", "later")) }, `elicitation/create "Delete a?" and elicitation/create "Delete a?"`},
			{func(q *Questions) bool { return q.Sample("sure", CreateMessageParams{}).Model == "" }, `elicitation/create "Delete a?" and sampling/createMessage`},
			{func(q *Questions) bool { return q.Roots("sure").Roots == nil }, `elicitation/create "Delete a?" and roots/list`},
		} {
			q := start()
			zero := tt.ask(q)
			want := `protocol: Questions: the key "sure" stands for two questions: ` + tt.want + `; each wants a key of its own, the same in each run`
			if err := q.Open(""); !zero || err == nil || err.Error() != want {
				t.Errorf("answered %v: the second has no answer: %v; %v, want %s", answered, zero, err, want)
			}
		}
	}
}

// An answer whose action is none is asked for again; one to a page needs no form, whatever it has.
//
// rows: MRTR-014
// revisions: 2026-07-28
func TestOddActions(t *testing.T) {
	page := ElicitParams{Mode: ElicitURL, Message: "m", URL: "https://a.example/"}
	form := ElicitParams{Message: "m", RequestedSchema: ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeBoolean}}}, Required: []string{"a"}}}
	for _, c := range []struct {
		p      ElicitParams
		answer Raw
		want   ElicitAction
	}{
		{form, `{"action":"maybe"}`, ""}, {page, `{"action":"maybe"}`, ""}, {form, `{"action":""}`, ""}, {form, `{}`, ""},
		{form, `{"action":"accept"}`, ""}, {form, `{"action":"accept","content":{"a":1}}`, ""}, {form, `{"action":"accept","content":{"a":true}}`, ActionAccept},
		{form, `{"action":"decline","content":{"a":1}}`, ActionDecline}, {form, `{"action":"cancel"}`, ActionCancel},
		{page, `{"action":"accept"}`, ActionAccept}, {page, `{"action":"accept","content":{"b":1}}`, ActionAccept},
	} {
		q := Ask(CallToolParams{Input: &InputResponses{Results: map[string]Raw{"k": c.answer}}})
		if got := q.Elicit("k", c.p).Action; got != c.want || (q.Open("") == nil) != (c.want != "") {
			t.Errorf("%s to %q is %q", c.answer, c.p.Mode, got)
		}
	}
}
