package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What belongs to a session of one State is of no use to another one, although that has the
// same wire ids: a Pager is refused, and a Mirror begins anew, whatever it was waiting for.
func TestBesideAnotherState(t *testing.T) {
	x := mirror(t, "tools/list")
	pager, err := x.s.Pager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	restored, err := client.Restore(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, x.s.Snapshot(), t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	waiting := x.m
	x.receive(page(2, "", "a"))
	x.changed("tools")
	read := x.m
	for name, other := range map[string]client.State{"of the same Config": session(t, client.Config{}), "restored": restored} {
		if _, _, _, err := other.NextPage(t0, pager, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) {
			t.Errorf("%s: a Pager of another State: %v", name, err)
		}
		for what, m := range map[string]client.Mirror{"that waits for a page": waiting, "that has a list": read} {
			m, _, out := m.Handle(other, client.Output{})
			if items, fresh := m.Items("tools/list"); len(out.Send) != 1 || len(items) != 0 || fresh {
				t.Errorf("%s: a Mirror %s: %d items, fresh %v, %+v", name, what, len(items), fresh, out)
			}
		}
	}
}
