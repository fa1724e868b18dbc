package protocol_test

import (
	"reflect"
	"testing"

	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
	"pgregory.net/rapid"
)

// A nil pointer in an interface is refused like no params or no result at all, whatever
// the type.
func TestEncodeNil(t *testing.T) {
	params, results := 0, 0
	for _, v := range types {
		none := reflect.Zero(reflect.TypeOf(v)).Interface()
		if p, ok := none.(Params); ok {
			params++
			if raw, err := EncodeParams(p); err == nil || raw != "" {
				t.Errorf("EncodeParams of (%T)(nil): %q, %v", p, raw, err)
			}
			if name := MethodName(p); name != "" {
				t.Errorf("MethodName of (%T)(nil): %q", p, name)
			}
		}
		if r, ok := none.(Result); ok {
			results++
			if raw, err := EncodeResult(r); err == nil || raw != "" {
				t.Errorf("EncodeResult of (%T)(nil): %q, %v", r, raw, err)
			}
		}
	}
	if params < 25 || results < 25 {
		t.Errorf("only %d params and %d results", params, results)
	}
	if _, err := EncodeParams(nil); err == nil {
		t.Error("EncodeParams of nothing")
	}
	if _, err := EncodeResult(nil); err == nil {
		t.Error("EncodeResult of nothing")
	}
}

// What Validate refuses is not encoded, neither as a value nor behind a pointer.
func TestEncodeInvalid(t *testing.T) {
	call := CallToolParams{Name: "t", Meta: "5"}
	answer := CallToolResult{Meta: "5"}
	for _, p := range []Params{call, &call, GetPromptParams{Meta: "5"}, &GetPromptParams{Meta: "5"}, RawRequest{Name: "x", Body: "5"}} {
		if raw, err := EncodeParams(p); err == nil || raw == `{"name":"t","_meta":5}` {
			t.Errorf("EncodeParams of %T: %q, %v", p, raw, err)
		}
	}
	for _, r := range []Result{answer, &answer, GetPromptResult{Meta: "5"}, EmptyResult{Meta: "5"}, Raw("5")} {
		if _, err := EncodeResult(r); err == nil {
			t.Errorf("EncodeResult of %T gives no error", r)
		}
	}
}

// encoding/json takes null for what is there already.
func TestMetaFromNull(t *testing.T) {
	m := Meta(`{"a":1}`)
	if err := m.UnmarshalJSON([]byte(" null ")); err != nil || m != `{"a":1}` {
		t.Errorf("null: %q, %v", m, err)
	}
	if err := m.UnmarshalJSON([]byte(`{"b":2}`)); err != nil || m != `{"b":2}` {
		t.Errorf("an object: %q, %v", m, err)
	}
	for _, bad := range []string{"", "{", "5", `[]`} {
		if err := m.UnmarshalJSON([]byte(bad)); err == nil || m != `{"b":2}` {
			t.Errorf("%q: %q, %v", bad, m, err)
		}
	}
}

// A result whose type fits its method needs no second look at its JSON: what Validate lets
// pass, CheckResult does too, and there is no null in it that would be left out.
func TestFits(t *testing.T) {
	for method, make := range map[Method]func() codec{
		MethodToolsCall: func() codec { return new(CallToolResult) }, MethodResourcesRead: func() codec { return new(ReadResourceResult) },
		MethodPromptsGet: func() codec { return new(GetPromptResult) }, MethodCompletionComplete: func() codec { return new(CompleteResult) },
	} {
		rapid.Check(t, func(t *rapid.T) {
			v := make()
			values.Drawer{Source: rapidSource{t}}.Fill(v)
			if !Fits(method, v) || Fits(MethodPing, v) || Fits(MethodUnknown, v) {
				t.Fatalf("%T fits the wrong methods", v)
			}
			raw, err := EncodeResult(v)
			if err != nil {
				t.Fatal(err)
			}
			if err := Revision20250618.Row(method).CheckResult(raw, jsonrpc.Span{}); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if WithoutNulls(method, BodyResult, raw) != raw {
				t.Fatalf("%s has nulls", raw)
			}
		})
	}
	if Fits(MethodToolsCall, Raw(`{}`)) || Fits(MethodToolsCall, EmptyResult{}) {
		t.Error("any result fits")
	}
}
