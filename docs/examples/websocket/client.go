package ws

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Transport is the client's end of a connection: a links.Transport.
type Transport struct{ l *link }

var _ links.Transport = (*Transport)(nil)

// DialOptions are the settings of Dial. A zero field means its default.
type DialOptions struct {
	Options
	// HTTPClient makes the connection; nil means http.DefaultClient.
	HTTPClient *http.Client
	// Header is sent with the request, such as for authorization.
	Header http.Header
}

// Dial connects to a Server: the scheme of url is ws or wss.
func Dial(ctx context.Context, url string, opt DialOptions) (*Transport, error) {
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: opt.HTTPClient, HTTPHeader: opt.Header, Subprotocols: []string{Subprotocol},
	})
	if err != nil {
		return nil, err
	}
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "the subprotocol is "+Subprotocol)
		return nil, errors.New("ws: the server does not speak the subprotocol " + Subprotocol)
	}
	return &Transport{newLink(conn, opt.Options)}, nil
}

// Send implements links.Transport: it queues the message, once there is room.
func (t *Transport) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if err := t.l.out.Wait(ctx); err != nil {
		return lifecycle.Unsent(err)
	}
	t.l.out.Send(o.Message)
	return nil
}

// Receive implements links.Transport. If the server has closed the connection the error is io.EOF,
// otherwise why it broke.
func (t *Transport) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case m, ok := <-t.l.in:
		if ok {
			return links.Arrival{Message: m}, nil
		}
		switch websocket.CloseStatus(t.l.err) {
		case websocket.StatusNormalClosure, websocket.StatusGoingAway:
			return links.Arrival{}, io.EOF
		}
		return links.Arrival{}, t.l.err
	case <-t.l.done:
		return links.Arrival{}, io.EOF
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

// Close implements links.Transport.
func (t *Transport) Close(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = t.l.conn.CloseNow() })()
	return t.l.end(goodbye, websocket.StatusNormalClosure)
}

// goodbye is how long messages that are queued at the end may take to be written.
const goodbye = 5 * time.Second
