package typed_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/typed"
)

// A tag of another library is understood or refused, and never ignored: a jsonschema tag is the
// description, as in the SDK of the protocol's authors; keywords in it are not.
func TestForeignTags(t *testing.T) {
	for tag, want := range map[string]string{
		`doc:"a"`: "a", `jsonschema:"where it is"`: "where it is", `jsonschema:"where, x=1"`: "where, x=1", `doc:"a" jsonschema:"a"`: "a", `jsonschema:""`: "", `jsonschema:"required by all"`: "required by all",
		`doc:"a" jsonschema:"b"`: "error", `jsonschema:"required"`: "error", `jsonschema:"title=a b"`: "error", `jsonschema:"required,minimum=3"`: "error", `jsonschema:"description=x"`: "error",
		`jsonschema:"-"`: "error", `jsonschema_description:"x"`: "error", `jsonschema_extras:"a=b"`: "error",
	} {
		typ := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}})
		d, err := typed.Infer(typ)
		if want == "error" {
			if err == nil || !strings.Contains(err.Error(), "jsonschema") || !strings.Contains(err.Error(), ".F: ") {
				t.Errorf("%s: %v", tag, err)
			}
			continue
		}
		text, err2 := d.Schema.JSON()
		if has := strings.Contains(string(text), `"description":`); err != nil || err2 != nil || has != (want != "") || has && !strings.Contains(string(text), `"description":"`+want+`"`) {
			t.Errorf("%s: %s, %v", tag, text, err)
		}
	}
	for _, key := range []string{"doc", "schema", "jsonschema", "jsonschema_description", "jsonschema_extras"} {
		typ := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "F", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"-" ` + key + `:"optional"`)}})
		if _, err := typed.Infer(typ); err == nil || !strings.Contains(err.Error(), "not a member") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// An interface is written from JSON text of either type, and of nothing else.
func TestRawInInterfaces(t *testing.T) {
	type holder struct {
		Any any `json:"any" schema:"any"`
	}
	c, err := typed.NewCodec[holder]()
	if err != nil {
		t.Fatal(err)
	}
	type raw json.RawMessage
	for _, x := range []struct {
		v    any
		want jsonrpc.Raw // "" is an error
	}{
		{jsonrpc.Raw(`[1]`), `{"any":[1]}`}, {json.RawMessage(`[1]`), `{"any":[1]}`}, {json.RawMessage(nil), `{"any":null}`}, {jsonrpc.Raw(""), `{"any":null}`}, {nil, `{"any":null}`},
		{json.RawMessage(`[1`), ""}, {jsonrpc.Raw(`[1`), ""}, {`[1]`, ""}, {[]byte(`[1]`), ""}, {raw(`[1]`), ""}, {new(json.RawMessage), ""}, {1, ""},
	} {
		got, err := c.Encode(holder{x.v})
		if got != x.want || (err == nil) != (x.want != "") {
			t.Errorf("%T %v: %s, %v", x.v, x.v, got, err)
		}
	}
	if v, err := c.Decode(`{"any":[1]}`); err != nil || v.Any != any(jsonrpc.Raw(`[1]`)) {
		t.Errorf("%#v, %v", v.Any, err)
	}
}
