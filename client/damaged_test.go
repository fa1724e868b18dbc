package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was.
func TestEachValueOfASnapshot(t *testing.T) {
	s, err := client.New(config(), t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	begun := string(s.Snapshot())
	s, _ = s.Receive(t0, jsonrpc.DecodeString(lines[0]))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(lines[5]))
	if s, _, err = s.SetRoots(t0, []protocol.Root{{URI: "file:///b", Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []protocol.Params{protocol.ListToolsParams{}, protocol.PingParams{}} {
		if s, _, err = s.Request(t0, p, client.RequestOptions{Timeout: time.Second, Maximum: time.Minute, Progress: true}); err != nil {
			t.Fatal(err)
		}
	}
	ready := string(s.Snapshot())
	s, _ = s.Shutdown(t0, 3*time.Second)
	others := []string{"", "null", "0", "1", "2", "3", "4", "5", "-1", "-5000000000", "4294967296", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "true", `""`, `"x"`, `"ready"`, `"ping"`, "[]", "{}", `["a:b"]`}
	texts.Same(t, "2917 of 2917, 01d418a1", texts.Values(others, begun, ready, string(s.Snapshot())), func(text string) string {
		s, err := client.Restore(config(), []byte(text), t0)
		if err != nil {
			return "refused"
		}
		due, ok := s.NextDeadline()
		return fmt.Sprint(string(s.Snapshot()), s.Status(), s.Peer(), due, ok, s.Check())
	})
}
