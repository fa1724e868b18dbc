package build_test

import (
	"fmt"

	"github.com/sansmcp/mcp/protocol/schema/build"
)

func Example() {
	input := build.Object(
		build.Prop("city", build.String().MinLength(1).Description("Where.")),
		build.Optional("days", build.Integer().Min("1").Max("14").Default("3")),
	)
	fmt.Println(input.JSON())
	fmt.Println(input.Props(build.Prop("city", build.Enum())).JSON())
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"Where.","minLength":1},"days":{"type":"integer","minimum":1,"maximum":14,"default":3}},"required":["city"],"additionalProperties":false} <nil>
	//  build: "/properties/city": it occurs twice
	// build: "/properties/city/enum": it has no members
}

func ExampleSchema_Strict() {
	strict, err := build.Object(build.Optional("n", build.Integer())).Strict()
	fmt.Println(string(strict.AppendJSON(nil)), err)
	// Output: {"type":"object","properties":{"n":{"type":["integer","null"]}},"required":["n"],"additionalProperties":false} <nil>
}
