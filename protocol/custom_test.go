package protocol_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// Methods that no revision defines are sent and served in the phases of those that it defines: once a
// session is ready, by a server from the answer to initialize on, and without a session at all times
// but by clients, which a server cannot ask.
func TestPhasesOfCustomMethods(t *testing.T) {
	every := []Phase{Uninitialized, Initializing, Ready, ShuttingDown, Disconnected, Failed}
	session := map[string]string{"server": "send r serve ir", "client": "send r serve r", "note": "send r serve ir"}
	none := map[string]string{"server": "send r serve uir", "client": "send  serve ", "note": "send uirs serve uirs"}
	for _, rev := range AllRevisions() {
		want := session
		if !rev.Handshake() {
			want = none
		}
		for name, row := range map[string]*Row{"server": rev.CustomRow(Server), "client": rev.CustomRow(Client), "note": rev.CustomNotificationRow()} {
			phases := func(set Phases) (text string) {
				for i, p := range every {
					if set.Has(p) {
						text += "uirsdf"[i : i+1]
					}
				}
				return text
			}
			if got := "send " + phases(row.Send) + " serve " + phases(row.Serve); got != want[name] {
				t.Errorf("%v, %s: %s, want %s", rev, name, got, want[name])
			}
			if party := map[string]Party{"server": Server, "client": Client, "note": BothParties}[name]; row.Receiver != party || row.Notification != (name == "note") || row.Cancellable == row.Notification {
				t.Errorf("%v, %s: %+v", rev, name, row)
			}
		}
	}
}
