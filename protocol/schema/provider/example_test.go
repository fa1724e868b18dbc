package provider_test

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A host exports a tool, reads the call of a model and gives it the result.
func Example() {
	tools := []protocol.Tool{{
		Name: "weather.now", Description: "The weather of a city.",
		InputSchema: `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"]}`,
	}}
	x, err := provider.Export(provider.Anthropic, tools, provider.Options{Strict: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(x.Tools)
	fmt.Println(x.Lost)

	name, _ := x.Names.Provider("weather.now")
	call, err := x.Call(protocol.Raw(`{"type":"tool_use","id":"u1","name":"` + name + `","input":{"city":"Kyoto"}}`))
	fmt.Println(call.Params.Name, call.Params.Arguments, err)
	message, _ := x.Message(call, protocol.TextResult("rain"))
	fmt.Println(message)

	_, err = x.Call(`{"type":"tool_use","id":"u2","name":"whether","input":{}}`)
	fmt.Println(errors.Is(err, toolerror.UnknownTool))
	// Output:
	// [{"name":"weather_now","description":"The weather of a city.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"strict":true}]
	// [{weather.now /properties/city minLength left out}]
	// weather.now {"city":"Kyoto"} <nil>
	// {"type":"tool_result","tool_use_id":"u1","content":[{"type":"text","text":"rain"}]}
	// true
}
