package limits_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var who = protocol.Implementation{Name: "tested", Version: "1"}

// The handshake of a peer that declares everything.
const (
	hello       = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	welcome     = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`
)

// feed handles a line, and reads it as a driver does: the bytes belong to the reader.
func feed[S interface {
	Receive(time.Time, jsonrpc.Message) (S, lifecycle.Output)
}](s S, line string) (S, lifecycle.Output) {
	return s.Receive(t0, jsonrpc.Decode([]byte(line)))
}

// theServer returns a server with the limits that passes every request to its
// application.
func theServer(t testing.TB, l lifecycle.Limits) server.State {
	t.Helper()
	s, err := server.New(server.Config{
		Info: who, ServeUnknown: true, Unlisted: true, Subscribe: true, Logging: true, Limits: l,
		Serve: []string{
			"tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list", "prompts/list", "prompts/get", "completion/complete",
		},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readyServer(t testing.TB, l lifecycle.Limits) server.State {
	t.Helper()
	s, _ := feed(theServer(t, l), hello)
	s, _ = feed(s, initialized)
	if s.Phase() != lifecycle.Ready {
		t.Fatal(s.Phase())
	}
	return s
}

// listing returns a ready server with a catalog.
func listing(t testing.TB, l lifecycle.Limits, p lifecycle.Policy) server.State {
	t.Helper()
	c, err := server.NewCatalog(server.Items{
		Tools:     []protocol.Tool{{Name: "t", InputSchema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"enum":["x",1]}},"required":["a"]}`}},
		Resources: []protocol.Resource{{URI: "a:b", Name: "b"}}, ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "c:{+path}{?q*}", Name: "c"}},
		Prompts: []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "a", Required: true}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: who, Catalog: c, Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete"}, Subscribe: true, Logging: true, Limits: l, Policy: p,
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = feed(s, hello)
	s, _ = feed(s, initialized)
	return s
}

// theClient returns a client that has sent initialize.
func theClient(t testing.TB, l lifecycle.Limits) client.State {
	t.Helper()
	s, err := client.New(client.Config{
		Info: who, ServeUnknown: true, Limits: l, Serve: []string{"sampling/createMessage", "elicitation/create"},
		Declare: protocol.CapElicitationForm | protocol.CapElicitationURL | protocol.CapSamplingTools | protocol.CapSamplingContext,
		Roots:   []protocol.Root{{URI: "file:///a"}},
	}, t0)
	if err == nil {
		s, _, err = s.Initialize(t0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readyClient(t testing.TB, l lifecycle.Limits) client.State {
	t.Helper()
	s, _ := feed(theClient(t, l), welcome)
	if s.Phase() != lifecycle.Ready {
		t.Fatal(s.Phase())
	}
	return s
}

// long returns a text of n bytes that differs for each i.
func long(n, i int) string {
	s := fmt.Sprint(i)
	return s + strings.Repeat("x", n-len(s))
}

// ids returns the ids of the sent requests.
func ids(out lifecycle.Output) (list []string) {
	for _, o := range out.Send {
		if o.Message.Kind == jsonrpc.KindRequest {
			list = append(list, o.Message.ID.String())
		}
	}
	return list
}

// errorsOf counts the sent errors with a code.
func errorsOf(out lifecycle.Output, code int64) (n int) {
	for _, o := range out.Send {
		if o.Message.Err != nil && o.Message.Err.Code == code {
			n++
		}
	}
	return n
}
