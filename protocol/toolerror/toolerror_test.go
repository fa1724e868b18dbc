package toolerror_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// D35: every kind has a code that never changes, is found by errors.Is in what it wraps, and
// has a sentence with the name of the tool.
func TestKinds(t *testing.T) {
	codes := []string{"unknown_function", "null_arguments", "invalid_arguments", "handler_error", "execution_error", "timeout",
		"cancelled", "connection_lost", "unavailable", "remote_rpc", "remote_tool", "rate_limited", "invalid_output"}
	for i, code := range codes {
		k := toolerror.Kind(i + 1)
		e := &toolerror.Error{Kind: k, Tool: "weather"}
		wrapped := fmt.Errorf("outside: %w", e)
		if k.Code() != code || toolerror.KindOf(code) != k || !errors.Is(wrapped, k) || errors.Is(wrapped, k+1) {
			t.Errorf("%d: %q", k, k.Code())
		}
		var as *toolerror.Error
		if !errors.As(wrapped, &as) || as != e || !strings.Contains(e.Error(), `"weather"`) || !strings.Contains(k.Error(), code) {
			t.Errorf("%s: %s", code, e)
		}
	}
	var none *toolerror.Error
	if !errors.Is(none, toolerror.Execution) || none.Error() != "<nil>" || len(none.Unwrap()) != 0 {
		t.Error(none)
	}
	if toolerror.Kind(99).Code() != "execution_error" || toolerror.KindOf("none") != 0 || errors.Is(none, errors.New("x")) {
		t.Error("a kind that is none")
	}
}

// D36, D37: the payload has its members in one order; faults of arguments are listed with path,
// type, expected and received, whatever is nested.
func TestPayload(t *testing.T) {
	for _, c := range []struct {
		e    *toolerror.Error
		o    toolerror.Options
		want string
	}{
		{toolerror.Unknown("wether", []string{"weather", "time", "weather"}), toolerror.Options{},
			`{"isError":true,"toolName":"wether","errorType":"unknown_function","message":"unknown tool \"wether\"; available: \"time\", \"weather\"","availableTools":["time","weather"]}`},
		{toolerror.Failure("t", "no such city"), toolerror.Options{Legacy: true},
			`{"isError":true,"toolName":"t","errorType":"handler_error","message":"no such city","error":"no such city"}`},
		{&toolerror.Error{Kind: toolerror.Handler, Tool: "t"}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"handler_error","message":"the tool \"t\" failed"}`},
		{&toolerror.Error{Kind: toolerror.Timeout, Tool: "t", After: 1500 * time.Millisecond, Attempts: 2}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"timeout","message":"the tool \"t\" timed out after 1.5s; it may have had effects","durationMs":1500,"attempts":2}`},
		{&toolerror.Error{Kind: toolerror.RateLimited, Tool: "t", After: 2 * time.Second}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"rate_limited","message":"the tool \"t\" was called too often; try again after 2s","retryAfterMs":2000}`},
		{&toolerror.Error{Kind: toolerror.Unavailable, Tool: "t", After: 2 * time.Second, Attempts: 2, MayHaveRun: true}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"unavailable","message":"the tool \"t\" is not available; try again after 2s; an attempt before may have had effects","retryAfterMs":2000,"attempts":2,"mayHaveRun":true}`},
		{&toolerror.Error{Kind: toolerror.InvalidOutput, Tool: "t", Text: "too long", Remote: true}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"invalid_output","message":"the result of the tool \"t\" is not valid"}`},
		{&toolerror.Error{Kind: toolerror.RemoteRPC, Tool: "t", Code: -32000, Text: "their words", Data: `{"their":1}`}, toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"remote_rpc","message":"the server of the tool \"t\" answered with an error"}`},
		{&toolerror.Error{Kind: toolerror.RemoteRPC, Tool: "t", Code: -32000, Text: "their words", Data: `{"their":1}`}, toolerror.Options{Text: true},
			`{"isError":true,"toolName":"t","errorType":"remote_rpc","message":"the server of the tool \"t\" answered with an error: their words","text":"their words","code":-32000,"data":{"their":1}}`},
		{toolerror.From("t", schema.ArgumentErrors{{Path: "/n", Kind: schema.ArgumentType, Want: "an integer", Got: "string"}, {Path: "/c", Kind: schema.ArgumentMissing, Names: []string{"n"}}}), toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"invalid_arguments","message":"the arguments of the tool \"t\" are not valid: \"/n\" is not an integer but a string; \"/c\" is missing (present: \"n\")",` +
				`"parameterErrors":[{"parameterName":"n","path":"/n","kind":"type_mismatch","message":"\"/n\" is not an integer but a string","expectedType":"integer","receivedType":"string"},` +
				`{"parameterName":"c","path":"/c","kind":"missing_parameter","message":"\"/c\" is missing (present: \"n\")","availableParameters":["n"]}]}`},
		{toolerror.From("t", schema.ArgumentErrors{{Kind: schema.ArgumentNull, Want: "an object", Names: []string{"n"}}}), toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"null_arguments","message":"the tool \"t\" needs arguments: the value of the arguments is null: want an object (required: \"n\")","requiredParameters":["n"]}`},
		{toolerror.From("t", fmt.Errorf("outside: %w", &fs.PathError{Op: "open", Path: "/secret", Err: nil})), toolerror.Options{},
			`{"isError":true,"toolName":"t","errorType":"execution_error","message":"the tool \"t\" failed unexpectedly"}`},
		{toolerror.From("t", fmt.Errorf("outside: %w", &fs.PathError{Op: "open", Path: "/secret", Err: nil})), toolerror.Options{Text: true},
			`{"isError":true,"toolName":"t","errorType":"execution_error","message":"the tool \"t\" failed unexpectedly","exceptionType":"*fs.PathError"}`},
	} {
		if got := string(c.e.AppendPayload(nil, c.o)); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
	if got := (*toolerror.Error)(nil).Payload(); got != `{"isError":true,"toolName":"","errorType":"execution_error","message":"the tool failed unexpectedly"}` {
		t.Error(got)
	}
}

