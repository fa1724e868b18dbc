package rawjson_test

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func TestType(t *testing.T) {
	for val, want := range map[string]string{
		"": "", "{}": "object", "[1]": "array", `"x"`: "string", "true": "boolean", "false": "boolean", "null": "null", "-1": "number", "0": "number",
	} {
		if got := rawjson.Type(val); got != want {
			t.Errorf("%q is of type %q, want %q", val, got, want)
		}
	}
}
