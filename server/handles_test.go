package server_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A handle that no call of the session has is ErrGone for every verb, nothing is sent, and the
// State is as it was: it can be checked, and restored from its Snapshot.
func TestMadeUpHandles(t *testing.T) {
	cfg := server.Config{Logging: true, Serve: []string{protocol.MethodToolsCall}}
	s, ended := open(t, cfg)
	s, _, err := s.Respond(t0, ended, protocol.TextResult("x"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`))
	_, foreign := open(t, cfg)
	handles := map[string]server.Call{
		"a key alone": s.Call(0, 1), "a large key": s.Call(0, 1<<63), "a number alone": s.Call(1<<40, 0), "a number of another key": s.Call(ended.Seq(), ended.Key()+1),
		"ended": ended, "of another session": foreign, "ended, made again": s.Call(ended.Seq(), ended.Key()),
	}
	verbs := map[string]func(c server.Call) (server.State, server.Output, error){
		"Request": func(c server.Call) (server.State, server.Output, error) {
			return s.Request(t0, protocol.PingParams{}, server.RequestOptions{Within: c})
		},
		"Respond": func(c server.Call) (server.State, server.Output, error) {
			return s.Respond(t0, c, protocol.TextResult("x"))
		},
		"Fail": func(c server.Call) (server.State, server.Output, error) {
			return s.Fail(t0, c, protocol.InternalError("x"))
		},
		"Finish": func(c server.Call) (server.State, server.Output, error) {
			return s.Finish(t0, server.Answer{Call: c, Result: protocol.TextResult("x")})
		},
		"Notify": func(c server.Call) (server.State, server.Output, error) {
			return s.Notify(t0, protocol.LoggingMessageParams{Level: "error", Data: "1"}, c)
		},
		"Progress": func(c server.Call) (server.State, server.Output, error) {
			return s.Progress(t0, c, protocol.ProgressParams{Progress: 1})
		},
		"Abandon": func(c server.Call) (server.State, server.Output, error) {
			n, out := s.Abandon(t0, c)
			return n, out, lifecycle.ErrGone
		},
	}
	for name, c := range handles {
		for verb, call := range verbs {
			next, out, err := call(c)
			if !errors.Is(err, lifecycle.ErrGone) || !out.IsZero() {
				t.Errorf("%s of %s: %v, %+v", verb, name, err, out)
			}
			if err := next.Check(); err != nil {
				t.Errorf("%s of %s: %v", verb, name, err)
			}
		}
	}
	// Without a call it is within none.
	next, out, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{Within: server.Call{}})
	if err != nil || len(out.Send) != 1 || next.Check() != nil {
		t.Errorf("within none: %v, %+v", err, out)
	}
}