var (
	word  = rapid.OneOf(rapid.SampledFrom([]string{"", "a", "é", "\xff", "…", "\ufffd", `"`, strings.Repeat("é", 3000), strings.Repeat("x", 66) + "…"}), rapid.String())
	names = rapid.SliceOfN(word, 0, 25)
)

// anError draws an Error with anything in any of its fields.
func anError(t *rapid.T) *toolerror.Error {
	e := &toolerror.Error{
		Kind: toolerror.Kind(rapid.IntRange(0, 14).Draw(t, "kind")), Tool: word.Draw(t, "tool"), Text: word.Draw(t, "text"), Names: names.Draw(t, "names"),
		After: time.Duration(rapid.Int64().Draw(t, "after")), Attempts: rapid.IntRange(-1, 5).Draw(t, "attempts"),
		Code: rapid.Int64().Draw(t, "code"), Data: rapid.SampledFrom([]protocol.Raw{"", "{}", `{"isError":true}`, "nonsense", "3"}).Draw(t, "data"),
		Remote: rapid.Bool().Draw(t, "remote"), MayHaveRun: rapid.Bool().Draw(t, "ran"), Exception: word.Draw(t, "exception"),
	}
	for range rapid.IntRange(0, 18).Draw(t, "faults") {
		e.Parameters = append(e.Parameters, &schema.ArgumentError{
			Path: word.Draw(t, "path"), Kind: schema.ArgumentKind(rapid.IntRange(0, 14).Draw(t, "fault")), Want: rapid.OneOf(word, rapid.SampledFrom([]string{"integer", "an integer", "a string", "null", "an object"})).Draw(t, "want"),
			Got: word.Draw(t, "got"), Names: names.Draw(t, "hints"),
		})
	}
	if rapid.Bool().Draw(t, "nil") {
		e.Parameters = append(e.Parameters, nil)
	}
	return e
}

// D37: what was written is read back, and written the same again.
func TestPayloadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anError(t)
		o := toolerror.Options{Text: rapid.Bool().Draw(t, "show"), Legacy: rapid.Bool().Draw(t, "legacy")}
		raw := protocol.Raw(e.AppendPayload(nil, o))
		if !rawjson.Valid(string(raw)) || len(raw) > 1<<20 {
			t.Fatalf("%d bytes: %.200s", len(raw), raw)
		}
		back, ok := toolerror.ParsePayload(raw)
		if !ok || back.Kind.Code() != e.Kind.Code() {
			t.Fatalf("%v of %s", ok, raw)
		}
		if again := protocol.Raw(back.AppendPayload(nil, o)); again != raw {
			t.Fatalf("%s\n\nthen\n\n%s", raw, again)
		}
		r := e.Result(o)
		if err := r.Validate(); err != nil && !strings.Contains(string(raw), "\ufffd") {
			t.Fatal(err)
		}
		from := toolerror.FromResult("me", r)
		if !errors.Is(from, back.Kind) || from.Tool != "me" || !from.Remote {
			t.Fatalf("%v", from)
		}
		rpc := e.JSONRPC(o)
		if from := toolerror.FromRPC("me", rpc); !errors.Is(from, back.Kind) || from.Tool != "me" || rpc.Data != "" && !rawjson.Valid(string(rpc.Data)) {
			t.Fatalf("%v of %v", from, rpc)
		}
		if remote := e.Remote && e.Text != ""; !remote && e.Error() != e.ToolResult().Content[0].Text && !strings.Contains(string(e.Payload()), string(rawjson.AppendQuote(nil, e.Error()))) {
			t.Fatalf("%q is not in %s", e.Error(), e.Payload())
		}
	})
}

