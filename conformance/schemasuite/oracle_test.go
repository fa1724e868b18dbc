package schemasuite_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/schemasuite"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// valuesOfEach is the number of values for each schema.
const valuesOfEach = 10

// Package schema and a complete implementation agree on what is accepted and what is refused,
// for schemas that package schema checks completely. The long run is
//
//	go test -run Oracle -rapid.checks=10000
func TestOracle(t *testing.T) {
	var n verdicts
	rapid.Check(t, n.draw)
	t.Logf("%d values accepted, %d refused, %d not decided within the limit", n.accepted, n.refused, n.limited)
	if n.accepted < 10 || n.refused < 10 || n.limited > (n.accepted+n.refused)/100 {
		t.Error("too few of one kind")
	}
}

// FuzzOracle is TestOracle with choices that lead to statements not yet run.
func FuzzOracle(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { new(verdicts).draw(t) }))
}

type verdicts struct{ accepted, refused, limited int }

func (n *verdicts) draw(t *rapid.T) {
	d := drawer{t}
	s := d.document()
	full, err := schemasuite.Compile(jsonrpc.Raw(s), true)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	if ignored := schema.Ignored(jsonrpc.Raw(s)); len(ignored) > 0 {
		t.Fatalf("%s: %q", s, ignored)
	}
	for range valuesOfEach {
		value := d.value(3)
		want := full.Validate(jsonrpc.Raw(value))
		got := schema.Basic{Formats: schema.AllFormats}.Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))
		var f schema.Fault
		switch errors.As(got, &f); {
		case f.Keyword == schema.KeywordLimit:
			n.limited++
			continue
		case f.Keyword == schema.KeywordSchema, (got == nil) != (want == nil):
			t.Fatalf("%s on %s: %v, the oracle: %v", s, value, got, want)
		case got == nil:
			n.accepted++
			continue
		}
		n.refused++
		if f.Keyword != schema.KeywordFalse && f.SchemaPath == "" || !leads(s, f.SchemaPath) {
			t.Fatalf("%s on %s: %q leads nowhere", s, value, f.SchemaPath)
		}
	}
}
