package typed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

type person struct {
	Name   string  `json:"name" doc:"How you are called." schema:"minLength=1"`
	Age    int     `json:"age" schema:"min=0,max=150,default=7"`
	News   bool    `json:"news,omitempty"`
	Weight float64 `json:"weight,omitempty"`
}

// user answers the questions of a function, in order; none left is an error.
type user struct {
	server.Caller
	answers []string
	asked   []string
}

func (u *user) Request(_ context.Context, p protocol.Params, _ server.RequestOptions) (jsonrpc.Raw, error) {
	u.asked = append(u.asked, string(p.AppendJSON([]byte(p.Method()+" "))))
	if len(u.answers) == 0 {
		return "", &lifecycle.OpError{Op: "request", Err: lifecycle.ErrCapability}
	}
	a := u.answers[0]
	u.answers = u.answers[1:]
	return jsonrpc.Raw(a), nil
}

func greeter(h *server.Handlers) {
	typed.Tool(h, protocol.Tool{Name: "greet"}, func(_ context.Context, c server.Caller, in struct{}) (string, error) {
		q := typed.Ask(c)
		who, said := typed.Elicit[person](q, "who", "Who are you?")
		if err := q.Open(""); err != nil {
			return "", err
		}
		if said != protocol.ActionAccept {
			return "nobody: " + string(said), nil
		}
		return "Hello, " + who.Name + strings.Repeat("!", who.Age), nil
	})
}

func run(t *testing.T, h *server.Handlers, tool string, u *user) string {
	t.Helper()
	j, ok := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: jsonrpc.Raw(`{"name":"` + tool + `"}`)})
	if !ok {
		t.Fatal("no job")
	}
	a := j.Run(context.Background(), u)
	if a.Err != nil {
		return a.Err.Message
	}
	return string(a.Result.AppendJSON(nil))
}

// A function asks with the form of a type, and is run again with what was filled in.
//
// rows: MRTR-013 MRTR-038
func TestElicit(t *testing.T) {
	h := new(server.Handlers)
	greeter(h)
	const form = `elicitation/create {"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","description":"How you are called.","minLength":1},"age":{"type":"integer","minimum":0,"maximum":150,"default":7},"news":{"type":"boolean"},"weight":{"type":"number"}},"required":["name"]}}`
	for _, c := range []struct {
		answers []string
		asks    int
		want    string
	}{
		{[]string{`{"action":"accept","content":{"name":"Ann","age":2,"other":true}}`}, 1, `"text":"Hello, Ann!!"`},
		{[]string{`{"action":"accept","content":{"name":"Bob"}}`}, 1, `"text":"Hello, Bob!!!!!!!"`},
		{[]string{`{"action":"decline"}`}, 1, `"text":"nobody: decline"`},
		{[]string{`{"action":"cancel","content":{"name":"Ann"}}`}, 1, `"text":"nobody: cancel"`},
		{[]string{`{"action":"accept","content":{"name":""}}`, `{"action":"accept"}`, `{"action":"odd"}`, `null`, `{"action":"accept","content":{"name":"Ann","age":0}}`}, 5, `"text":"Hello, Ann"`},
		{nil, 1, `"isError":true`},
		{strings.Split(strings.Repeat(`{"action":"accept"} `, 20), " "), 8, `"text":"server: the function still asks after 8 rounds of questions"`},
	} {
		u := &user{answers: c.answers}
		got := run(t, h, "greet", u)
		if len(u.asked) == 0 {
			t.Fatal(got)
		}
		if !strings.Contains(got, c.want) || len(u.asked) != c.asks || u.asked[0] != form {
			t.Errorf("%q: got %s after %d questions\n%s", c.answers, got, len(u.asked), u.asked)
		}
	}
}

// Types that are no form make Open fail, and nobody is asked.
func TestElicitForms(t *testing.T) {
	h := new(server.Handlers)
	refused := func(name string, f func(q *protocol.Questions)) {
		typed.Tool(h, protocol.Tool{Name: name}, func(_ context.Context, c server.Caller, in struct{}) (string, error) {
			q := typed.Ask(c)
			f(q)
			err := q.Open("")
			var need *protocol.InputRequired
			if errors.As(err, &need) {
				t.Error(name, "asks")
			}
			return "", err
		})
	}
	refused("nested", func(q *protocol.Questions) { typed.Elicit[struct{ P person }](q, "k", "m") })
	refused("list", func(q *protocol.Questions) { typed.Elicit[struct{ L []int }](q, "k", "m") })
	refused("any", func(q *protocol.Questions) { typed.Elicit[struct{ R jsonrpc.Raw }](q, "k", "m") })
	refused("string", func(q *protocol.Questions) { typed.Elicit[string](q, "k", "m") })
	refused("map", func(q *protocol.Questions) { typed.Elicit[map[string]string](q, "k", "m") })
	for _, name := range []string{"nested", "list", "any", "string", "map"} {
		if got := run(t, h, name, &user{}); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "typed: a form of") {
			t.Error(name, got)
		}
	}
}

// What fits the form and no value of the Go type is an error, and nothing of it is used.
func TestElicitDoesNotFit(t *testing.T) {
	type numbers struct {
		Whole int64   `schema:"optional"`
		Real  float64 `schema:"optional"`
	}
	for _, content := range []string{`{"Whole":99999999999999999999}`, `{"Whole":-9223372036854775809,"Real":2.5}`} {
		h := new(server.Handlers)
		typed.Tool(h, protocol.Tool{Name: "n"}, func(_ context.Context, c server.Caller, in struct{}) (string, error) {
			q := typed.Ask(c)
			v, said := typed.Elicit[numbers](q, "k", "m")
			if v != (numbers{}) || said != "" {
				t.Errorf("%s: %+v, %q", content, v, said)
			}
			return "used", q.Open("")
		})
		u := &user{answers: []string{`{"action":"accept","content":` + content + `}`}}
		if got := run(t, h, "n", u); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "typed: what was filled in: ") || len(u.asked) != 1 {
			t.Errorf("%s: %s after %d questions", content, got, len(u.asked))
		}
	}
}

// The result for a client that cannot be asked says that, in words that a model can act on.
//
// rows: MRTR-039
func TestElicitOfAClientThatCannot(t *testing.T) {
	h := new(server.Handlers)
	greeter(h)
	got := run(t, h, "greet", new(user))
	if !strings.Contains(got, `"text":"the client cannot be asked: it does not support elicitation"`) || !strings.Contains(got, `"isError":true`) {
		t.Error(got)
	}
}
