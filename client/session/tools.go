package session

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// CallTool calls a tool. If List or Tools has read its outputSchema, the result is checked against it.
// A result with IsError is not an error. Without a session, over HTTP, a tool may require arguments in
// headers: if the server refuses a call for lack of them, CallTool lists the tools and repeats it once.
// Errors: those of Request.
func (c *Client) CallTool(ctx context.Context, p protocol.CallToolParams, opt RequestOptions) (protocol.CallToolResult, error) {
	body, err := c.call(ctx, p, opt)
	// In a session the code is the server's own, and the failed call may have run (HTTP-208).
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) && e.Code == protocol.CodeHeaderMismatch && c.State().Revision().Stateless() && c.listAgain(ctx) {
		body, err = c.call(ctx, p, opt)
	}
	if err != nil {
		return protocol.CallToolResult{}, err
	}
	return protocol.Decode[protocol.CallToolResult](body)
}

// call calls a tool and checks the result against its outputSchema, if known.
func (c *Client) call(ctx context.Context, p protocol.CallToolParams, opt RequestOptions) (jsonrpc.Raw, error) {
	if opt.OutputSchema == "" {
		opt.OutputSchema = c.outputSchema(p.Name)
	}
	return c.Request(ctx, p, opt)
}

// listAgain reads the tools, even if they are known, because the transport learns the headers from them. It
// reports whether that succeeded.
func (c *Client) listAgain(ctx context.Context) bool {
	c.mu.Lock()
	c.list(toolsList).fresh = false
	c.mu.Unlock()
	_, err := c.List(ctx, toolsList)
	return err == nil
}
