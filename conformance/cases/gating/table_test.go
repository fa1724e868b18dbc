package gating_test

import (
	"slices"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/protocol"
)

// method is a method of the table of the tests, or one of the application.
type method struct {
	verbs.Method
	custom bool
}

// stated returns the methods of a revision with those of the application, and the names
// that only other revisions have.
func stated(r protocol.Revision) (list []method, others []string) {
	all, others := verbs.Methods(r)
	for _, m := range all {
		list = append(list, method{m, false})
	}
	ready := protocol.PhaseSet(protocol.Ready)
	custom := verbs.Method{
		Name: "x/custom", Request: true, Sender: protocol.Client, Send: ready, Serve: ready | protocol.PhaseSet(protocol.Initializing),
		Params: `{"a":1}`, Wrong: `[]`,
	}
	ask := custom
	ask.Name, ask.Sender, ask.Serve = "x/ask", protocol.Server, ready
	return append(list, method{custom, true}, method{ask, true}), others
}

// The method table of the product has exactly the content of the pages.
func TestTable(t *testing.T) {
	for _, r := range protocol.Revisions() {
		list, others := stated(r)
		names := map[string]bool{}
		for _, m := range list {
			if m.custom {
				continue
			}
			names[m.Name] = true
			row := r.Row(m.Name)
			if row == nil {
				t.Errorf("%v has no %s", r, m.Name)
				continue
			}
			if row.Method != m.Name || row.Notification == m.Request || row.Sender() != m.Sender || row.Gate != m.Gate || row.Requires != m.Requires ||
				row.Send != m.Send || row.Serve != m.Serve ||
				row.Cancellable != m.Cancellable || row.Paginated() != m.Paginated {
				t.Errorf("%v: %s is %+v, want %+v", r, m.Name, row, m)
			}
			if row.Receiver != m.Sender.Peer() && m.Sender != protocol.BothParties || row.Receiver != m.Sender && m.Sender == protocol.BothParties {
				t.Errorf("%v: %s goes to %v", r, m.Name, row.Receiver)
			}
		}
		for _, row := range r.Rows() {
			if !names[row.Method] || slices.Contains(others, row.Method) {
				t.Errorf("%v: a row for %q: %v", r, row.Method, row)
			}
		}
		for _, name := range others {
			if r.Row(name) != nil {
				t.Errorf("%v: a row for %q", r, name)
			}
		}
	}
}
