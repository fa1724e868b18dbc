package peerbugs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// reading is a server whose readers answer with what they were registered for.
func reading(t *testing.T, resources, templates []string) func(uri string) string {
	t.Helper()
	var h server.Handlers
	reader := func(name string) server.ReadFunc {
		return func(_ server.Call, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource("a:b", "", name)}}, nil
		}
	}
	for _, uri := range resources {
		h.Resource(protocol.Resource{URI: uri, Name: "r"}, reader(uri))
	}
	for _, text := range templates {
		h.Template(protocol.ResourceTemplate{URITemplate: text, Name: "t"}, func(call server.Call, p protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return reader(text)(call, p)
		})
	}
	x := offering(t, &h)
	return func(uri string) string {
		t.Helper()
		_, out := server.Refuse(h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))))))
		return read(t, out)
	}
}

// read is the text of a resource that was read, or the code of the refusal.
func read(t *testing.T, out lifecycle.Output) string {
	t.Helper()
	if outcome(out) != "result" {
		return outcome(out)
	}
	r, err := protocol.Decode[protocol.ReadResourceResult](out.Send[0].Message.Body)
	if err != nil || len(r.Contents) != 1 {
		t.Fatalf("sent %s, %v", wire(out), err)
	}
	return r.Contents[0].Text
}

// Case 62: a hostile uri takes no more than a moment with the worst templates.
func Test62HostileURIs(t *testing.T) {
	readOne := reading(t, nil, []string{"{+a}{+b}{+c}", "x:{+a}{+b}{+c}/end", "x:{a}{b}{c}{d}{e}", "x:{/a*}{/b*}{/c*}z"})
	for _, hostile := range []string{
		strings.Repeat("a", 10_000), "x:" + strings.Repeat("a", 10_000), "x:" + strings.Repeat("/a", 5000), "x:" + strings.Repeat("%41", 3300), "x:" + strings.Repeat("a,", 5000), "x:" + strings.Repeat("/", 10_000) + "!",
	} {
		began := time.Now()
		readOne(hostile)
		if took := time.Since(began); took > 5*time.Second { // a search that goes back takes years
			t.Errorf("%.20s… took %v", hostile, took)
		}
	}
}
