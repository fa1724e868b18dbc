package fuzz_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
)

// lines are messages that reach deep into both machines. In a fuzzed stream a line that
// begins with a byte from 128 on stands for one of them, see expand. $ is a small number,
// mostly an id.
var lines = []string{
	`{"jsonrpc":"2.0","id":$,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}}}`,
	// For a server.
	`{"jsonrpc":"2.0","id":$,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":$,"method":"tools/list","params":{}}`,
	`{"jsonrpc":"2.0","id":$,"method":"tools/call","params":{"name":"t","arguments":{},"_meta":{"progressToken":$}}}`,
	`{"jsonrpc":"2.0","id":"$","method":"tools/call","params":{"name":"u"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"resources/list"}`,
	`{"jsonrpc":"2.0","id":$,"method":"resources/templates/list"}`,
	`{"jsonrpc":"2.0","id":$,"method":"resources/read","params":{"uri":"a:b"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"resources/subscribe","params":{"uri":"a:$"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"resources/unsubscribe","params":{"uri":"a:$"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"prompts/list","params":{"cursor":"$"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"prompts/get","params":{"name":"p","arguments":{"x":"$"}}}`,
	`{"jsonrpc":"2.0","id":$,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":"$"}}}`,
	`{"jsonrpc":"2.0","id":$,"method":"logging/setLevel","params":{"level":"warning"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"x/custom","params":{}}`,
	`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	// For both.
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"$","reason":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$,"progress":$}}`,
	`{"jsonrpc":"2.0","id":$,"result":{}}`,
	`{"jsonrpc":"2.0","id":$,"error":{"code":-32601,"message":"no"}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"content":[{"type":"text","text":"x"}],"isError":false}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"content":[{"type":"hologram"}]},"error":{}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}}`,
	// For a client.
	`{"jsonrpc":"2.0","id":$,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
	`{"jsonrpc":"2.0","id":$,"method":"roots/list"}`,
	`{"jsonrpc":"2.0","id":$,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}`,
	`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":$}}`,
	// Invalid.
	`[{"jsonrpc":"2.0","id":1e0,"method":"ping"},{"jsonrpc":"2.0","id":$,"method":"tools/list"},{}]`,
	`{"jsonrpc":"2.0","id":$,"method":"tools/call","params":{"name":5}}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null}}`,
	`{"id":$}`, `nonsense`, `[]`,
	// New in 2025-11-25: icons, elicitations by URL, forms that select, sampling with
	// tools, cancellations without an id.
	`{"jsonrpc":"2.0","id":$,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"c","version":"1","description":"d","websiteUrl":"u:1","icons":[{"src":"data:,"},{"src":$}]}}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1","icons":[5,{"src":"data:,$","sizes":["any"],"theme":"dark"}]}}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"a b","inputSchema":{"type":"object"},"icons":[{"src":"data:,"},{"src":$}],"execution":{"taskSupport":"optional"}}]}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"content":[{"type":"resource_link","uri":"a:b","name":"n","icons":[{"src":"data:,"}]},{"type":"tool_use","id":"$","name":"t","input":{}}]}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"$","name":"t","input":{"a":[1]}}],"stopReason":"toolUse"}}`,
	`{"jsonrpc":"2.0","id":$,"result":{"action":"accept","content":{"n":1,"m":["a","$"]}}}`,
	`{"jsonrpc":"2.0","id":$,"error":{"code":-32042,"message":"first","data":{"elicitations":[{"mode":"url","message":"m","url":"https://a.example","elicitationId":"$"}]}}}`,
	`{"jsonrpc":"2.0","id":$,"method":"sampling/createMessage","params":{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"$","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","toolUseId":"$","content":[{"type":"text","text":"x"}]}],"_meta":{}}],"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"},"includeContext":"thisServer","maxTokens":1}}`,
	`{"jsonrpc":"2.0","id":$,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example","elicitationId":"$"}}`,
	`{"jsonrpc":"2.0","id":$,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"$schema":"x:y","type":"object","properties":{"n":{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"},"m":{"type":"array","items":{"anyOf":[{"const":"b","title":"B"}]},"maxItems":$}}}}}`,
	`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"$"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"$"}}`,
}

// revisions are those that a session may start with.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// expand returns what a line of a fuzzed stream stands for. Its first byte
// chooses one of lines, the next ones are the numbers.
func expand(line []byte) []byte {
	if len(line) == 0 || line[0] < 0x80 {
		return line
	}
	numbers := bytes.TrimSuffix(line[1:], []byte("\n"))
	text := lines[int(line[0]-0x80)%len(lines)]
	for strings.Contains(text, "$") {
		n := 1
		if len(numbers) > 0 {
			n, numbers = int(numbers[0]%16), numbers[1:]
		}
		text = strings.Replace(text, "$", strconv.Itoa(n), 1)
	}
	return append([]byte(text), '\n')
}

// opening is a line of the handshake for a revision.
func opening(i byte, revision string) jsonrpc.Message {
	return jsonrpc.Decode(bytes.Replace(expand([]byte{0x80 + i, 1}), []byte("2025-06-18"), []byte(revision), 1))
}

// pickStart removes the first byte of a program and returns the State that it chooses: for an
// empty program the one before the handshake.
func pickStart[S any](starts []S, program []byte) (S, []byte) {
	if len(program) == 0 {
		return starts[0], nil
	}
	return starts[int(program[0])%len(starts)], program[1:]
}

// pause is how long a step of a program takes: mostly less than any timeout.
func pause(op byte) time.Duration {
	if op < 192 {
		return time.Duration(op) * time.Millisecond
	}
	return time.Duration(op) * time.Second / 4
}

// addSeeds adds each of the lines by itself, after a handshake, and all of them together with
// several programs.
func addSeeds(f *testing.F) {
	var all, short []byte
	for i, line := range lines {
		f.Add([]byte{0x80 + byte(i), 1, 2}, []byte{3, 4, 9, 1})
		f.Add([]byte(strings.ReplaceAll(line, "$", "2")), []byte{byte(i), byte(i)})
		all = append(append(all, strings.ReplaceAll(line, "$", "3")...), '\n')
		short = append(short, 0x80+byte(i), byte(i), byte(i%3), '\n')
	}
	for i := range byte(len(revisions) + 1) { // one for each initial State
		f.Add(all, []byte{i, i + 3, 2 * i, 255 - i, i})
		f.Add(short, bytes.Repeat([]byte{i, 14 * i, 4, 5, 1, 2, 3, 6, 0}, 5))
	}
}
