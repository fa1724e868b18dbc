package host

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

const toolsList = protocol.MethodToolsList

// List returns the items of a list of the server ("tools/list", "resources/list",
// "resources/templates/list", "prompts/list") as it wrote them. The list is read when it is
// first asked for, and then kept: List waits only while it is being read, as after the server
// has announced a change, and until one reading has ended that began after the call. If the
// server has announced a change meanwhile, List returns what was read: Stale reports that.
// The slice must not be changed. Errors: those of
// client.NewMirror, lifecycle.ErrCapability where the server has no such list,
// lifecycle.ErrPhase before Open, what was wrong with the listing (with the items that
// there are), the cause of ctx, ErrClosed.
func (c *Client) List(ctx context.Context, method string) ([]jsonrpc.Raw, error) {
	var items []jsonrpc.Raw
	var wrong, bad error
	enough := 0 // the reading that began after the call
	err := c.waitUntil(ctx, func() (known bool) {
		if c.opening {
			return false
		}
		if l := c.list(method); enough == 0 && l != nil {
			if enough = l.reads + 1; l.m.Reading(method) {
				enough++
			}
		}
		var l *list
		if l, bad = c.listed(method); bad != nil {
			return true
		}
		enough = max(enough, 1)
		items, known = l.m.Items(method)
		wrong = l.m.Err(method)
		return known || wrong != nil || l.reads >= enough && items != nil
	})
	c.mu.Unlock()
	if err == nil {
		err = bad
	}
	if err == nil {
		err = wrong
	}
	return items, failed(method, "", err)
}

// Stale reports whether what List returned last may be out of date: the server has announced a
// change of the list since, which is being read or will be, or no session is ready. A list that was
// never asked for is stale.
func (c *Client) Stale(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.list(method)
	if l == nil {
		return true
	}
	_, fresh := l.m.Items(method)
	return !fresh
}

// listed returns a list, which is read from now on, with the lock held.
func (c *Client) listed(method string) (*list, error) {
	if l := c.list(method); l != nil {
		return l, nil
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
	c.lists = append(c.lists, list{method: method, m: fresh})
	var out client.Output
	c.s, out = c.s.Tick(time.Now()) // the time of the first request is that of the State
	c.step(out)
	return &c.lists[len(c.lists)-1], nil
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
	if l := c.list(toolsList); l != nil {
		schema, _ := l.m.OutputSchema(tool)
		return schema
	}
	return ""
}
