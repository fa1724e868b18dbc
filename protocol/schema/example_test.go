package schema_test

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// A server checks the arguments of a call before it runs the tool.
func Example() {
	const input jsonrpc.Raw = `{
		"type": "object",
		"properties": {
			"city": {"type": "string", "minLength": 1},
			"days": {"type": "integer", "minimum": 1, "maximum": 14}
		},
		"required": ["city"],
		"additionalProperties": false
	}`
	if err := schema.Check(input); err != nil {
		panic(err)
	}
	var check schema.Validator = schema.Basic{}
	for _, arguments := range []jsonrpc.Raw{
		`{"city":"Kyoto","days":3.0}`,
		`{"city":"Kyoto","days":15}`,
		`{"city":"Kyoto","secret":"x"}`,
		``,
	} {
		fmt.Println(check.Validate(input, arguments))
	}
	// Output:
	// <nil>
	// schema: the value at "/days" fails maximum
	// schema: the value fails additionalProperties
	// schema: the value at "/city" fails required
}

func ExampleCheck() {
	fmt.Println(schema.Check(`{"type":"object","properties":{"n":{"type":"int"}}}`))
	fmt.Println(schema.Check(`{"type":"string"}`))
	// Output:
	// schema: the schema is not usable at "/properties/n/type"
	// schema: the schema is not usable at "/type"
}

func ExampleFault() {
	err := schema.Basic{}.Validate(`{"items":{"type":"number"}}`, `[1,2,"three"]`)
	var fault schema.Fault
	fmt.Println(errors.As(err, &fault), fault.Path, fault.Keyword)
	// Output: true /2 type
}

// A tool reads its arguments as strictly as they were checked.
func ExampleReadArguments() {
	for _, raw := range []jsonrpc.Raw{
		`{"path":"/public","n":3}`,
		`{"path":"/public","PATH":"/etc/passwd"}`,
		`{"n":1.5}`,
	} {
		a := schema.ReadArguments(raw)
		path := a.String("path")
		n := a.IntOr("n", 10)
		if err := a.Err(); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(path, n)
	}
	// Output:
	// /public 3
	// "/PATH" is not expected (allowed: "n", "path")
	// "/path" is missing (present: "n"); "/n" is not an integer but a number
}

// The keyword format is an annotation, unless the validator names formats. A fault names the
// place in the value and the place of the keyword in the schema.
func ExampleFormats() {
	const form = `{"type":"object","properties":{"day":{"$ref":"#/$defs/day"}},"$defs":{"day":{"type":"string","format":"date"}}}`
	fmt.Println(schema.Basic{}.Validate(form, `{"day":"tomorrow"}`))
	err := schema.Basic{Formats: schema.FormatDate}.Validate(form, `{"day":"tomorrow"}`)
	fmt.Println(err)
	var f schema.Fault
	if errors.As(err, &f) {
		fmt.Println(f.SchemaPath)
	}
	// Output:
	// <nil>
	// schema: the value at "/day" fails format
	// /$defs/day/format
}
