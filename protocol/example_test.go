package protocol_test

import (
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// A tools/call is read, checked, and answered.
func Example() {
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
		`"params":{"name":"greet","arguments":{"who":"Ada"},"_meta":{"progressToken":7}}}`)

	var p protocol.CallToolParams
	if err := p.DecodeJSON(m.Body, m.Span); err != nil {
		fmt.Println(err)
		return
	}
	token, _ := p.Meta.ProgressToken()
	fmt.Println(p.Name, p.Arguments, token)

	result := protocol.TextResult("Hello, Ada.")
	answer := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: m.ID, Body: protocol.Raw(result.AppendJSON(nil))}
	fmt.Println(string(jsonrpc.Append(nil, answer)))
	// Output:
	// greet {"who":"Ada"} 7
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada."}]}}
}

// What is wrong with a message is told without repeating any of it.
func ExampleDecode() {
	_, err := protocol.Decode[protocol.CreateMessageParams](
		`{"maxTokens":100,"messages":[{"role":"user","content":{"type":"text","text":"hi"}},{"role":"robot","content":{"type":"text","text":"hi"}}]}`)
	fmt.Println(err)
	// Output:
	// protocol: CreateMessageParams.messages[1].role has no allowed value
}

// Hints are true, false or absent; the methods fill in what absence stands for.
func ExampleTool() {
	t := protocol.Tool{
		Name:        "search",
		InputSchema: `{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`,
		Annotations: &protocol.ToolAnnotations{ReadOnlyHint: protocol.Ptr(true)},
	}
	fmt.Println(string(t.AppendJSON(nil)))
	fmt.Println(t.DisplayName(), t.Annotations.ReadOnly(), t.Annotations.OpenWorld())
	// Output:
	// {"name":"search","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"annotations":{"readOnlyHint":true}}
	// search true true
}

// A client fills a form in with its defaults before it shows it, and sends them for the
// fields that its user left alone.
func ExampleElicitSchema_Fill() {
	asked, err := protocol.Decode[protocol.ElicitParams](`{"message":"Who are you?","requestedSchema":{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"note":{"type":"string"}},"required":["name","age"]}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	form := asked.RequestedSchema
	for _, field := range form.Properties {
		fmt.Printf("%s: %s;\n", field.Name, form.Defaults()[field.Name])
	}
	typed := map[string]protocol.Raw{"age": protocol.IntValue(31)}
	r := protocol.ElicitResult{Action: protocol.ActionAccept, Content: form.Fill(typed)}
	fmt.Println(form.Check(r.Content), string(r.AppendJSON(nil)))
	// Output:
	// name: "John Doe";
	// age: 30;
	// note: ;
	// <nil> {"action":"accept","content":{"age":31,"name":"John Doe"}}
}

// A form keeps the order of its fields; the answer is checked as JSON text.
func ExampleElicitSchema() {
	p := protocol.ElicitParams{
		Message: "Who are you?",
		RequestedSchema: protocol.ElicitSchema{
			Properties: []protocol.Property{
				{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, MinLength: protocol.Ptr[int64](1)}},
				{Name: "age", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger}},
			},
			Required: []string{"name"},
		},
	}
	fmt.Println(p.Validate(), string(p.AppendJSON(nil)))
	r := protocol.ElicitResult{
		Action:  protocol.ActionAccept,
		Content: map[string]protocol.Raw{"name": protocol.StringValue("Ada"), "age": protocol.IntValue(36)},
	}
	fmt.Println(r.Validate(), string(r.AppendJSON(nil)))
	// Output:
	// <nil> {"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer"}},"required":["name"]}}
	// <nil> {"action":"accept","content":{"age":36,"name":"Ada"}}
}
