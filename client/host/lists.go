package host

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

const toolsList = protocol.MethodToolsList

// list is a list of the server that is kept current.
type list struct {
	method string
	m      client.Mirror
}

// List returns the items of a list of the server ("tools/list", "resources/list",
// "resources/templates/list", "prompts/list") as it wrote them. The list is read when it is
// first asked for, and then kept: List waits only while it is being read, as after the server
// has announced a change. The slice must not be changed. Errors: those of
// client.NewMirror, lifecycle.ErrCapability where the server has no such list,
// lifecycle.ErrPhase before Open, what was wrong with the listing (with the items that
// there are), the cause of ctx, ErrClosed.
func (c *Client) List(ctx context.Context, method string) ([]jsonrpc.Raw, error) {
	var items []jsonrpc.Raw
	var failed, bad error
	err := c.when(ctx, func() (known bool) {
		if c.opening {
			return false
		}
		var m *client.Mirror
		if m, bad = c.mirror(method); bad != nil {
			return true
		}
		items, known = m.Items(method)
		failed = m.Err(method)
		return known || failed != nil
	})
	c.mu.Unlock()
	if err == nil {
		err = bad
	}
	if err == nil {
		err = failed
	}
	return items, err
}

// mirror returns the Mirror of a list, with the lock held.
func (c *Client) mirror(method string) (*client.Mirror, error) {
	for i := range c.lists {
		if c.lists[i].method == method {
			return &c.lists[i].m, nil
		}
	}
	fresh, err := client.NewMirror(method)
	if err != nil {
		return nil, err
	}
	if c.s.Phase() != protocol.Ready {
		return nil, errNotOpen
	}
	set := c.opt.Mirror
	fresh.Options, fresh.MinInterval = set.Options, set.MinInterval
	fresh.MaxPages, fresh.MaxItems, fresh.MaxBytes = set.MaxPages, set.MaxItems, set.MaxBytes
	c.lists = append(c.lists, list{method, fresh})
	var out client.Output
	c.s, out = c.s.Tick(time.Now()) // the time of the first request is that of the State
	c.step(out)
	return &c.lists[len(c.lists)-1].m, nil
}

// Tools returns the tools of the server: List of "tools/list", decoded. A tool that cannot
// be read is an error, beside those that can.
func (c *Client) Tools(ctx context.Context) ([]protocol.Tool, error) {
	items, err := c.List(ctx, toolsList)
	tools := make([]protocol.Tool, 0, len(items))
	for _, item := range items {
		t, bad := protocol.Decode[protocol.Tool](item)
		if bad == nil {
			tools = append(tools, t)
		} else if err == nil {
			err = bad
		}
	}
	return tools, err
}

// outputSchema returns the outputSchema of a tool, if it is known.
func (c *Client) outputSchema(tool string) jsonrpc.Raw {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.lists {
		if c.lists[i].method == toolsList {
			schema, _ := c.lists[i].m.OutputSchema(tool)
			return schema
		}
	}
	return ""
}
