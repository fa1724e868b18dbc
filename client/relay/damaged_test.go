package relay_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/texts"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was. Manager and catalog are the concern of their packages.
func TestEachValueOfASnapshot(t *testing.T) {
	w := busyWorld(t)
	text, manager := texts.Aside("manager", string(w.r.Snapshot()))
	text, catalog := texts.Aside("catalog", text)
	others := []string{"", "null", "0", "1", "2", "3", "7", "-1", "-60000000000", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "true", `""`, `"x"`, `"left"`, `"error"`, "[]", "{}"}
	texts.Same(t, "1687 of 1687, 7a44879f", texts.Values(others, text), func(s string) string {
		r, err := relay.Restore(w.cfg, w.defs, []byte(manager(catalog(s))), w.s, w.now)
		if err != nil {
			return "refused"
		}
		due, ok := r.NextDeadline()
		again, _ := texts.Aside("manager", string(r.Snapshot()))
		again, _ = texts.Aside("catalog", again)
		return fmt.Sprint(again, due, ok, r.Check(w.s))
	})
}
