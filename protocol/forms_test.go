package protocol_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// Values and pointers to them are the same params, and the same result, in every row.
func TestValuesAndPointers(t *testing.T) {
	pointer := func(v any) any {
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		return p.Interface()
	}
	for _, r := range Revisions() {
		if p, res := r.CustomRow(Client).Types(); p != nil || res != nil {
			t.Errorf("%v: custom methods have the types %T and %T", r, p, res)
		}
		for _, row := range r.Rows() {
			params, result := row.Types()
			raw, info, err := row.EncodeParams(params, Encoding{})
			again, more, fail := row.EncodeParams(pointer(params).(Params), Encoding{})
			if raw != again || !reflect.DeepEqual(info, more) || !reflect.DeepEqual(err, fail) {
				t.Errorf("%v %s: %s %+v %v, and by pointer %s %+v %v", r, row.Method, raw, info, err, again, more, fail)
			}
			if result == nil {
				continue
			}
			e, err := row.EncodeResult(result, "", Encoding{})
			other, fail := row.EncodeResult(pointer(result).(Result), "", Encoding{})
			if !reflect.DeepEqual(e, other) || !reflect.DeepEqual(err, fail) {
				t.Errorf("%v %s: %+v %v, and by pointer %+v %v", r, row.Method, e, err, other, fail)
			}
		}
	}
}

// What is read keeps its size, and what is not valid does not go out.
func TestReadResultsGoOut(t *testing.T) {
	text := strings.Repeat("é", 2000)
	raw, err := EncodeResult(&ReadResourceResult{Contents: []ResourceContents{TextResource("a:b", "", text)}})
	var back ReadResourceResult
	if err != nil || json.Unmarshal([]byte(raw), &back) != nil || back.Contents[0].Text != text {
		t.Errorf("%v: %.80s", err, raw)
	}
	blob := BlobResource("a:b", "", []byte{1, 2, 3})
	if raw, err := EncodeResult(ReadResourceResult{Contents: []ResourceContents{blob}}); err != nil || !strings.Contains(string(raw), `"blob":"AQID"`) {
		t.Errorf("%v: %s", err, raw)
	}
	if raw, err := EncodeResult(ReadResourceResult{Contents: []ResourceContents{{URI: "\xff"}}}); err == nil {
		t.Errorf("%s goes out", raw)
	}
	for _, size := range []int{0, 10, 1100, 5000} { // whatever it is written to
		for part, good := range map[string]bool{"\uFFFD": true, "\xff": false, "\xef\xbf": false, "\xed\xa0\x80": false} {
			for _, text := range []string{strings.Repeat("a", size) + part, part + strings.Repeat("é", size)} {
				r := ReadResourceResult{Contents: []ResourceContents{TextResource("a:b", "", "x"), TextResource("a:b", "", text)}}
				if _, err := EncodeResult(r); (err == nil) != good || good != (r.Validate() == nil) {
					t.Errorf("%d bytes and %q: %v", size, part, err)
				}
			}
		}
	}
	if raw, err := EncodeResult(ReadResourceResult{Meta: "{"}); err == nil {
		t.Errorf("%s goes out", raw)
	}
	if _, err := EncodeResult((*ReadResourceResult)(nil)); err == nil {
		t.Error("nil goes out")
	}
}

// Odd parts of what came with 2025-11-25 are told by their place.
func TestOddParts(t *testing.T) {
	for text, v := range map[string]any{
		`Implementation.websiteUrl`: new(Implementation),
		`PrimitiveSchema.maxItems`:  new(PrimitiveSchema),
	} {
		body := map[string]string{
			`Implementation.websiteUrl`: `{"name":"n","version":"1","websiteUrl":7}`,
			`PrimitiveSchema.maxItems`:  `{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":"x"}`,
		}[text]
		typ, member, _ := strings.Cut(text, ".")
		if err := json.Unmarshal([]byte(body), v); err == nil || !strings.Contains(err.Error(), typ) || !strings.Contains(err.Error(), member) {
			t.Errorf("%s: %v", body, err)
		}
	}
	var result ToolResult
	if err := json.Unmarshal([]byte(`null`), &result); err != nil || result.ToolUseID != "" {
		t.Errorf("null: %v, %+v", err, result)
	}
	if err := (ElicitSchema{Dialect: "\xff"}).Validate(); err == nil || !strings.Contains(err.Error(), "$schema") {
		t.Errorf("a dialect that is not UTF-8: %v", err)
	}
	if err := (PrimitiveSchema{Type: TypeString, Default: `{`}).Validate(); err == nil || !strings.Contains(err.Error(), "default") {
		t.Errorf("a default that is not JSON: %v", err)
	}
	// What is not valid is left as it is for older revisions too.
	const odd = `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","minLength":"x","default":"d"}}}}`
	if raw, lossy := Revision20250618.Downgrade(MethodElicitationCreate, BodyParams, odd); raw != odd || lossy {
		t.Errorf("%s, lossy %v", raw, lossy)
	}
}
