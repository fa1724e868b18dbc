package engine

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The requests that wait for people have a timeout of their own, as has the handshake.
func TestTimeoutOfMethod(t *testing.T) {
	timeouts := lifecycle.Timeouts{Initialize: 1, Ping: 2, Probe: 7, Request: 3, Human: 4}
	for method, want := range map[string]time.Duration{
		protocol.MethodInitialize: 1, protocol.MethodPing: 2, protocol.MethodToolsCall: 3,
		protocol.MethodSamplingCreateMessage: 4, protocol.MethodElicitationCreate: 4, protocol.MethodRootsList: 3,
	} {
		if got := timeoutFor(&timeouts, protocol.Revision20250618.Row(method).Wait); got != want {
			t.Errorf("%v: %d, want %d", method, got, want)
		}
	}
}
