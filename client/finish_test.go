package client_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Finish answers with what there is, and with -32603 where that does not fit.
func TestFinish(t *testing.T) {
	s := session(t, client.Config{Serve: []string{"sampling/createMessage", "elicitation/create"}})
	s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`))
	call := out.Opened
	for _, tt := range []struct {
		name   string
		answer client.Answer
		want   string // the result, or "" for an error
		code   int64
		err    error
	}{
		{"a result", client.Answer{Call: call, Result: protocol.Raw(`{"action":"accept","content":{"n":1}}`)}, `{"action":"accept","content":{"n":1}}`, 0, nil},
		{"no", client.Answer{Call: call, Result: protocol.Raw(`{"action":"decline"}`)}, `{"action":"decline"}`, 0, nil},
		{"an error", client.Answer{Call: call, Err: &jsonrpc.Error{Code: 7, Message: "m"}}, "", 7, nil},
		{"an error that is none", client.Answer{Call: call, Err: &jsonrpc.Error{}}, "", -32603, lifecycle.ErrParams},
		{"another result", client.Answer{Call: call, Result: protocol.Raw(`{"roots":[]}`)}, "", -32603, lifecycle.ErrParams},
		{"content of another form", client.Answer{Call: call, Result: protocol.Raw(`{"action":"accept","content":{}}`)}, "", -32603, lifecycle.ErrParams},
	} {
		next, out, err := s.Finish(t0, tt.answer)
		if !errors.Is(err, tt.err) || len(out.Send) != 1 || !out.Send[0].Final || out.Send[0].Call != call || next.Status().Inbound != 0 {
			t.Errorf("%s: %v, %+v", tt.name, err, out)
			continue
		}
		m := out.Send[0].Message
		if m.ID != jsonrpc.String("a") || string(m.Body) != tt.want || (m.Err == nil) != (tt.code == 0) || m.Err != nil && m.Err.Code != tt.code {
			t.Errorf("%s: %s %v", tt.name, m.Body, m.Err)
		}
		again, out, err := next.Finish(t0, tt.answer)
		if !errors.Is(err, lifecycle.ErrGone) || again != next || !out.IsZero() {
			t.Errorf("%s again: %v, %+v", tt.name, err, out)
		}
	}
}

// Neither an odd item nor an odd _meta costs a list, but a cursor that is none does: nobody could
// read on.
func TestOddItemAndMore(t *testing.T) {
	for result, kind := range map[string]lifecycle.EventKind{
		`{"tools":[{"name":1},{"name":"a","inputSchema":{"type":"object"}}]}`:                lifecycle.ResponseReceived,
		`{"tools":[{"name":1},{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":5}`: lifecycle.RequestFailed,
		`{"tools":[{"name":1}],"_meta":[]}`:                                                  lifecycle.ResponseReceived,
	} {
		s, _ := request(t, session(t, client.Config{}), protocol.ListToolsParams{}, client.RequestOptions{})
		_, out := answer(s, 2, result)
		if n := len(out.Events); n == 0 || out.Events[n-1].Kind != kind {
			t.Errorf("%s: %v", result, out.Events)
		}
	}
}

// What is mended in a result does not spare it the checks of the rest.
func TestOddBlockAndSchema(t *testing.T) {
	for structured, kind := range map[string]lifecycle.EventKind{`{"a":1}`: lifecycle.ResponseReceived, `{"a":"x"}`: lifecycle.RequestFailed} {
		s, _ := request(t, session(t, client.Config{}), protocol.CallToolParams{Name: "t"}, client.RequestOptions{
			OutputSchema: `{"type":"object","properties":{"a":{"type":"number"}}}`,
		})
		_, out := answer(s, 2, `{"content":[{"type":"text"},{"type":"text","text":"b"}],"structuredContent":`+structured+`}`)
		if n := len(out.Events); n == 0 || out.Events[0].Kind != lifecycle.Violation || out.Events[n-1].Kind != kind {
			t.Errorf("%s: %v", structured, out.Events)
		}
	}
}
