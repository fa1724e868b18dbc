package main

import (
	"fmt"
	"os"
)

func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// # The handshake and a listing
	//    client: uninitialized -> initializing
	// -> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"quickstart-client","version":"1.0.0"}}}
	//    server: uninitialized -> initializing
	// <- {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"quickstart-server","version":"1.0.0"}}}
	//    client: initializing -> ready
	// -> {"jsonrpc":"2.0","method":"notifications/initialized"}
	//    server: initializing -> ready
	// -> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
	// <- {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","description":"Returns its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}},{"name":"poem","description":"Writes a poem, in its own time.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}}
	//
	// # A call with progress, and a ping that does not wait for it
	// -> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"poem","arguments":{"text":"roses"},"_meta":{"progressToken":3}}}
	// <- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1,"total":2}}
	//    client: progress received: tools/call
	// -> {"jsonrpc":"2.0","id":4,"method":"ping"}
	// <- {"jsonrpc":"2.0","id":4,"result":{}}
	// <- {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":2,"total":2}}
	//    client: progress received: tools/call
	// <- {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Roses are red."}]}}
	//
	// # A cancelled call: the late answer goes nowhere
	// -> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"poem"}}
	//    client: request failed: tools/call (cancelled: changed my mind)
	// -> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"changed my mind"}}
	//    server: request cancelled: tools/call (cancelled: changed my mind)
	//
	// # The server asks the client's model in the middle of a call
	// -> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"poem"}}
	// <- {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Begin a poem."}}],"maxTokens":20}}
	// -> {"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"Roses are red."},"model":"example"}}
	// <- {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"Roses are red."}]}}
	//
	// # A call that nobody answers in time
	// -> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"poem"}}
	//    30s later
	//    client: request failed: tools/call (timed out)
	// -> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"timed out"}}
	//    server: request cancelled: tools/call (cancelled: timed out)
	//
	// # The end
	//    client: ready -> shutting_down
	//    client: shutting_down -> disconnected
	//    server: ready -> disconnected
}
