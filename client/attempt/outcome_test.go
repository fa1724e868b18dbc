package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// finished returns the outcome of a call of the tool "t" whose one attempt ends with o.
func finished(t *testing.T, l attempt.Limits, o attempt.Outcome) attempt.Outcome {
	t.Helper()
	x, err := attempt.New(attempt.Config{Limits: l}, start)
	if err != nil {
		t.Fatal(err)
	}
	x, out, err := x.Call(start, attempt.Request{Tool: "t"})
	if err != nil {
		t.Fatal(err)
	}
	_, out = x.Finish(start, out.Start[0].Attempt, o)
	return out.Done[0].Outcome
}

// TestNormalize is rows A24, E3 and F2 "Tool failure": the one value that a result is, and a
// result with isError as a failure with its blocks.
func TestNormalize(t *testing.T) {
	image := protocol.ImageContent("image/png", []byte{1})
	link := protocol.LinkContent(protocol.Resource{URI: "file:///a", Name: "a"})
	text := protocol.TextContent
	for _, c := range []struct {
		name  string
		r     *protocol.CallToolResult
		value string
		kind  toolerror.Kind
		text  string
	}{
		{name: "nothing", r: &protocol.CallToolResult{}, value: `null`},
		{name: "one text", r: protocol.TextResult("a\n\"b\""), value: `"a\n\"b\""`},
		{name: "a text that is JSON stays text", r: protocol.TextResult(`{"n":1}`), value: `"{\"n\":1}"`},
		{name: "one other block", r: &protocol.CallToolResult{Content: []protocol.Content{image}}, value: string(image.AppendJSON(nil))},
		{name: "several", r: &protocol.CallToolResult{Content: []protocol.Content{text("a"), link}}, value: `[{"type":"text","text":"a"},` + string(link.AppendJSON(nil)) + `]`},
		{name: "structured first", r: &protocol.CallToolResult{Content: []protocol.Content{text("a")}, StructuredContent: `{"n":1}`}, value: `{"n":1}`},
		{name: "failed", r: &protocol.CallToolResult{IsError: true, Content: []protocol.Content{text("no"), image, text("way")}}, kind: toolerror.RemoteTool, text: "no\nway"},
		{name: "failed with a payload", r: (&toolerror.Error{Kind: toolerror.RateLimited}).ToolResult(), kind: toolerror.RateLimited},
		{name: "nil", kind: toolerror.Execution},
	} {
		o := finished(t, attempt.Limits{}, attempt.Outcome{Result: c.r})
		if got := string(o.Value()); got != c.value {
			t.Errorf("%s: the value is %s, want %s", c.name, got, c.value)
		}
		if (o.Err == nil) != (c.kind == 0) || o.Err != nil && (o.Err.Kind != c.kind || o.Err.Tool != "t" || c.text != "" && o.Err.Text != c.text) {
			t.Errorf("%s: %+v", c.name, o.Err)
		}
		// All blocks are kept, and nothing of the result has changed.
		if o.Result != c.r {
			t.Errorf("%s: the result is not kept", c.name)
		}
	}
	if v := (attempt.Outcome{}).Value(); v != "" {
		t.Errorf("the value of nothing is %s", v)
	}
}

