package schema_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol/schema"
)

// Zero faults have a text like others.
func TestNilFaults(t *testing.T) {
	for _, err := range []error{(*schema.ArgumentError)(nil), schema.ArgumentErrors{nil}, schema.ArgumentErrors{nil, {Kind: schema.ArgumentNull}}} {
		var one *schema.ArgumentError
		if err.Error() == "" || errors.As(err, &one) && errors.Is(err, one) != true {
			t.Errorf("%#v", err)
		}
	}
	if list := (schema.ArgumentErrors{nil}).Unwrap(); len(list) != 0 {
		t.Error(list)
	}
	var all schema.ArgumentErrors
	if _, err := schema.CheckArguments(nil, `{"type":"object","required":["a"]}`, `{}`); !errors.As(err, &all) || len(all) != 1 {
		t.Error(err)
	}
	e := &schema.ArgumentError{Kind: schema.ArgumentType, Path: "/a", Got: "number"}
	if got := e.Error(); strings.Contains(got, "but") || !strings.Contains(got, "a number") {
		t.Error(got)
	}
}

// A long text and a large pattern exceed the steps, also on 32-bit machines.
func TestMatchStepsDoNotOverflow(t *testing.T) {
	for bytes, least := range map[int]int{0: 1, 1 << 22: schema.MostSteps, math.MaxInt32 - 1: schema.MostSteps + 1} {
		if got := schema.MatchSteps(bytes, 2048); got < least || got > schema.MostSteps+1 {
			t.Error(bytes, got)
		}
	}
}
