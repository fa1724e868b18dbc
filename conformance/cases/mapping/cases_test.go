package mapping_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const allOfServer = `{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}`

// wire returns what goes out, without "jsonrpc":"2.0".
func wire(out lifecycle.Output) string {
	return strings.ReplaceAll(strings.Join(verbs.Lines(out), "\n"), `"jsonrpc":"2.0",`, "")
}

// Every request and notification that a client sends, by the type of its params.
func TestWhatAClientSends(t *testing.T) {
	x := verbs.NewClient(t, client.Config{
		Roots: []protocol.Root{}, RootsListChanged: true, Serve: []string{"sampling/createMessage"},
	}).Open(protocol.Revision20250618, allOfServer)
	cursor := protocol.Ptr(protocol.Cursor("c"))
	argument := protocol.CompleteArgument{Name: "a", Value: "x"}
	for _, c := range []struct {
		p    protocol.Params
		want string
	}{
		{protocol.PingParams{}, `"method":"ping"`},
		{protocol.ListToolsParams{}, `"method":"tools/list"`},
		{protocol.ListToolsParams{Cursor: cursor}, `"method":"tools/list","params":{"cursor":"c"}`},
		{protocol.CallToolParams{Name: "t"}, `"method":"tools/call","params":{"name":"t"}`},
		{protocol.CallToolParams{Name: "t", Arguments: `{"n":1.0}`}, `"method":"tools/call","params":{"name":"t","arguments":{"n":1.0}}`},
		{protocol.ListResourcesParams{}, `"method":"resources/list"`},
		{protocol.ListResourcesParams{Cursor: cursor}, `"method":"resources/list","params":{"cursor":"c"}`},
		{protocol.ListResourceTemplatesParams{}, `"method":"resources/templates/list"`},
		{protocol.ListResourceTemplatesParams{Cursor: cursor}, `"method":"resources/templates/list","params":{"cursor":"c"}`},
		{protocol.ReadResourceParams{URI: "a:b"}, `"method":"resources/read","params":{"uri":"a:b"}`},
		{protocol.SubscribeParams{URI: "a:b"}, `"method":"resources/subscribe","params":{"uri":"a:b"}`},
		{protocol.UnsubscribeParams{URI: "a:b"}, `"method":"resources/unsubscribe","params":{"uri":"a:b"}`},
		{protocol.ListPromptsParams{}, `"method":"prompts/list"`},
		{protocol.ListPromptsParams{Cursor: cursor}, `"method":"prompts/list","params":{"cursor":"c"}`},
		{protocol.GetPromptParams{Name: "p"}, `"method":"prompts/get","params":{"name":"p"}`},
		{protocol.GetPromptParams{Name: "p", Arguments: map[string]string{"a": "1"}}, `"method":"prompts/get","params":{"name":"p","arguments":{"a":"1"}}`},
		{protocol.CompleteParams{Ref: protocol.PromptReference("p"), Argument: argument},
			`"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"x"}}`},
		{protocol.CompleteParams{Ref: protocol.ResourceReference("a:{b}"), Argument: argument, Context: &protocol.CompleteContext{Arguments: map[string]string{"b": "c"}}},
			`"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"a","value":"x"},"context":{"arguments":{"b":"c"}}}`},
		{protocol.SetLevelParams{Level: protocol.LevelError}, `"method":"logging/setLevel","params":{"level":"error"}`},
		{protocol.RawRequest{Name: "x/y", Body: `{"a":[1.0]}`}, `"method":"x/y","params":{"a":[1.0]}`},
	} {
		_, out, err := x.Request(c.p, lifecycle.RequestOptions{})
		if want := `{"id":2,` + c.want + `}`; err != nil || wire(out) != want {
			t.Errorf("%T: sent %s, %v, want %s", c.p, wire(out), err, want)
		}
	}
	for _, p := range []protocol.Params{
		protocol.CompleteParams{Argument: argument}, protocol.SetLevelParams{Level: "warn"}, protocol.CallToolParams{Name: "t", Arguments: `[]`},
		protocol.RawRequest{Name: "prompts/get", Body: `{"name":"p","arguments":{"a":1}}`}, protocol.RawRequest{Name: "notifications/cancelled"},
		protocol.RawRequest{Name: "notifications/x"}, protocol.ReadResourceParams{}, protocol.SubscribeParams{},
		protocol.RawRequest{Name: "resources/unsubscribe", Body: `{"uri":""}`}, protocol.CallToolParams{}, protocol.GetPromptParams{},
	} {
		if _, out, err := x.Request(p, lifecycle.RequestOptions{}); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%T: sent %s, %v, want %v", p, wire(out), err, lifecycle.ErrParams)
		}
	}
	x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[string]string{"": `{"requestId":2}`, "r": `{"requestId":2,"reason":"r"}`} {
		if _, o, err := x.Cancel(out.Req, reason); err != nil || wire(o) != `{"method":"notifications/cancelled","params":`+want+`}` {
			t.Errorf("cancelled for %q: sent %s, %v", reason, wire(o), err)
		}
	}
	if _, out, err = x.Notify(protocol.RootsListChangedParams{}); err != nil || wire(out) != `{"method":"notifications/roots/list_changed"}` {
		t.Errorf("sent %s, %v", wire(out), err)
	}
	x, out = x.Receive(`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"_meta":{"progressToken":"t"}}}`)
	_, out, err = x.Progress(out.Opened, protocol.ProgressParams{Progress: 1, Total: protocol.Ptr(2.0), Message: "half"})
	if want := `{"method":"notifications/progress","params":{"progressToken":"t","progress":1,"total":2,"message":"half"}}`; err != nil || wire(out) != want {
		t.Errorf("sent %s, %v, want %s", wire(out), err, want)
	}
}