// D35, D37: nothing that a peer, a crash or an error of the program says goes out, unless it is asked for.
func TestNothingLeaks(t *testing.T) {
	const secret = "s3cret"
	cause := fmt.Errorf("at /home/%s/main.go: %w", secret, &jsonrpc.Error{Code: -1, Message: secret})
	list := []*toolerror.Error{
		toolerror.From("t", errors.New(secret)),
		toolerror.From("t", cause),
		toolerror.FromRPC("t", jsonrpc.Error{Code: -32000, Message: secret, Data: `"` + secret + `"`}),
		toolerror.FromResult("t", protocol.ErrorResult(secret)),
		toolerror.FromResult("t", toolerror.Failure(secret, secret).ToolResult()),
		toolerror.FromResult("t", toolerror.Unknown("t", []string{secret}).ToolResult()),
		toolerror.FromRPC("t", toolerror.From("t", schema.ArgumentErrors{{Path: "/" + secret, Kind: schema.ArgumentMissing}}).JSONRPC(toolerror.Options{})),
	}
	for k := toolerror.UnknownTool; k <= toolerror.InvalidOutput; k++ {
		if k != toolerror.Handler {
			list = append(list, &toolerror.Error{Kind: k, Tool: "t", Text: secret, Cause: cause, Data: `"` + secret + `"`})
		}
	}
	for _, e := range list {
		out := string(e.Payload()) + string(e.ToolResult().AppendJSON(nil)) + e.JSONRPC(toolerror.Options{}).Error() + string(e.JSONRPC(toolerror.Options{}).Data)
		if strings.Contains(out, secret) {
			t.Errorf("%s leaks", out)
		}
		// The program is told what a peer said, and nothing else: quoted, and not all of it.
		if text := e.Error(); strings.Contains(text, secret) != (e.Remote && e.Text != "") {
			t.Errorf("%q", text)
		}
	}
	if text := toolerror.FromResult("t", protocol.ErrorResult("no\n"+strings.Repeat("\x00", 1000))).Error(); !strings.Contains(text, `: "no\n\x00`) || len(text) > 1000 {
		t.Errorf("%q", text)
	}
	for _, e := range []*toolerror.Error{list[2], list[3], list[4], list[5], list[6]} {
		if !strings.Contains(string(e.AppendPayload(nil, toolerror.Options{Text: true})), secret) {
			t.Errorf("%s has lost its text", e)
		}
	}
	if !errors.Is(list[1], cause) || list[1].Kind != toolerror.RemoteRPC {
		t.Error("the program does not see the cause")
	}
}

type late struct{ error }

func (late) Timeout() bool { return true }

// D14, D35: any error becomes the kind that it is.
func TestFrom(t *testing.T) {
	one := &schema.ArgumentError{Path: "/a", Kind: schema.ArgumentMissing}
	for _, c := range []struct {
		err  error
		want toolerror.Kind
	}{
		{errors.New("x"), toolerror.Execution},
		{late{errors.New("x")}, toolerror.Timeout},
		{schema.ArgumentErrors{{Kind: schema.ArgumentNull}}, toolerror.NullArguments},
		{schema.ArgumentErrors{one}, toolerror.InvalidArguments},
		{fmt.Errorf("x: %w", one), toolerror.InvalidArguments},
		{schema.ArgumentErrors{nil}, toolerror.InvalidArguments},
		{jsonrpc.Error{Code: 1}, toolerror.RemoteRPC},
		{&jsonrpc.Error{Code: 1}, toolerror.RemoteRPC},
		{fmt.Errorf("x: %w", toolerror.Failure("", "y")), toolerror.Handler},
		{(*toolerror.Error)(nil), toolerror.Execution},
	} {
		e := toolerror.From("t", c.err)
		if e.Kind.Code() != c.want.Code() || e.Tool != "t" {
			t.Errorf("%v: %v of %q", c.err, e.Kind, e.Tool)
		}
	}
	if toolerror.From("t", nil) != nil {
		t.Error("an error of nothing")
	}
	own := toolerror.Failure("mine", "x")
	if toolerror.From("t", own) != own {
		t.Error("it has a name already")
	}
	_, err := schema.CheckArguments(schema.Basic{}, `{"type":"object","required":["a"]}`, "null")
	if e := toolerror.From("t", err); !errors.Is(e, toolerror.NullArguments) || !errors.As(e, new(schema.ArgumentErrors)) || !strings.Contains(e.Error(), `"a"`) {
		t.Error(e)
	}
}

