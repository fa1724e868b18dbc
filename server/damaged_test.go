package server_test

import (
	"fmt"
	"testing"

	near "github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/server"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was.
func TestEachValueOfASnapshot(t *testing.T) {
	ready, ending, gone, cfg := snapshots(t)
	others := []string{"", "null", "0", "1", "2", "3", "6", "7", "8", "-1", "-5000000000", "4294967296", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "true", `""`, `"x"`, `"ready"`, `"ping"`, "[]", "{}", `["a"]`}
	near.Same(t, "4071 of 4071, 248a85db", near.Values(others, ready, ending, gone), func(text string) string {
		s, err := server.Restore(cfg, []byte(text), t0)
		if err != nil {
			return "refused"
		}
		due, ok := s.NextDeadline()
		return fmt.Sprint(string(s.Snapshot()), s.Status(), s.Peer(), due, ok, s.Check())
	})
}
