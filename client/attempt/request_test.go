package attempt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// TestArguments is rows D1, E4, B11 and F4 "null arguments": what goes out, and what does not.
func TestArguments(t *testing.T) {
	needs := attempt.NewInput(`{"type":"object","required":["q","a"],"properties":{"q":{"type":"string"}}}`)
	free := attempt.NewInput(`{"type":"object","properties":{"q":{"type":"string"}}}`)
	for _, c := range []struct {
		name      string
		in        *attempt.Input
		arguments protocol.Raw
		out       protocol.Raw
		kind      toolerror.Kind
	}{
		{"no schema, nothing", nil, "", "", 0},
		{"no schema, null", nil, "null", "", 0},
		{"no schema, an object, byte for byte", nil, ` {"b":1, "a":1.0} `, `{"b":1, "a":1.0}`, 0},
		{"no schema, an array", nil, `[]`, "", toolerror.InvalidArguments},
		{"no schema, a string", nil, `"x"`, "", toolerror.InvalidArguments},
		{"no schema, a number", nil, `1`, "", toolerror.InvalidArguments},
		{"no schema, a boolean", nil, `true`, "", toolerror.InvalidArguments},
		{"no schema, no JSON", nil, `{"a"`, "", toolerror.InvalidArguments},
		{"nothing is required, nothing", free, "", "", 0},
		{"nothing is required, null", free, " null\n", "", 0},
		{"nothing is required, an empty object", free, "{}", "{}", 0},
		{"something is required, nothing", needs, "", "", toolerror.NullArguments},
		{"something is required, null", needs, "null", "", toolerror.NullArguments},
		{"something is required, an empty object", needs, "{}", "", toolerror.InvalidArguments},
		{"something is required and there", needs, `{"q":"x","a":null}`, `{"q":"x","a":null}`, 0},
		{"of another type", free, `{"q":1}`, "", toolerror.InvalidArguments},
		{"an array", free, `[]`, "", toolerror.InvalidArguments},
		{"one name twice", free, `{"q":"x","q":"y"}`, "", toolerror.InvalidArguments},
		{"a schema that cannot be used checks what it can", attempt.NewInput(`{"type":"object","properties":{"q":{"type":"string","pattern":"["}}}`), `{"q":"x"}`, `{"q":"x"}`, 0},
		{"no schema at all", attempt.NewInput(``), `{"q":"x"}`, `{"q":"x"}`, 0},
		{"a required list that is none", attempt.NewInput(`{"type":"object","required":[1,"q"]}`), ``, ``, 0},
	} {
		out, fault := c.in.Check("t", c.arguments)
		if out != c.out || (fault == nil) != (c.kind == 0) || fault != nil && (fault.Kind != c.kind || fault.Tool != "t") {
			t.Errorf("%s: %q, %v", c.name, out, fault)
		}
		// A call with a fault has settled when Call returns, and has started nothing.
		var x attempt.Executor
		x, step, err := x.Call(start, attempt.Request{Tool: "t", Input: c.in, Arguments: c.arguments})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.kind == 0 && (len(step.Start) != 1 || step.Start[0].Request.Arguments != c.out || len(step.Done) != 0):
			t.Errorf("%s: %+v", c.name, step)
		case c.kind != 0 && (len(step.Start) != 0 || len(step.Done) != 1 || step.Done[0].Outcome.Err.Kind != c.kind || step.Done[0].Outcome.Attempts != 0):
			t.Errorf("%s: %+v", c.name, step)
		}
		if err := x.Check(); err != nil {
			t.Error(err)
		}
	}
	_, fault := needs.Check("t", "null")
	if want := []string{"a", "q"}; len(fault.Parameters) != 1 || !cmp.Equal(fault.Parameters[0].Names, want) {
		t.Errorf("the names are %+v, want %v", fault.Parameters, want)
	}
	many := attempt.NewInput(`{"type":"object","properties":{"title":{"type":"string","minLength":1},"text":{"type":"string"}},"required":["title","text","id"]}`)
	if _, fault := many.Check("t", `{"title":"","text":5}`); len(fault.Parameters) != 3 {
		t.Errorf("of three faults it names %v", fault.Parameters)
	}
	if _, fault := (*attempt.Input)(nil).Check("t", `[]`); fault.Parameters[0].Got != "array" || fault.Parameters[0].Kind != schema.ArgumentType {
		t.Errorf("%+v", fault.Parameters[0])
	}
	// Unchecked leaves the schema out, and nothing else.
	p := attempt.Policy{Unchecked: true}
	for arguments, ok := range map[protocol.Raw]bool{`{"q":1}`: true, `null`: true, `[]`: false} {
		_, out, err := attempt.Executor{}.Call(start, attempt.Request{Tool: "t", Input: needs, Arguments: arguments, Policy: &p})
		if err != nil || (len(out.Start) == 1) != ok {
			t.Errorf("unchecked %s: %+v, %v", arguments, out, err)
		}
	}
}

