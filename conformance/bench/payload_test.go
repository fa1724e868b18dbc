package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

const (
	// the last one with a session in all libraries here
	revision = "2025-06-18"
	docURI   = "mem://doc"
)

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision +
	`","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"bench-client","version":"1.0.0"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

const initializeResult = `{"protocolVersion":"` + revision +
	`","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"bench-server","version":"1.0.0"}}`

// envelope is the _meta of a request without a session.
const envelope = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench-client","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// notification is a notification with an event at the server's application.
const notification = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"_meta":{"n":1}}}`

const smallText = "The quick brown fox jumps over the lazy dog, twice over."

var docText = text(1024)

// text returns n bytes of Markdown-like text: lines, quotes, some code and some letters
// outside ASCII, so that about one byte in 45 needs an escape.
func text(n int) string {
	const unit = "## Step one\nRun `go test ./...` and read the \"FAIL\" lines first; they name the package and the test.\n" +
		"- a café in Zürich serves 3 kinds of tea — none of them hot\n\tif err != nil { return err }\n"
	s := strings.Repeat(unit, n/len(unit)+1)[:n]
	return strings.ToValidUTF8(s, "?")
}

// rows returns a JSON array of small objects, about n bytes long.
func rows(n int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"row-%d","score":%d.25,"ok":%t,"tags":["alpha","beta"],"note":null}`, i, i, i%100, i%2 == 0)
	}
	b.WriteByte(']')
	return b.String()
}

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}

// request is a raw request with the id 7, and the required content of its answer.
type request struct {
	spec   serverSpec
	msg    []byte
	member string // of the result: the list whose first text must be want, or whose length must be spec.tools
	want   string
}

// requests returns the requests that servers are measured with, by workload.
var requests = sync.OnceValue(func() map[string]request {
	call := func(tool, args string, checked bool, want string) request {
		msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
		return request{serverSpec{checked: checked}, msg, "content", want}
	}
	echo := func(text string, checked bool) request {
		return call("echo", `{"text":`+quote(text)+`}`, checked, text)
	}
	list := func(n int) request {
		return request{serverSpec{tools: n}, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`), "tools", ""}
	}
	large := `{"text":"x","rows":` + rows(256<<10) + `}`
	return map[string]request{
		"call-small": echo(smallText, false),
		"call-stateless": {serverSpec{stateless: true}, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":` + envelope +
			`,"name":"echo","arguments":{"text":` + quote(smallText) + `}}}`), "content", smallText},
		"echo-4KB":      echo(text(4<<10), false),
		"echo-256KB":    echo(text(256<<10), false),
		"unused-256KB":  call("sink", large, false, "ok"),
		"checked-small": echo(smallText, true),
		"checked-256KB": call("sink", large, true, "ok"),
		"ping":          {msg: []byte(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)},
		"read-1KB": {msg: []byte(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"` + docURI + `"}}`),
			member: "contents", want: docText},
		"list-100":   list(100),
		"list-10000": list(10000),
	}
})

func toolName(i int) string { return fmt.Sprintf("tool_%05d", i) }

func toolDescription(i int) string {
	return fmt.Sprintf("Tool number %d: looks up a record by its key and returns the fields asked for.", i)
}

const toolSchema = `{"type":"object","properties":{"text":{"type":"string","description":"text to work on"},` +
	`"key":{"type":"string"},"limit":{"type":"integer"}},"required":["text"]}`

// argsSchema is the schema of the tools echo and sink.
const argsSchema = `{"type":"object","properties":{"text":{"type":"string"},"rows":{"type":"array"}},"required":["text"]}`

// echoResult is the answer to every call of a client.
var echoResult = `{"content":[{"type":"text","text":` + quote(smallText) + `}]}`

var (
	echoArgs = map[string]any{"text": smallText}
	echoRaw  = []byte(`{"text":` + quote(smallText) + `}`)
)