// D37: what is no payload is none, and what a peer sends is bounded.
func TestHostilePayloads(t *testing.T) {
	ok := toolerror.Failure("t", "x").Payload()
	for _, raw := range []protocol.Raw{
		"", "null", "[]", "{", `{"isError":true}`, `{"isError":false,"toolName":"t","errorType":"timeout"}`, `{"isError":true,"toolName":3,"errorType":"timeout"}`,
		`{"isError":true,"toolName":"t","errorType":"nonsense"}`, `{"isError":true,"toolName":"t","errorType":""}`, `{"isError":true,"errorType":"timeout"}`,
		protocol.Raw(strings.Repeat("[", 1<<16)), ok[:len(ok)-1] + protocol.Raw(strings.Repeat(" ", 1<<20)) + "}",
	} {
		if e, ok := toolerror.ParsePayload(raw); ok {
			t.Errorf("%.100s: %v", raw, e)
		}
	}
	many := protocol.Raw(`{"isError":true,"toolName":"t","errorType":"invalid_arguments","message":3,"attempts":1e17,"retryAfterMs":1e17,"parameterErrors":[` +
		strings.Repeat(`{"path":"/a","errorType":"missing_parameter","availableNames":["x",3]},3,{"path":"/b","errorType":"x"},`, 1000) + `0]}`)
	e, _ := toolerror.ParsePayload(many)
	if e == nil || len(e.Parameters) != 16 || e.After <= 0 || e.Attempts <= 0 || len(e.Parameters[0].Names) != 1 {
		t.Errorf("%+v", e)
	}
	blocks := make([]protocol.Content, 1000)
	for i := range blocks {
		blocks[i] = protocol.TextContent(strings.Repeat("é", 10_000))
	}
	e = toolerror.FromResult("t", &protocol.CallToolResult{IsError: true, Content: append(blocks, protocol.ImageContent("image/png", nil))})
	if e.Kind != toolerror.RemoteTool || len(e.Text) > 4096 || len(e.Text) < 4090 {
		t.Errorf("%d bytes", len(e.Text))
	}
	two := []protocol.Content{protocol.TextContent("a"), protocol.TextContent("b")}
	if e = toolerror.FromResult("t", &protocol.CallToolResult{IsError: true, Content: two}); e.Text != "a\nb" {
		t.Error(e.Text)
	}
	if e = toolerror.FromResult("t", &protocol.CallToolResult{IsError: true}); e.Kind != toolerror.RemoteTool || e.Text != "" {
		t.Error(e)
	}
	if toolerror.FromResult("t", nil) != nil || toolerror.FromResult("t", protocol.TextResult(string(ok))) != nil {
		t.Error("a success is no error")
	}
	if e = toolerror.FromRPC("t", jsonrpc.Error{Data: protocol.Raw(`"` + strings.Repeat("x", 1<<17) + `"`)}); e.Data != "" {
		t.Errorf("%d bytes", len(e.Data))
	}
}

// D35: an error of JSON-RPC goes there and back, with its own code if texts are allowed.
func TestJSONRPC(t *testing.T) {
	for k, code := range map[toolerror.Kind]int64{
		toolerror.UnknownTool: -32602, toolerror.NullArguments: -32602, toolerror.InvalidArguments: -32602, toolerror.Timeout: -32603, toolerror.RemoteRPC: -32603, 0: -32603,
	} {
		if got := (&toolerror.Error{Kind: k, Code: 7}).JSONRPC(toolerror.Options{}); got.Code != code {
			t.Errorf("%s: %v", k.Code(), got)
		}
	}
	rpc := jsonrpc.Error{Code: -32002, Message: "resource not found", Data: `{"uri":"x"}`}
	e := toolerror.FromRPC("t", rpc)
	if diff := cmp.Diff(rpc, e.JSONRPC(toolerror.Options{Text: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(e, toolerror.FromRPC("t", e.JSONRPC(toolerror.Options{Text: true}))); diff != "" {
		t.Error(diff)
	}
}

// A sentence that was made for an error without a text is not read as the text of it.
func TestPayloadWithoutText(t *testing.T) {
	for _, ran := range []bool{false, true} {
		e := &toolerror.Error{Kind: toolerror.Handler, Tool: "weather", MayHaveRun: ran}
		back, ok := toolerror.ParsePayload(e.Payload())
		if diff := cmp.Diff(e, back); !ok || diff != "" {
			t.Error(diff)
		}
	}
}

// Of many faults the first are written.
func TestManyFaults(t *testing.T) {
	e := toolerror.Error{Kind: toolerror.InvalidArguments, Tool: "t"}
	for range 40 {
		e.Parameters = append(e.Parameters, &schema.ArgumentError{Path: "/a", Kind: schema.ArgumentNull})
	}
	back, ok := toolerror.ParsePayload(protocol.Raw(e.AppendPayload(nil, toolerror.Options{})))
	if !ok || len(back.Parameters) != 16 {
		t.Error(back, ok)
	}
}