// TestResultLimits is row E25: each limit at its edge and one beyond, and MIME types.
func TestResultLimits(t *testing.T) {
	l := attempt.Limits{Blocks: 3, BlockBytes: 100, Bytes: 250, Depth: 4}
	a := func(n int) protocol.Content { return protocol.TextContent(strings.Repeat("a", n)) }
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	blocks := func(list ...protocol.Content) *protocol.CallToolResult {
		return &protocol.CallToolResult{Content: list}
	}
	mime := func(s string) *protocol.CallToolResult {
		return blocks(protocol.Content{Type: protocol.ContentImage, Media: &protocol.Media{MIMEType: s}})
	}
	blob := strings.Repeat("A", 101)
	long := blocks(protocol.LinkContent(protocol.Resource{URI: "file:///" + strings.Repeat("a", 100), Name: "a"}))
	for _, c := range []struct {
		name string
		r    *protocol.CallToolResult
		ok   bool
	}{
		{"as many blocks as may", blocks(a(1), a(1), a(1)), true},
		{"one block more", blocks(a(1), a(1), a(1), a(1)), false},
		{"as long a block as may", blocks(a(100)), true},
		{"one byte more", blocks(a(101)), false},
		{"as much as may", blocks(a(100), a(100), a(50)), true},
		{"one byte more in all", blocks(a(100), a(100), a(51)), false},
		{"structured content counts", &protocol.CallToolResult{Content: []protocol.Content{a(100), a(100)}, StructuredContent: protocol.Raw(`"` + strings.Repeat("a", 49) + `"`)}, false},
		{"structured content that is too long", &protocol.CallToolResult{StructuredContent: protocol.Raw(`"` + strings.Repeat("a", 99) + `"`)}, false},
		{"_meta that is too long", &protocol.CallToolResult{Meta: protocol.Meta(`{"a":"` + strings.Repeat("a", 99) + `"}`)}, false},
		{"as deep as may", &protocol.CallToolResult{StructuredContent: protocol.Raw(deep(4))}, true},
		{"one level more", &protocol.CallToolResult{StructuredContent: protocol.Raw(deep(5))}, false},
		{"a deep _meta", &protocol.CallToolResult{Meta: protocol.Meta(deep(5))}, false},
		{"a deep _meta of a block", blocks(protocol.Content{Type: "text", Meta: protocol.Meta(deep(5))}), false},
		{"a deep block of another type", blocks(protocol.Content{Type: "new", Raw: protocol.Raw(deep(5))}), false},
		{"a deep _meta of a link", blocks(protocol.Content{Type: protocol.ContentLink, Link: &protocol.Resource{URI: "a:b", Name: "a", Meta: protocol.Meta(deep(5))}}), false},
		{"a deep _meta of a resource", blocks(protocol.EmbeddedContent(protocol.ResourceContents{Meta: protocol.Meta(deep(5))})), false},
		{"a long blob", blocks(protocol.EmbeddedContent(protocol.ResourceContents{Blob: &blob})), false},
		{"a long text of a resource", blocks(protocol.EmbeddedContent(protocol.ResourceContents{Text: blob})), false},
		{"a long image", blocks(protocol.Content{Type: protocol.ContentImage, Media: &protocol.Media{Data: blob, MIMEType: "image/png"}}), false},
		{"a long link", long, false},
		{"a resource without a MIME type", blocks(protocol.EmbeddedContent(protocol.TextResource("a:b", "", "x"))), true},
		{"a resource with one that is none", blocks(protocol.EmbeddedContent(protocol.TextResource("a:b", "<b>", "x"))), false},
		{"a link with one that is none", blocks(protocol.LinkContent(protocol.Resource{URI: "a:b", Name: "a", MIMEType: "x"})), false},
		{"image/png", mime("image/png"), true},
		{"with a parameter", mime("text/plain; charset=utf-8"), true},
		{"with a vendor", mime("application/vnd.a+json"), true},
		{"no MIME type", mime(""), false},
		{"no subtype", mime("image/"), false},
		{"no slash", mime("image"), false},
		{"a space", mime("image /png"), false},
		{"two slashes", mime("a/b/c"), false},
		{"a newline", mime("image/png;a=\nb"), false},
		{"a letter that is not ASCII", mime("image/pñg"), false},
		{"a long one", mime("image/" + strings.Repeat("a", 250)), false},
	} {
		o := finished(t, l, attempt.Outcome{Result: c.r})
		if (o.Err == nil) != c.ok || !c.ok && (o.Err.Kind != toolerror.InvalidOutput || o.Err.Text == "" || o.Result != nil) {
			t.Errorf("%s: %+v, %v", c.name, o, o.Err)
		}
		// A result beyond the limits is dropped beside an error too.
		o = finished(t, l, attempt.Outcome{Result: c.r, Err: &toolerror.Error{Kind: toolerror.Handler}})
		if o.Err == nil || o.Err.Kind != toolerror.Handler || (o.Result != nil) != c.ok {
			t.Errorf("%s: with an error %+v", c.name, o)
		}
	}
	if o := finished(t, attempt.Limits{}, attempt.Outcome{Result: mime("image/" + strings.Repeat("a", 250))}); o.Err == nil {
		t.Error("a MIME type of 256 bytes is taken")
	}
	for _, l := range []attempt.Limits{{Blocks: -1}, {BlockBytes: -1}, {Bytes: -1}, {Depth: -1}} {
		if _, err := attempt.New(attempt.Config{Limits: l}, start); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	all := attempt.Limits{Blocks: math.MaxInt, BlockBytes: math.MaxInt, Bytes: math.MaxInt, Depth: math.MaxInt}
	if o := finished(t, all, attempt.Outcome{Result: &protocol.CallToolResult{StructuredContent: protocol.Raw(deep(400))}}); o.Err != nil {
		t.Error(o.Err)
	}
}

// TestKindsOfErrors is rows B28, E26 and D35: what every end of a request is to the caller of a
// tool.
func TestKindsOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		kind toolerror.Kind
	}{
		{&lifecycle.Cause{Kind: lifecycle.CauseCancelled}, toolerror.Cancelled},
		{&lifecycle.Cause{Kind: lifecycle.CauseTimedOut}, toolerror.Timeout},
		{&lifecycle.Cause{Kind: lifecycle.CauseLost}, toolerror.ConnectionLost},
		{&lifecycle.Cause{Kind: lifecycle.CauseInputClosed}, toolerror.ConnectionLost},
		{&lifecycle.Cause{Kind: lifecycle.CauseNotSent}, toolerror.Unavailable},
		{&lifecycle.Cause{Kind: lifecycle.CauseAbandoned}, toolerror.Cancelled},
		{&lifecycle.Cause{Kind: lifecycle.CauseShutdown}, toolerror.ConnectionLost},
		{&lifecycle.Cause{Kind: lifecycle.CauseAborted}, toolerror.ConnectionLost},
		{&lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse}, toolerror.InvalidOutput},
		{&lifecycle.Cause{Kind: lifecycle.CauseRefused}, toolerror.Unavailable},
		{&lifecycle.Cause{Kind: lifecycle.CauseUnsupportedRevision}, toolerror.Unavailable},
		{&lifecycle.Cause{Kind: lifecycle.CauseMissingCapability}, toolerror.Unavailable},
		{&lifecycle.Cause{Kind: lifecycle.CausePeerSilent}, toolerror.ConnectionLost},
		{&lifecycle.Cause{Kind: lifecycle.CauseResponseLost}, toolerror.ConnectionLost},
		{fmt.Errorf("x: %w", lifecycle.ErrPhase), toolerror.Unavailable},
		{lifecycle.ErrCapability, toolerror.Unavailable},
		{lifecycle.ErrRevision, toolerror.Unavailable},
		{lifecycle.ErrLimit, toolerror.Unavailable},
		{lifecycle.ErrParams, toolerror.InvalidArguments},
		{lifecycle.ErrGone, toolerror.Cancelled},
		{context.Canceled, toolerror.Cancelled},
		{context.DeadlineExceeded, toolerror.Timeout},
		{os.ErrDeadlineExceeded, toolerror.Timeout},
		{&jsonrpc.Error{Code: -32601}, toolerror.UnknownTool},
		{&jsonrpc.Error{Code: -32602}, toolerror.InvalidArguments},
		{&jsonrpc.Error{Code: -32603}, toolerror.RemoteRPC},
		{&jsonrpc.Error{Code: -32002}, toolerror.RemoteRPC},
		{&jsonrpc.Error{Code: 1}, toolerror.RemoteRPC},
		{jsonrpc.Error{Code: -32601}, toolerror.UnknownTool},
		{schema.ArgumentErrors{{Kind: schema.ArgumentMissing, Path: "/a"}}, toolerror.InvalidArguments},
		{&toolerror.Error{Kind: toolerror.RateLimited}, toolerror.RateLimited},
		{errors.New("crash"), toolerror.Execution},
		{nil, toolerror.Execution},
	} {
		o := attempt.FromError("t", c.err)
		if o.Err == nil || o.Err.Kind != c.kind || o.Err.Tool != "t" || o.Result != nil {
			t.Errorf("%v: %+v", c.err, o.Err)
			continue
		}
		if c.err != nil && !errors.Is(o.Err, c.kind) || c.kind != toolerror.RateLimited && c.err != nil && !errors.Is(o.Err, c.err) && !errors.As(o.Err, new(schema.ArgumentErrors)) {
			t.Errorf("%v is not found in %v", c.err, o.Err)
		}
	}
	// The code, the message and the data stay; a payload in the data says more than the code.
	e := attempt.FromError("t", jsonrpc.Error{Code: -32601, Message: "no such tool", Data: `{"a":1}`}).Err
	if e.Code != -32601 || e.Text != "no such tool" || e.Data != `{"a":1}` || !e.Remote {
		t.Errorf("%+v", e)
	}
	inner := &toolerror.Error{Kind: toolerror.RateLimited, Tool: "theirs"}
	if e := attempt.FromError("t", jsonrpc.Error{Code: -32602, Data: inner.Payload()}).Err; e.Kind != toolerror.RateLimited || e.Tool != "t" {
		t.Errorf("%+v", e)
	}
}

