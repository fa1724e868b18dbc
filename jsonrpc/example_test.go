package jsonrpc_test

import (
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc"
)

func ExampleDecode() {
	m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}`))
	fmt.Println(m.Kind, m.ID, m.Method, m.Body)

	m = jsonrpc.Decode([]byte(`{"jsonrpc":"1.0","id":"a","method":"ping"}`))
	fmt.Println(m.Kind, m.ID, m.Fault, m.Shape)

	m = jsonrpc.Decode([]byte(`{"jsonrpc"`))
	fmt.Println(m.Kind, m.ID, m.Fault)
	// Output:
	// request 7 tools/call {"name":"echo"}
	// invalid "a" jsonrpc is not "2.0" request
	// invalid absent not JSON
}

func ExampleAppendLine() {
	call := jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(1), Method: "tools/list"}
	done := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.String("a"), Body: "{\n\"tools\": []\n}"}
	fmt.Print(string(jsonrpc.AppendLine(jsonrpc.AppendLine(nil, call), done)))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"tools/list"}
	// {"jsonrpc":"2.0","id":"a","result":{ "tools": [] }}
}

func ExampleFramer() {
	var f jsonrpc.Framer
	for _, chunk := range []string{
		"{\"jsonrpc\":\"2.0\",\"meth", "od\":\"a\"}\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n{\"json", `rpc":"2.0","method":"c"}`,
	} {
		f.Push([]byte(chunk))
		for m, ok := f.Next(); ok; m, ok = f.Next() {
			fmt.Println(m.Kind, m.Method)
		}
	}
	for m, ok := f.Close(); ok; m, ok = f.Close() {
		fmt.Println(m.Kind, m.Method, "at the end")
	}
	// Output:
	// notification a
	// notification b
	// notification c at the end
}

// Equal numbers are equal ids, and the answer repeats the peer's spelling.
func ExampleMessage_Spelled() {
	m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`))
	fmt.Println(m.ID == jsonrpc.Int(1000))

	answer := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: m.ID}.Spelled(m.Spelling())
	fmt.Println(string(jsonrpc.Append(nil, answer)))
	// Output:
	// true
	// {"jsonrpc":"2.0","id":1e3,"result":{}}
}

func ExampleParseID() {
	for _, raw := range []string{`7`, `7.0`, `"7"`, `1000000000000000000000`, `7.5`, `null`} {
		id, canonical, ok := jsonrpc.ParseID(raw)
		fmt.Println(raw, "is", id, canonical, ok)
	}
	// Output:
	// 7 is 7 true true
	// 7.0 is 7 false true
	// "7" is "7" true true
	// 1000000000000000000000 is 1e21 false true
	// 7.5 is absent false false
	// null is absent false false
}
