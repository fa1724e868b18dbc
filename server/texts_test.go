package server_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const badText = "a\xff\xfe"

// speaking is a session that may send everything, with a call that awaits an answer and
// a request that awaits the peer.
func speaking(t *testing.T) (server.State, server.Call, server.Req) {
	t.Helper()
	s, err := server.New(server.Config{
		Unlisted: true,
		Info:     protocol.Implementation{Name: "s", Version: "1"}, Logging: true, Subscribe: true,
		Serve: []string{"tools/call", "resources/read", "resources/list", "prompts/get", "completion/complete"},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	var out server.Output
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"elicitation":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`,
	} {
		s, out = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	call := out.Opened
	s, out, err = s.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{})
	if err != nil || call.IsZero() {
		t.Fatal(err, call)
	}
	return s, call, out.Req
}

type verb func() (server.State, server.Output, error)

// refused checks that the verbs are ErrParams and send nothing that they were given.
func refused(t *testing.T, s server.State, verbs map[string]verb) {
	t.Helper()
	for name, do := range verbs {
		next, out, err := do()
		if !errors.Is(err, lifecycle.ErrParams) || len(out.Send) > 0 || string(next.Snapshot()) != string(s.Snapshot()) {
			t.Errorf("%s: %v, sends %v", name, err, out.Send)
		}
	}
}

// What names something has to be UTF-8: as U+FFFD it would name something else.
func TestNamesAreUTF8(t *testing.T) {
	s, call, _ := speaking(t)
	request := func(p protocol.Params) verb {
		return func() (server.State, server.Output, error) { return s.Request(t0, p, server.RequestOptions{}) }
	}
	notify := func(p protocol.Params) verb {
		return func() (server.State, server.Output, error) { return s.Notify(t0, p, server.Call{}) }
	}
	respond := func(r protocol.Result) verb {
		return func() (server.State, server.Output, error) { return s.Respond(t0, call, r) }
	}
	refused(t, s, map[string]verb{
		"request name":      request(protocol.RawRequest{Name: "x/" + badText}),
		"request body":      request(protocol.RawRequest{Name: "x/y", Body: jsonrpc.Raw(`{"a":"` + badText + `"}`)}),
		"notification name": notify(protocol.RawRequest{Name: "x/" + badText}),
		"notification body": notify(protocol.RawRequest{Name: "x/y", Body: jsonrpc.Raw(`{"a":"` + badText + `"}`)}),
		"logger":            notify(protocol.LoggingMessageParams{Level: "info", Logger: badText, Data: "1"}),
		"log data":          notify(protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(`"` + badText + `"`)}),
		"updated uri":       notify(protocol.ResourceUpdatedParams{URI: "x:" + badText}),
		"model hint":        request(protocol.CreateMessageParams{MaxTokens: 1, ModelPreferences: &protocol.ModelPreferences{Hints: []protocol.ModelHint{{Name: badText}}}}),
		"meta":              request(protocol.ListRootsParams{Meta: protocol.Meta(`{"` + badText + `":1}`)}),
		"form field":        request(protocol.ElicitParams{RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: badText, Schema: protocol.PrimitiveSchema{Type: protocol.TypeBoolean}}}}}),
		"form enum":         request(protocol.ElicitParams{RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "a", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Enum: []string{badText}}}}}}),
		"link uri":          respond(protocol.CallToolResult{Content: []protocol.Content{protocol.LinkContent(protocol.Resource{URI: "x:" + badText, Name: "n"})}}),
		"link name":         respond(protocol.CallToolResult{Content: []protocol.Content{protocol.LinkContent(protocol.Resource{URI: "x:y", Name: badText})}}),
		"contents uri":      respond(protocol.CallToolResult{Content: []protocol.Content{protocol.EmbeddedContent(protocol.TextResource("x:"+badText, "", "t"))}}),
		"contents type":     respond(protocol.CallToolResult{Content: []protocol.Content{protocol.EmbeddedContent(protocol.TextResource("x:y", badText, "t"))}}),
		"contents text":     respond(protocol.CallToolResult{Content: []protocol.Content{protocol.EmbeddedContent(protocol.TextResource("x:y", "", badText))}}),
		"structured":        respond(protocol.CallToolResult{StructuredContent: jsonrpc.Raw(`{"a":"` + badText + `"}`)}),
		"error data": func() (server.State, server.Output, error) {
			return s.Fail(t0, call, jsonrpc.Error{Code: 1, Data: jsonrpc.Raw(`"` + badText + `"`)})
		},
	})
	who := protocol.Implementation{Name: "s", Version: "1"}
	for name, cfg := range map[string]server.Config{
		"served":  {Info: who, Serve: []string{"x/" + badText}},
		"name":    {Info: protocol.Implementation{Name: badText, Version: "1"}},
		"version": {Info: protocol.Implementation{Name: "s", Version: badText}},
	} {
		if _, err := server.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("Config, %s: %v", name, err)
		}
	}
	for name, items := range map[string]server.Items{
		"tool":     {Tools: []protocol.Tool{{Name: badText}}},
		"resource": {Resources: []protocol.Resource{{URI: "x:" + badText, Name: "n"}}},
		"template": {ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "x:" + badText, Name: "n"}}},
		"prompt":   {Prompts: []protocol.Prompt{{Name: badText}}},
		"argument": {Prompts: []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: badText}}}}},
	} {
		if _, err := server.NewCatalog(items); err == nil {
			t.Errorf("a catalog took the %s", name)
		}
	}
}

// Prose goes out with U+FFFD for each bad byte, and what is kept or reported of it is
// what went out.
func TestProseIsMended(t *testing.T) {
	s, call, req := speaking(t)
	const mended = "a\ufffd\ufffd"
	for name, do := range map[string]verb{
		"reason": func() (server.State, server.Output, error) { return s.Cancel(t0, req, badText) },
		"progress": func() (server.State, server.Output, error) {
			return s.Progress(t0, call, protocol.ProgressParams{Progress: 1, Message: badText})
		},
		"text": func() (server.State, server.Output, error) { return s.Respond(t0, call, protocol.TextResult(badText)) },
		"error": func() (server.State, server.Output, error) {
			return s.Fail(t0, call, jsonrpc.Error{Code: 1, Message: badText})
		},
		"message": func() (server.State, server.Output, error) {
			return s.Request(t0, protocol.ElicitParams{Message: badText}, server.RequestOptions{})
		},
	} {
		_, out, err := do()
		if err != nil || len(out.Send) != 1 {
			t.Errorf("%s: %v, %v", name, err, out.Send)
			continue
		}
		if line := string(jsonrpc.Append(nil, out.Send[0].Message)); !utf8.ValidString(line) || !strings.Contains(line, `"`+mended+`"`) {
			t.Errorf("%s: %s", name, line)
		}
		for _, ev := range out.Events {
			if ev.Cause != nil && ev.Cause.Reason != mended {
				t.Errorf("%s: reported as %q", name, ev.Cause.Reason)
			}
		}
	}
}

// A number that JSON cannot express is an error of the verb, not another number.
func TestNumbersThatAreNone(t *testing.T) {
	s, call, _ := speaking(t)
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		respond := func(r protocol.Result) verb {
			return func() (server.State, server.Output, error) { return s.Respond(t0, call, r) }
		}
		request := func(p protocol.Params) verb {
			return func() (server.State, server.Output, error) { return s.Request(t0, p, server.RequestOptions{}) }
		}
		refused(t, s, map[string]verb{
			"structured": respond(protocol.CallToolResult{StructuredContent: `{"sum":` + protocol.NumberValue(f) + `}`}),
			"raw":        respond(`{"content":[],"structuredContent":{"sum":` + protocol.NumberValue(f) + `}}`),
			"meta":       respond(protocol.CallToolResult{Meta: protocol.Meta("").With("x", protocol.NumberValue(f))}),
			"priority":   respond(protocol.CallToolResult{Content: []protocol.Content{protocol.LinkContent(protocol.Resource{URI: "x:y", Annotations: &protocol.Annotations{Priority: &f}})}}),
			"total": func() (server.State, server.Output, error) {
				return s.Progress(t0, call, protocol.ProgressParams{Progress: 1, Total: &f})
			},
			"log data": func() (server.State, server.Output, error) {
				return s.Notify(t0, protocol.LoggingMessageParams{Level: "info", Data: protocol.NumberValue(f)}, call)
			},
			"error data": func() (server.State, server.Output, error) {
				return s.Fail(t0, call, jsonrpc.Error{Code: 1, Data: protocol.NumberValue(f)})
			},
			"temperature": request(protocol.CreateMessageParams{MaxTokens: 1, Temperature: &f}),
			"metadata":    request(protocol.CreateMessageParams{MaxTokens: 1, Metadata: `{"a":` + protocol.NumberValue(f) + `}`}),
			"cost":        request(protocol.CreateMessageParams{MaxTokens: 1, ModelPreferences: &protocol.ModelPreferences{CostPriority: &f}}),
			"minimum":     request(protocol.ElicitParams{RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "a", Schema: protocol.PrimitiveSchema{Type: protocol.TypeNumber, Minimum: &f}}}}}),
			"maximum":     request(protocol.ElicitParams{RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "a", Schema: protocol.PrimitiveSchema{Type: protocol.TypeNumber, Maximum: &f}}}}}),
		})
		if _, out, err := s.Progress(t0, call, protocol.ProgressParams{Progress: f}); err == nil || len(out.Send) > 0 {
			t.Errorf("progress %v: %v, %v", f, err, out.Send)
		}
	}
}