// TestFromEvent is row A5: the events that end a tools/call, as outcomes.
func TestFromEvent(t *testing.T) {
	for _, c := range []struct {
		name  string
		ev    lifecycle.Event
		value string
		kind  toolerror.Kind
	}{
		{"a result", lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: `{"content":[{"type":"text","text":"x"}]}`}, `"x"`, 0},
		{"a failure", lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: `{"content":[{"type":"text","text":"x"}],"isError":true}`}, ``, toolerror.RemoteTool},
		{"no result", lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: `{"content":1}`}, ``, toolerror.InvalidOutput},
		{"an error", lifecycle.Event{Kind: lifecycle.ResponseReceived, Err: &jsonrpc.Error{Code: -32603}}, ``, toolerror.RemoteRPC},
		{"lost", lifecycle.Event{Kind: lifecycle.RequestFailed, Cause: &lifecycle.Cause{Kind: lifecycle.CauseLost}}, ``, toolerror.ConnectionLost},
		{"no end at all", lifecycle.Event{Kind: lifecycle.PhaseChanged}, ``, toolerror.Execution},
	} {
		o := attempt.FromEvent("t", c.ev)
		if string(o.Value()) != c.value || (o.Err == nil) != (c.kind == 0) || o.Err != nil && o.Err.Kind != c.kind {
			t.Errorf("%s: %s, %v", c.name, o.Value(), o.Err)
		}
		if c.kind == toolerror.RemoteTool && (o.Result == nil || len(o.Result.Content) != 1) {
			t.Error("the blocks of a failure are not kept")
		}
	}
}
