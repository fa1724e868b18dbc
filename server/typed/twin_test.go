package typed_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/typed"
)

type common struct {
	I  int8             `json:"i,omitempty"`
	U  uint16           `json:"u,omitempty"`
	F  float64          `json:"f,omitempty"`
	G  float32          `json:"g,omitempty"`
	S  string           `json:"s,omitempty"`
	B  bool             `json:"b,omitempty"`
	L  []string         `json:"l,omitempty"`
	M  map[string]int64 `json:"m,omitempty"`
	P  *common          `json:"p,omitempty"`
	A  [2]bool          `json:"a,omitzero"`
	By []byte           `json:"by,omitempty"`
}

// What is read into a type is what encoding/json reads, wherever both read it, and what is written is
// read by it as the same.
func TestAgainstEncodingJSON(t *testing.T) {
	codec, err := typed.NewCodec[common]()
	if err != nil {
		t.Fatal(err)
	}
	both, most := 0, 0
	for s := range texts.Near(`{"i":-12,"u":65535,"f":-1.5e3,"g":0.1}`, `{"s":"aé\n\u0041","b":true,"by":"AAE="}`, `{"l":["x",""],"m":{"z":1,"é":-2},"p":{"a":[true,false]}}`, `{"i":127,"p":{"p":null,"u":0}}`) {
		most++
		var want common
		dec := json.NewDecoder(strings.NewReader(s))
		dec.DisallowUnknownFields()
		refused := dec.Decode(&want)
		got, err := codec.Decode(jsonrpc.Raw(s))
		if err != nil {
			if known := refused == nil && strings.ToLower(s) == s && !strings.Contains(s, "null") && json.Valid([]byte(s)); known && utf8.ValidString(s) && !lax(s) {
				t.Errorf("%q is refused: %v", s, err)
			}
			continue
		}
		if refused != nil {
			if !strings.ContainsAny(s, ".e") { // a whole number, as 1.0 or 1e2, is one here
				t.Errorf("%q is read as %+v; encoding/json: %v", s, got, refused)
			}
			continue
		}
		both++
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, want %+v", s, got, want)
		}
		raw, err := codec.Encode(got)
		var again common
		if err == nil {
			err = json.Unmarshal([]byte(raw), &again)
		}
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%+v is written as %s: %+v, %v", got, raw, again, err)
		}
	}
	if both < most/50 {
		t.Errorf("both read %d of %d", both, most)
	}
}

// lax reports whether a text has what encoding/json lets pass: a member twice, half a character, an
// array that is too long or too short.
func lax(s string) bool {
	for _, name := range []string{`"i"`, `"u"`, `"f"`, `"g"`, `"s"`, `"b"`, `"l"`, `"m"`, `"z"`, `"by"`} {
		if strings.Count(s, name) > 1 {
			return true
		}
	}
	return strings.Contains(s, "\\ud") || strings.Count(s, `"p"`) > 1 || strings.Contains(s, `"a":[`) && !strings.Contains(s, "[true,false]")
}
