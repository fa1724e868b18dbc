package client_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A ping of the machine is open work like any other: its answer, be it the last, lets a
// session end that was waiting.
func TestLastAnswerIsThatOfAPing(t *testing.T) {
	s := session(t, client.Config{Keepalive: lifecycle.Keepalive{Interval: time.Second}})
	s, out := s.Tick(t0.Add(time.Second))
	if len(out.Send) != 1 || out.Send[0].Message.Method != "ping" {
		t.Fatalf("%+v", out)
	}
	s, out = s.Shutdown(t0.Add(time.Second), time.Minute)
	if out.Close != nil {
		t.Fatal("closed although a ping is open")
	}
	if s, out = s.Receive(t0.Add(time.Second), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{}}`)); out.Close == nil {
		t.Errorf("%+v", out)
	}
	if _, waits := s.NextDeadline(); waits {
		t.Error("something waits after the close action")
	}
}

// A peer that turns out to know no pings is asked no more, and the grace time of a shutdown that
// began meanwhile ends all the same.
func TestUnknownPingInShutdown(t *testing.T) {
	s := session(t, client.Config{Keepalive: lifecycle.Keepalive{Interval: time.Second}})
	s, _ = s.Tick(t0.Add(time.Second))
	s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
	s, _ = s.Shutdown(t0.Add(time.Second), 5*time.Second)
	s, _ = s.Receive(t0.Add(time.Second), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"x"}}`))
	if due, _ := s.NextDeadline(); !due.Equal(t0.Add(6 * time.Second)) {
		t.Errorf("due at %v", due.Sub(t0))
	}
	if _, out := s.Tick(t0.Add(6 * time.Second)); out.Close == nil {
		t.Errorf("%+v", out)
	}
}
