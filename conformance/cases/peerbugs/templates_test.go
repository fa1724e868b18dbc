package peerbugs_test

import (
	"context"
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

// reading is a server whose readers answer with their registered uri or template.
func reading(t *testing.T, resources, templates []string) func(uri string) string {
	t.Helper()
	var h server.Handlers
	reader := func(name string) server.ReadFunc {
		return func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource("a:b", "", name)}}, nil
		}
	}
	for _, uri := range resources {
		h.Resource(protocol.Resource{URI: uri, Name: "r"}, reader(uri))
	}
	for _, text := range templates {
		h.Template(protocol.ResourceTemplate{URITemplate: text, Name: "t"}, func(ctx context.Context, c server.Caller, p protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return reader(text)(ctx, c, p)
		})
	}
	x := offering(t, &h)
	return func(uri string) string {
		t.Helper()
		_, out := server.RejectUnhandled(h.Handle(x.Server().Receive(x.Now, jsonrpc.DecodeString(line("a", "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))))))
		return read(t, out)
	}
}

// read is the text of a read resource, or the code of the refusal.
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

// Case 62: which template reads a uri depends only on the templates and the uri, not on
// the order of registration or on chance: a resource precedes a
// template, and the more specific template the other.
func Test62TheSameReaderAlways(t *testing.T) {
	templates := []string{"f:///{a}", "f:///{a}/b", "f:///{+a}", "f:///x/{b}", "f:///{a}/{b}/c", "g:{a}"}
	want := map[string]string{
		"f:///x": "f:///{a}", "f:///y/b": "f:///{a}/b", "f:///x/b": "f:///x/{b}", "f:///y/z": "f:///{+a}", "f:///1/2/c": "f:///{a}/{b}/c", "f:///1/2/3/c": "f:///{+a}",
		"f:///static": "f:///static", "f:///static/b": "f:///{a}/b", "g:1": "g:{a}", "g:1/2": "-32002", "h:1": "-32002", "f://": "-32002",
	}
	for turn := range templates {
		list := append(append([]string{}, templates[turn:]...), templates[:turn]...)
		readOne := reading(t, []string{"f:///static", "g:"}, list)
		for uri, template := range want {
			for range 1000 / len(templates) {
				if got := readOne(uri); got != template {
					t.Fatalf("%v, %s is read by %s, want %s", list, uri, got, template)
				}
			}
		}
	}
}

// Case 62: a hostile uri takes little time even with the worst templates.
func Test62HostileURIs(t *testing.T) {
	readOne := reading(t, nil, []string{"{+a}{+b}{+c}", "x:{+a}{+b}{+c}/end", "x:{a}{b}{c}{d}{e}", "x:{/a*}{/b*}{/c*}z"})
	for _, hostile := range []string{
		strings.Repeat("a", 10_000), "x:" + strings.Repeat("a", 10_000), "x:" + strings.Repeat("/a", 5000), "x:" + strings.Repeat("%41", 3300), "x:" + strings.Repeat("a,", 5000), "x:" + strings.Repeat("/", 10_000) + "!",
	} {
		began := time.Now()
		readOne(hostile)
		if took := time.Since(began); took > 5*time.Second { // a backtracking search takes years
			t.Errorf("%.20s… took %v", hostile, took)
		}
	}
}
