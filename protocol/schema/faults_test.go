package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// CheckArguments with each validator, and a compiled schema, report all that is wrong with arguments
// at once, up to 16 faults, and nothing that is right.
func TestAllFaults(t *testing.T) {
	const input jsonrpc.Raw = `{"type":"object","required":["a","b","n"],"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":3},
		"c":{"enum":["x","y"]},"n":{"type":"object","required":["k","l"],"properties":{"k":{"type":"number"},"l":{"type":"boolean"}}},"s":{"type":"array","items":{"type":"string"}},
		"any":{"anyOf":[{"type":"string"},{"type":"object","properties":{"q":{"type":"string"},"r":{"type":"string"}}}]},"one":{"oneOf":[{"type":"integer"},{"type":"string"}]}}}`
	for _, c := range []struct {
		args jsonrpc.Raw
		want string // paths and kinds
	}{
		{`{"a":"x","b":3,"n":{"k":1,"l":true}}`, ""},
		{`{"a":1,"b":2,"n":{"k":1,"l":true}}`, "/a type_mismatch /b out_of_range"},
		{`{"b":2,"c":"z"}`, "/a missing_parameter /n missing_parameter /b out_of_range /c enum_mismatch"},
		{`{"a":"x","b":"y","n":{"k":"1"},"s":["a",1,"b",2]}`, "/b type_mismatch /n/l missing_parameter /n/k type_mismatch /s/1 type_mismatch /s/3 type_mismatch"},
		{`{"a":"x","b":3,"n":{"k":1,"l":true},"any":{"q":1,"r":2},"one":[],"c":1}`, "/any schema_mismatch /one schema_mismatch /c enum_mismatch"},
		{`{"a":"x","b":3,"n":{"k":1,"l":true},"z":1,"y":2}`, "/z unexpected_parameter /y unexpected_parameter"},
		{`{"a":null,"b":null,"n":5}`, "/a null_parameter /b null_parameter /n type_mismatch"},
		{"", " null_parameter"}, {" null ", " null_parameter"},
	} {
		s, err := schema.Basic{}.Compile(input)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if i == 3 && c.want == " null_parameter" {
				continue // a server treats them as {}
			}
			var err error
			switch i {
			case 0:
				_, err = schema.CheckArguments(nil, input, c.args)
			case 1:
				_, err = schema.CheckArguments(schema.Basic{}, input, c.args)
			case 2:
				_, err = schema.CheckArguments(schema.Lenient{}, input, c.args)
			case 3:
				err = s.CheckArguments(input, c.args)
			}
			var all schema.ArgumentErrors
			if errors.As(err, &all) == (c.want == "") {
				t.Errorf("%d: %s: %v", i, c.args, err)
			}
			var got []string
			for _, e := range all {
				got = append(got, e.Path+" "+e.Kind.Code())
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("%d: %s:\n%s\nwant\n%s", i, c.args, s, c.want)
			}
		}
	}
}

// Of more than 16 faults the first 16 are reported.
func TestManyFaultsAtOnce(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 1000} {
		args := jsonrpc.Raw(`{"l":[` + strings.Repeat(`1,`, n-1) + `1]}`)
		_, err := schema.CheckArguments(nil, `{"type":"object","properties":{"l":{"items":{"type":"string"}}}}`, args)
		var all schema.ArgumentErrors
		if !errors.As(err, &all) || len(all) != min(n, 16) || all[len(all)-1].Path != fmt.Sprintf("/l/%d", len(all)-1) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
