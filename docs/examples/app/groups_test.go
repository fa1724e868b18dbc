package app

import (
	"context"
	"errors"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// replaced is a Front that keeps what it is to serve, or fails.
type replaced struct {
	Front
	h    *server.Handlers
	fail error
}

func (r *replaced) Replace(_ context.Context, h *server.Handlers) error {
	if r.fail == nil {
		r.h = h
	}
	return r.fail
}

// toggle takes the tool extra in and out, and leaves all else as it is; one that failed is made
// again by the next.
func TestToggle(t *testing.T) {
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	f := &replaced{h: a.Handlers()}
	a.ServedBy(f)
	tools := func() (n int, extra bool) {
		catalog, err := f.h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		first, err := a.Handlers().Catalog()
		if err != nil {
			t.Fatal(err)
		}
		if d := catalog.Diff(first, protocol.ToolList); !d.IsZero() {
			t.Errorf("a session that begins is offered something else: %+v", d)
		}
		items := f.h.Items()
		for _, it := range items.Tools {
			extra = extra || it.Name == "extra"
		}
		return len(items.Tools), extra
	}
	all, _ := tools()
	for i, fail := range []error{nil, errors.New("nobody can be told"), nil, nil, nil} {
		f.fail = fail
		_, before := tools()
		if err := a.toggle(context.Background()); !errors.Is(err, fail) {
			t.Fatal(i, err)
		}
		n, extra := tools()
		want := all
		if extra {
			want++
		}
		if extra == before != (fail != nil) || n != want {
			t.Errorf("%d: %d tools, extra %v, before %v", i, n, extra, before)
		}
	}
}
