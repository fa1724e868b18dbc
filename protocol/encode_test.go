package protocol_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
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

// An odd icon is left out of what comes (ICON-005). It is not sent: what goes out raw is
// held to the schema as it stands.
func TestOddIconsAreNotSent(t *testing.T) {
	for method, body := range map[string]string{
		MethodToolsList:             `{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":%s}]}`,
		MethodResourcesList:         `{"resources":[{"uri":"a:b","name":"n","icons":%s}]}`,
		MethodResourceTemplatesList: `{"resourceTemplates":[{"uriTemplate":"a:b","name":"n","icons":%s}]}`,
		MethodPromptsList:           `{"prompts":[{"name":"p","icons":%s}]}`,
		MethodToolsCall:             `{"content":[{"type":"resource_link","uri":"a:b","name":"n","icons":%s}]}`,
		MethodPromptsGet:            `{"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n","icons":%s}}]}`,
	} {
		row := Revision20251125.Row(method)
		for icons, good := range map[string]bool{
			`[]`: true, `[{"src":"https://x/i.png"}]`: true, `[{"src":5}]`: false, `[{"src":"https://x/i.png"},5]`: false, `{}`: false, `"i"`: false,
		} {
			raw := Raw(fmt.Sprintf(body, icons))
			if reply, err := row.EncodeResult(raw, "", Encoding{}); (err == nil) != good || good && reply.Body != raw {
				t.Errorf("%s goes out as %s: %v", raw, reply.Body, err)
			}
			if err := row.CheckResult(raw, jsonrpc.Span{}); err != nil {
				t.Errorf("%s comes in: %v", raw, err)
			}
		}
	}
	row := Revision20251125.Row(MethodSamplingCreateMessage)
	ask := RawRequest{Name: row.Method, Body: `{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":5}]}]}`}
	if _, _, err := row.EncodeParams(ask, Encoding{}); err == nil {
		t.Errorf("%s goes out", ask.Body)
	}
	if err := row.CheckParams(ask.Body, jsonrpc.Span{}); err != nil {
		t.Errorf("%s comes in: %v", ask.Body, err)
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

// A body whose type is that of its method needs no second look at its JSON: what Validate
// lets pass, the check does too, there is no null in it that would be left out, and what
// the type tells of it is what the check finds.
func TestTypesTell(t *testing.T) {
	for _, v := range types {
		for _, row := range Revision20251125.Rows() {
			if later := Revision20260728.Row(row.Method); later != nil {
				row = later // which takes more
			}
			params, result := row.Types()
			fresh := reflect.New(reflect.TypeOf(v).Elem()).Interface().(codec)
			switch reflect.TypeOf(v).Elem() {
			case reflect.TypeOf(params):
				rapid.Check(t, func(t *rapid.T) { tellsParams(t, row, fresh) })
			case reflect.TypeOf(result):
				rapid.Check(t, func(t *rapid.T) { tellsResult(t, row, fresh) })
			}
		}
	}
}

func tellsParams(t *rapid.T, row *Row, v codec) {
	values.Drawer{Source: rapidSource{t}}.Fill(v)
	p := v.(Params)
	raw, err := EncodeParams(p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := row.ReadParams(raw, jsonrpc.Span{})
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	again, told, err := row.EncodeParams(p, Encoding{})
	if err != nil || again != raw || told != want {
		t.Fatalf("%s tells %+v, the check finds %+v; %v", again, told, want, err)
	}
	if row.WithoutNulls(BodyParams, raw) != raw {
		t.Fatalf("%s has nulls", raw)
	}
	if ready, err := row.PrepareParams(p, Encoding{}); err != nil || ready.Info != want || ready.Body() != raw {
		t.Fatalf("prepared it is %s, %+v, %v; want %s", ready.Body(), ready.Info, err, raw)
	}
	for _, p := range []Params{p, RawRequest{Name: row.Method, Body: raw}} {
		if got := row.SubjectOf(p); got != want.Subject && (row.Names != nil || row.Setting != SettingNone) {
			t.Fatalf("%T %s is about %q, want %q", p, raw, got, want.Subject)
		}
	}
}

func tellsResult(t *rapid.T, row *Row, v codec) {
	values.Drawer{Source: rapidSource{t}}.Fill(v)
	how := Encoding{Loose: true} // as it was encoded
	reply, err := row.EncodeResult(v, "", how)
	if err != nil {
		t.Fatal(err)
	}
	if err := row.CheckResult(reply.Body, jsonrpc.Span{}); err != nil {
		t.Fatalf("%s: %v", reply.Body, err)
	}
	info := row.Accept(Reply{Body: reply.Body}).Info
	if info.Unknown = false; row.Method == MethodToolsCall && info != reply.Info {
		t.Fatalf("%s tells %+v, the check finds %+v", reply.Body, reply.Info, info)
	}
	if row.WithoutNulls(BodyResult, reply.Body) != reply.Body {
		t.Fatalf("%s has nulls", reply.Body)
	}
}

// rowOf returns the row of a method in 2025-11-25, the custom one for what it does not
// have.
func rowOf(method string) *Row {
	if row := Revision20251125.Row(method); row != nil {
		return row
	}
	return Revision20251125.CustomRow(Server)
}
