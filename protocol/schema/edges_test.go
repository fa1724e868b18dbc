package schema_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Each edge of a pattern is matched on both sides, and an escape with a character just outside
// of its range is not read.
func TestEdgesOfPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string // both nil: the pattern is not read
	}{
		{`^\ca$`, []string{"\x01"}, []string{"a", "\x02", ""}}, {`^\cz$`, []string{"\x1a"}, []string{"z", "\x1b"}},
		{`^\cA$`, []string{"\x01"}, []string{"A"}}, {`^\cZ$`, []string{"\x1a"}, []string{"Z"}},
		{"^\\c`$", nil, nil}, {`^\c{$`, nil, nil}, {`^\c@$`, nil, nil}, {`^\c1$`, nil, nil}, {`^\c`, nil, nil},
		{`a\B`, []string{"ab"}, []string{"a", "a b"}}, {`a\b`, []string{"a", "a b"}, []string{"ab"}},
		{`^\x7f$`, []string{"\x7f"}, []string{"\x7e"}}, {`^\x4$`, nil, nil}, {`^\u{0}$`, []string{"\x00"}, []string{"0"}},
		{`^\u{10ffff}$`, []string{"\U0010ffff"}, []string{"\U0010fffe"}}, {`^\u{110000}$`, nil, nil}, {`^\u{00000041}$`, []string{"A"}, nil}, {`^\u{000000041}$`, nil, nil},
		{`^a{1000}$`, []string{strings.Repeat("a", 1000)}, []string{strings.Repeat("a", 999), strings.Repeat("a", 1001)}}, {`^a{1001}$`, nil, nil},
		{`^\u{d7ff}\u{e000}$`, []string{"\ud7ff\ue000"}, nil}, {`^\u{d800}$`, nil, nil}, {`^\u{dfff}$`, nil, nil},
	} {
		text := jsonrpc.Raw(`{"type":"object","properties":{"p":{"pattern":` + string(rawjson.AppendQuote(nil, c.pattern)) + `}}}`)
		if read := len(schema.Ignored(text)) == 0; read != (c.yes != nil || c.no != nil) {
			t.Errorf("%s: read %v", c.pattern, read)
			continue
		}
		for i, list := range [][]string{c.no, c.yes} {
			for _, s := range list {
				err := schema.Basic{}.Validate(text, jsonrpc.Raw(`{"p":`+string(rawjson.AppendQuote(nil, s))+`}`))
				if (err == nil) != (i == 1) {
					t.Errorf("%s: %q: %v", c.pattern, s, err)
				}
			}
		}
	}
}

// A Schema that was read once may take the steps that its own bytes allow, and not only those of
// the value.
func TestStepsOfCompiledSchemas(t *testing.T) {
	var names []string
	for i := range 1<<17 + 1000 { // more than a value of a few bytes may take
		names = append(names, `"`+strconv.Itoa(i)+`"`)
	}
	s, err := schema.Compile(jsonrpc.Raw(`{"type":"object","dependentRequired":{"x":[` + strings.Join(names, ",") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(`{}`); err != nil {
		t.Error(err)
	}
	if err := s.ValidateDecoded(`{}`); err != nil {
		t.Error(err)
	}
}
