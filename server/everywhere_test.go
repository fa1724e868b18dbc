package server_test

import (
	"testing"

	"github.com/sansmcp/mcp/protocol"
)

// spoken is the revision of the sessions that tests begin; see everywhere.
var spoken = protocol.Revision20250618

// everywhere runs a test at each revision, which spoken is meanwhile.
func everywhere(t *testing.T, test func(t *testing.T)) {
	usual := spoken
	defer func() { spoken = usual }()
	for _, spoken = range protocol.Revisions() {
		t.Run(spoken.String(), test)
	}
}
