package protocol_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/protocol"
)

// What is no item of a list is returned as it is, with an error that says what it lacks.
func TestMendRefuses(t *testing.T) {
	for _, l := range append(protocol.Lists(), new(protocol.List)) {
		for _, item := range []protocol.Raw{`5`, `{}`} {
			rest, err := l.Mend(item)
			var e *protocol.DecodeError
			if rest != item || !errors.As(err, &e) {
				t.Errorf("%q: %s: %s, %v", l.Member, item, rest, err)
			}
		}
	}
}
