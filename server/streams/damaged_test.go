package streams_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/server/streams"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// as it was.
func TestEachValueOfASnapshot(t *testing.T) {
	d := varied(t)
	d.detachListeners()
	others := []string{"", "null", "0", "1", "2", "3", "7", "-1", "-60000000000", "2147483647", "2147483648", "2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "true", `""`, `"x"`, "[]", "{}"}
	texts.Same(t, "4321 of 4321, 6c99384a", texts.Values(others, string(d.x.Snapshot())), func(s string) string {
		x, err := streams.Restore(streams.Options{Idle: time.Hour, MaxBytes: 5000}, []byte(s), d.s, d.now)
		if err != nil {
			return "refused"
		}
		due, ok := x.NextDeadline()
		return fmt.Sprint(string(x.Snapshot()), due, ok, x.Bytes(), x.Check())
	})
}
