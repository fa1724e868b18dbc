package jsonrpc_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
)

// The usual spelling of an envelope is read by a path of its own. It gives what the
// general one gives, which a blank before the colon leads to.
func TestUsualSpelling(t *testing.T) {
	names := rapid.SampledFrom([]string{"jsonrpc", "jsonrpc", "id", "id", "method", "method", "params", "params", "result", "error", "i", "ie", "jsonrpd", "x", ""})
	values := rapid.SampledFrom([]string{
		`"2.0"`, `"2.0"`, `"2.\u0030"`, `"2.00"`, `7`, `0`, `07`, `-0`, `1.0`, `1e3`, `12345678901234567890`, `7x`, `"a"`, `"ping"`, `"a`, `null`, `{}`, `{"a":1}`, `{"a":"` + strings.Repeat("x", 40) + `","b":[{}]}`,
		`[]`, `{"code":1,"message":"m"}`, `true`, ``,
	})
	rapid.Check(t, func(t *rapid.T) {
		usual, general := "{", "{"
		for i := range rapid.IntRange(0, 5).Draw(t, "members") {
			name, value, sep := names.Draw(t, "name"), values.Draw(t, "value"), ""
			if i > 0 {
				sep = rapid.SampledFrom([]string{",", ",", ",", ", ", ""}).Draw(t, "comma")
			}
			usual += sep + `"` + name + `":` + value
			general += sep + `"` + name + `" :` + value
		}
		end := rapid.SampledFrom([]string{"}", "}", "}", " }", "", "}}"}).Draw(t, "end")
		got, want := jsonrpc.DecodeString(usual+end), jsonrpc.DecodeString(general+end)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n%+v\nwant %+v", usual+end, got, want)
		}
	})
}
