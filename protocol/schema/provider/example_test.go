package provider_test

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A host exports a tool, reads a model's call and returns the result.
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

// answered exports a tool, reads a response of a provider, and prints its text, its calls
// and the additions to the next request: the answer of the model, and the result.
func answered(p provider.Provider, response protocol.Raw) {
	x, err := provider.Export(p, []protocol.Tool{{Name: "weather.now"}}, provider.Options{})
	if err != nil {
		panic(err)
	}
	turn, err := x.Calls(response)
	if err != nil {
		panic(err)
	}
	fmt.Println(turn.Text)
	var results []*protocol.CallToolResult
	for _, call := range turn.Calls {
		fmt.Println(call.Params.Name, call.Params.Arguments, call.Err)
		results = append(results, protocol.TextResult("rain")) // the result of tools/call with call.Params
	}
	messages, _ := x.Messages(turn.Calls, results)
	for _, m := range append(turn.History, messages...) {
		fmt.Println(m)
	}
}

// OpenAI chat completions, and Azure: elements of messages.
func ExampleExported_Calls_chat() {
	answered(provider.OpenAIChat, `{"choices":[{"message":{"role":"assistant","content":"Let me look.",
"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather_now","arguments":"{\"city\":\"Kyoto\"}"}}]}}]}`)
	// Output:
	// Let me look.
	// weather.now {"city":"Kyoto"} <nil>
	// {"role":"assistant","content":"Let me look.",
	// "tool_calls":[{"id":"c1","type":"function","function":{"name":"weather_now","arguments":"{\"city\":\"Kyoto\"}"}}]}
	// {"role":"tool","tool_call_id":"c1","content":"rain"}
}

// OpenAI responses: elements of input, with the items of reasoning.
func ExampleExported_Calls_responses() {
	answered(provider.OpenAIResponses, `{"output":[{"type":"reasoning","id":"r1","summary":[]},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},
{"type":"function_call","id":"f1","call_id":"c1","name":"weather_now","arguments":"{\"city\":\"Kyoto\"}"}]}`)
	// Output:
	// Let me look.
	// weather.now {"city":"Kyoto"} <nil>
	// {"type":"reasoning","id":"r1","summary":[]}
	// {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]}
	// {"type":"function_call","id":"f1","call_id":"c1","name":"weather_now","arguments":"{\"city\":\"Kyoto\"}"}
	// {"type":"function_call_output","call_id":"c1","output":"rain"}
}

// Anthropic: elements of messages, with the blocks of thinking; all results are in one.
func ExampleExported_Calls_anthropic() {
	answered(provider.Anthropic, `{"role":"assistant","content":[{"type":"thinking","thinking":"…","signature":"s1"},
{"type":"text","text":"Let me look."},{"type":"tool_use","id":"u1","name":"weather_now","input":{"city":"Kyoto"}}]}`)
	// Output:
	// Let me look.
	// weather.now {"city":"Kyoto"} <nil>
	// {"role":"assistant","content":[{"type":"thinking","thinking":"…","signature":"s1"},
	// {"type":"text","text":"Let me look."},{"type":"tool_use","id":"u1","name":"weather_now","input":{"city":"Kyoto"}}]}
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":[{"type":"text","text":"rain"}]}]}
}

// Gemini: elements of contents, with the signatures of thoughts; all results are in one.
func ExampleExported_Calls_gemini() {
	answered(provider.Gemini, `{"candidates":[{"content":{"role":"model","parts":[{"text":"Let me look."},
{"functionCall":{"name":"weather.now","args":{"city":"Kyoto"}},"thoughtSignature":"s1"}]}}]}`)
	// Output:
	// Let me look.
	// weather.now {"city":"Kyoto"} <nil>
	// {"role":"model","parts":[{"text":"Let me look."},
	// {"functionCall":{"name":"weather.now","args":{"city":"Kyoto"}},"thoughtSignature":"s1"}]}
	// {"role":"user","parts":[{"functionResponse":{"name":"weather.now","response":{"output":"rain"}}}]}
}
