package catalog

import (
	"fmt"
	"testing"
	"time"

	near "github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/protocol"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was.
func TestEachValueOfASnapshot(t *testing.T) {
	cfg := Config{Sources: sources("a", "b"), Naming: plainly, Deferred: true}
	w := start(t, cfg, two())
	w.c = w.c.Claim(protocol.ToolList)
	w.servers["a"].slow = true
	w.say("a", "tools")
	w.sleep(time.Second)
	others := []string{"", "null", "0", "1", "2", "3", "7", "-1", "-60000000000", "2147483648", "9223372036854775807", "9223372036854775808", "true", `""`, `"x"`, `"a"`, "[]", "{}", `["0"]`, `[0,0]`}
	near.Same(t, "2175 of 2175, 66727bd5", near.Values(others, string(w.c.Snapshot())), func(s string) string {
		out := ""
		for _, deferred := range []bool{true, false} {
			cfg.Deferred = deferred
			c, err := Restore(cfg, w.m, []byte(s), w.now)
			if err != nil {
				out += "refused;"
				continue
			}
			due, ok := c.NextDeadline()
			out += fmt.Sprint(string(c.Snapshot()), due, ok, c.Len(), c.Check())
			for _, name := range []string{"a", "b"} {
				status, _ := c.Status(protocol.ToolList, name)
				out += fmt.Sprintf("%+v", status)
			}
		}
		return out
	})
}