// TestArgumentsInABatch: a call with bad arguments has its turn like any other, and fails then.
func TestArgumentsInABatch(t *testing.T) {
	s := newSim(t, attempt.Config{}, batchRuns())
	list := []attempt.Request{{Tool: "a"}, {Tool: "b", Arguments: "[]"}, {Tool: "c"}}
	x, out, err := s.x.Start(start, list, attempt.BatchOptions{FailFast: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.take(x, out); len(out.Done) != 0 || len(out.Start) != 1 {
		t.Errorf("%+v", out)
	}
	s.until(0)
	if got := s.log.String(); !strings.Contains(got, "[a=ok b=invalid_arguments c=cancelled], first failure 1") {
		t.Error(got)
	}
}

// TestHints is rows A25 and D9: hints count from servers that are trusted.
func TestHints(t *testing.T) {
	yes := true
	idempotent := &protocol.ToolAnnotations{IdempotentHint: &yes}
	readOnly := &protocol.ToolAnnotations{ReadOnlyHint: &yes}
	for _, c := range []struct {
		a       *protocol.ToolAnnotations
		trusted bool
		want    bool
	}{{idempotent, true, true}, {readOnly, true, true}, {idempotent, false, false}, {readOnly, false, false}, {nil, true, false}, {&protocol.ToolAnnotations{}, true, false}} {
		if got := attempt.HintsOf(c.a, c.trusted).Repeatable(); got != c.want {
			t.Errorf("%+v trusted %v: repeatable is %v", c.a, c.trusted, got)
		}
	}
	if got, want := attempt.HintsOf(readOnly, true), (attempt.Hints{ReadOnly: true, Idempotent: true}); got != want {
		t.Errorf("%+v, want %+v", got, want) // what changes nothing changes nothing more
	}
	if got, want := attempt.HintsOf(idempotent, true), (attempt.Hints{Idempotent: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !local.Repeatable() {
		t.Error("a tool of the application may not be repeated")
	}
}

type temporary struct{ timeout, temporary bool }

func (temporary) Error() string     { return "io" }
func (e temporary) Timeout() bool   { return e.timeout }
func (e temporary) Temporary() bool { return e.temporary }

// TestRetryable is row D9: the table of what may be tried again, for every kind.
func TestRetryable(t *testing.T) {
	for k := toolerror.Kind(0); k <= toolerror.InvalidOutput+1; k++ {
		again, unsafe := false, false
		switch k {
		case toolerror.Timeout, toolerror.ConnectionLost:
			again, unsafe = true, true
		case toolerror.Unavailable, toolerror.RateLimited:
			again = true
		}
		e := &toolerror.Error{Kind: k}
		if got, safe := attempt.Retryable(e, attempt.Hints{}); got != again || safe != (again && !unsafe) {
			t.Errorf("%v: %v %v", k, got, safe)
		}
		if got, safe := attempt.Retryable(e, local); got != again || safe != again {
			t.Errorf("%v of a local tool: %v %v", k, got, safe)
		}
	}
	for _, c := range []struct {
		cause error
		want  bool
	}{{nil, false}, {errors.New("x"), false}, {temporary{}, false}, {temporary{timeout: true}, true}, {temporary{temporary: true}, true}} {
		if got, _ := attempt.Retryable(&toolerror.Error{Kind: toolerror.Execution, Cause: c.cause}, local); got != c.want {
			t.Errorf("a crash with the cause %v: %v", c.cause, got)
		}
	}
	if again, safe := attempt.Retryable(nil, local); again || safe {
		t.Error("nil is tried again")
	}
}
