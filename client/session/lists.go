package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// List returns the items of a list of the server ("tools/list", "resources/list",
// "resources/templates/list", "prompts/list") as it wrote them, each name or uri once. It reads all pages,
// unless it did so before and the server has announced no change since. Concurrent callers share one reading
// and its result or error. If the server announces a change during it, List returns what was read, and Stale
// reports true. Do not change the slice. Package client/fleet keeps the lists of many servers current. With
// an error, List returns the items read until then. Errors: those of client.NewPager and of Request,
// lifecycle.ErrCapability if the server has no such list, lifecycle.ErrPhase before Open, errors of
// client.Pager, the cause of ctx, lifecycle.ErrClosed.
func (c *Client) List(ctx context.Context, method string) ([]jsonrpc.Raw, error) {
	var l *list
	joined := false
	err := c.mu.Until(ctx, func() bool {
		l = c.list(method)
		joined = joined || l.reading
		return !c.opening && !l.reading
	})
	if err != nil {
		c.mu.Unlock()
		return nil, failed(method, "", err)
	}
	if l.fresh {
		defer c.mu.Unlock()
		return l.items, nil
	}
	if joined && l.err != nil { // otherwise each waiting caller would wait for its own failure
		defer c.mu.Unlock()
		return l.part, l.err
	}
	l.reading = true
	c.mu.Unlock()
	items, err := c.readList(ctx, method, l)
	if errors.Is(err, links.ErrSessionGone) || errors.Is(err, lifecycle.ErrGone) { // it belonged to another session
		items, err = c.readList(ctx, method, l)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l.reading, l.part, l.err = false, nil, nil
	err = failed(method, "", err)
	if err == nil {
		l.items, l.schemas = items, schemas(method, items)
	} else if l.fresh = false; ctx.Err() == nil {
		l.part, l.err = items, err
	}
	c.mu.Wake()
	return items, err
}

// readList reads all pages of a list.
func (c *Client) readList(ctx context.Context, method string, l *list) (items []jsonrpc.Raw, err error) {
	p, err := client.NewPager(method)
	if err != nil {
		return nil, err
	}
	there, begun := map[string]bool{}, false
	for !p.Done() {
		var w *waiter
		err := c.do(ctx, func(now time.Time) (s client.State, out client.Output, err error) {
			if p, s, out, err = p.Next(c.s, now, client.RequestOptions{}); err == nil {
				w = c.await(out.Req)
				l.fresh, begun = l.fresh || !begun, true // a change announced from now on clears it
			}
			return s, out, err
		})
		if err != nil {
			return items, err
		}
		ev, _ := c.ended(ctx, w) // if ctx ends, do says so
		var page []jsonrpc.Raw
		p, page, _, err = p.Page(ev)
		for _, item := range page {
			if key := member(item, protocol.ListOf(method).Key); !there[key] {
				there[key] = true
				items = append(items, jsonrpc.Raw(strings.Clone(string(item)))) // do not keep the message in memory
			}
		}
		if err != nil && !p.Whole() {
			return items, err
		}
	}
	return items, nil
}

// member returns the text of a member of an item.
func member(item jsonrpc.Raw, name string) string {
	return strings.Clone(rawjson.Text(string(item), name))
}

// schemas returns the outputSchema of each tool in a list.
func schemas(method string, items []jsonrpc.Raw) map[string]jsonrpc.Raw {
	if method != toolsList {
		return nil
	}
	all := map[string]jsonrpc.Raw{}
	for _, item := range items {
		if raw, _ := rawjson.Get(string(item), "outputSchema"); raw != "" && raw != "null" {
			all[member(item, "name")] = jsonrpc.Raw(raw)
		}
	}
	return all
}

// Stale reports whether the last result of List may be out of date: the server has announced a change since,
// the list is being read, or no session is ready. A list never read is stale.
func (c *Client) Stale(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lists[method]
	return l == nil || l.reading || !l.fresh || c.s.Phase() != protocol.Ready
}

// Tools returns the tools of the server: List of "tools/list", decoded. If a tool cannot
// be decoded, Tools returns an error and the other tools. Other errors: those of List.
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
