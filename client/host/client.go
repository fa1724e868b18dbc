package host

import (
	"context"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Client runs one client.State. Its methods may be called from any goroutine.
type Client struct{}

// New returns a Client over t that has not said anything; Open begins. Close is due also if
// Open fails. Errors: those of client.New.
func New(cfg client.Config, t Transport, opt Options) (*Client, error) { panic("skeleton") }

// Open runs the handshake and returns when the session is ready, or why it will not be.
func (c *Client) Open(ctx context.Context) error { panic("skeleton") }

// Connect is New and Open; if the handshake fails, the Client is closed.
func Connect(ctx context.Context, cfg client.Config, t Transport, opt Options) (*Client, error) {
	panic("skeleton")
}

// Request sends a request and returns its result. If ctx ends first, the request is
// cancelled. While a new session is being opened it waits. Errors: the *jsonrpc.Error of
// the server, the *lifecycle.Cause for which no answer came, those of
// client.State.Request, the cause of ctx, ErrClosed.
func (c *Client) Request(ctx context.Context, p protocol.Params, opt RequestOptions) (jsonrpc.Raw, error) {
	panic("skeleton")
}

// Notify sends a notification, within a call of the server or, with the zero Call, outside
// of any.
func (c *Client) Notify(ctx context.Context, n protocol.Params, within client.Call) error {
	panic("skeleton")
}

// List returns the items of a list of the server ("tools/list", …), as of now. The list is
// read when it is first asked for, and again when the server says that it changed.
func (c *Client) List(ctx context.Context, method string) ([]jsonrpc.Raw, error) { panic("skeleton") }

// CallTool calls a tool. If its schema is known (List), the result is checked against it.
func (c *Client) CallTool(ctx context.Context, p protocol.CallToolParams, opt RequestOptions) (protocol.CallToolResult, error) {
	panic("skeleton")
}

// SetRoots replaces the roots, which is announced.
func (c *Client) SetRoots(ctx context.Context, roots []protocol.Root) error { panic("skeleton") }

// Status returns a summary of the session.
func (c *Client) Status() lifecycle.Status { panic("skeleton") }

// State returns the State as of now, to look at: peer, revision, capabilities,
// subscriptions. Its transitions lead nowhere.
func (c *Client) State() client.State { panic("skeleton") }

// Done is closed when the session has ended for good.
func (c *Client) Done() <-chan struct{} { panic("skeleton") }

// Err returns why the session has ended for good; nil before, and after a Close that
// nothing went wrong with.
func (c *Client) Err() error { panic("skeleton") }

// Close ends the session and the Transport, and waits for what runs. If ctx ends, it goes
// faster.
func (c *Client) Close(ctx context.Context) error { panic("skeleton") }
