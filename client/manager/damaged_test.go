package manager_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/texts"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was. The sessions within are the concern of package client.
func TestEachValueOfASnapshot(t *testing.T) {
	r := busy(t)
	text, whole := texts.Aside("client", string(r.m.Snapshot()))
	others := []string{"", "null", "0", "1", "2", "3", "7", "-1", "-60000000000", "4294967296", "9007199254740993", "18446744073709551615", "true", `""`, `"x"`, `"waiting"`, "[]", "{}"}
	texts.Same(t, "4483 of 4483, 1b154f8c", texts.Values(others, text), func(s string) string {
		m, err := manager.Restore(busyConfig(), []byte(whole(s)), r.now, busyOptions)
		if err != nil {
			return "refused"
		}
		next, _ := m.NextDeadline()
		again, _ := texts.Aside("client", string(m.Snapshot()))
		out := fmt.Sprint(again, next, m.Check())
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			status, _ := m.Status(name)
			out += fmt.Sprintf("%v %v %v %v", status.Condition, status.Since, status.RetryAt, status.Err)
		}
		return out
	})
}