// open returns a ready session of each role whose peer offers what the test asks for.
func open(t *testing.T) []verbs.Side {
	return []verbs.Side{
		verbs.NewServer(t, server.Config{Serve: []string{"tools/call"}}).Open(protocol.Revision20250618, `{"roots":{},"sampling":{}}`),
		verbs.NewClient(t, client.Config{Serve: []string{"sampling/createMessage"}}).Open(protocol.Revision20250618, allOfServer),
	}
}

// An error of the peer arrives complete, with its data byte for byte.
func TestErrorsKeepTheirData(t *testing.T) {
	for _, x := range open(t) {
		x, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, out := x.Receive(`{"jsonrpc":"2.0","id":` + x.LastID() + `,"error":{"code":-32050,"message":"m","data":{"b":[1.0, 1e400],"a":null}}}`)
		var rpc *jsonrpc.Error
		if err := out.Events[0].Failure(); !errors.As(err, &rpc) || *rpc != (jsonrpc.Error{Code: -32050, Message: "m", Data: `{"b":[1.0, 1e400],"a":null}`}) {
			t.Errorf("%v: %+v", x.Role, err)
		}
	}
}

// Open requests can be listed, oldest first, on both sides.
func TestOpenRequestsAreListed(t *testing.T) {
	for _, x := range open(t) {
		line := `{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`
		if x.Role == protocol.Client {
			line = `{"jsonrpc":"2.0","id":%q,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"_meta":{"progressToken":"p"}}}`
		}
		x, _ = x.Receive(fmt.Sprintf(line, "z"))
		x, opened := x.Receive(fmt.Sprintf(line, "a"))
		var reqs []lifecycle.Req
		var want []string
		for _, opt := range []lifecycle.RequestOptions{
			{Timeout: lifecycle.NoTimeout}, {Within: opened.Opened, Progress: true}, {Timeout: time.Second, Maximum: time.Minute},
		} {
			next, out, err := x.Request(protocol.PingParams{}, opt)
			if err != nil {
				t.Fatal(err)
			}
			x, reqs = next, append(reqs, out.Req)
			want = append(want, fmt.Sprint(out.Req, " ", out.Send[0].Message.ID, " ping ", opt.Within))
		}
		if st := x.Status(); st.Inbound != 2 || st.Outbound != 3 {
			t.Errorf("%v: %+v", x.Role, st)
		}
		var got []string
		infos := slices.Collect(x.Outbound())
		if r := infos[0]; !r.Deadline.IsZero() || !r.Maximum.IsZero() || !r.ProgressToken.IsZero() {
			t.Errorf("%v: %+v", x.Role, r)
		}
		if r := infos[1]; r.Deadline.Sub(x.Now) != 10*time.Second || r.Maximum.Sub(x.Now) != lifecycle.DefaultMaximumTimeout || r.ProgressToken != r.ID {
			t.Errorf("%v: %+v", x.Role, r)
		}
		if r := infos[2]; r.Deadline.Sub(x.Now) != time.Second || r.Maximum.Sub(x.Now) != time.Minute {
			t.Errorf("%v: %+v", x.Role, r)
		}
		for _, r := range infos {
			got = append(got, fmt.Sprint(r.Req, " ", r.ID, " ", r.Method, " ", r.Within))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: (-want +got)\n%s", x.Role, diff)
		}
		calls := slices.Collect(x.Inbound())
		if len(calls) != 2 || calls[0].ID != jsonrpc.String("z") || calls[1].Call != opened.Opened || calls[1].ProgressToken != jsonrpc.String("p") {
			t.Errorf("%v: %+v", x.Role, calls)
		}
		old := x
		x, _, err := x.Cancel(reqs[1], "")
		if err != nil {
			t.Fatal(err)
		}
		if left := slices.Collect(x.Outbound()); len(left) != 2 || left[0].Req != reqs[0] || left[1].Req != reqs[2] || len(slices.Collect(old.Outbound())) != 3 {
			t.Errorf("%v: %+v", x.Role, left)
		}
	}
}

// The info of the peer reaches the application complete, including experimental
// and unknown members.
func TestThePeerIsHeardWhole(t *testing.T) {
	const caps = `{"experimental":{"x":{"y":[1.0]}},"later":{"z":1},"tools":{},"roots":{}}`
	s, out := verbs.NewServer(t, server.Config{}).Receive(verbs.InitializeLine("2025-06-18", caps))
	ev := verbs.Events(out, lifecycle.PhaseChanged)[0]
	p, err := protocol.Decode[protocol.InitializeParams](ev.Body)
	if err != nil || ev.To != lifecycle.Initializing || !strings.Contains(string(ev.Body), caps) ||
		p.Capabilities.Experimental["x"] != `{"y":[1.0]}` || s.PeerCapabilities() != protocol.CapRoots {
		t.Errorf("%v, %s, %v", err, ev.Body, s.PeerCapabilities())
	}
	c, _ := verbs.NewClient(t, client.Config{}).Begin(protocol.Revision20250618, "")
	c, out = c.Receive(c.InitializeResult("2025-06-18", caps))
	ev = verbs.Events(out, lifecycle.PhaseChanged)[0]
	r, err := protocol.Decode[protocol.InitializeResult](ev.Body)
	if err != nil || ev.To != lifecycle.Ready || !strings.Contains(string(ev.Body), caps) ||
		r.Capabilities.Experimental["x"] != `{"y":[1.0]}` || c.PeerCapabilities() != protocol.CapTools {
		t.Errorf("%v, %s, %v", err, ev.Body, c.PeerCapabilities())
	}
}
