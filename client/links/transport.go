package links

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Transport carries the messages of a Client. Its methods may run at the same time, but no
// two Sends and no two Receives do. A WebSocket connection fits with a few lines;
// packages client/child and client/remote have the two of the specification.
type Transport interface {
	// Send sends o.Message. rev is the negotiated revision, zero before the handshake.
	// It returns when the next message may come: a transport with a stream has written
	// or queued it, one that posts each message by itself has begun. A transport whose
	// queue is full waits, for then the Client takes nothing in that could lead to more
	// messages. ctx ends when the Client gives up.
	//
	// An error is about this message alone: if it is a request, the request fails. It may
	// have run, unless lifecycle.DeliveryOf of the error says better: lifecycle.Unsent wraps
	// one if nothing has left. A transport that is broken for good makes Receive return an
	// error.
	Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error

	// Receive returns what happened next. An error ends the session: ErrSessionGone if
	// the transport can carry another one, as after the status 404 of HTTP, and any other
	// for good; io.EOF where the server simply ended. It is not called again after that
	// other one. ctx ends with the Client.
	Receive(ctx context.Context) (Arrival, error)

	// Close ends the transport: what was sent is written, the server is told (end of
	// input, DELETE), and what runs for it ends, at once if ctx ends. Afterwards Receive
	// returns an error. It is called once, and returns why the transport failed, if it
	// did.
	Close(ctx context.Context) error
}

// ErrSessionGone is returned, or wrapped, by Receive of a Transport when the server has lost the
// session and a new one can be opened (HTTP-047). Later messages of the Transport belong to the
// next session.
var ErrSessionGone = errors.New("links: the server has ended the session")

// SessionGone is an ErrSessionGone of a Transport that knows which requests did not begin: they were
// not sent, or refused because the server does not know the session. Client.Request makes them
// again in the next session.
type SessionGone struct {
	NotBegun []client.Req // Outgoing.Req of each
	Err      error        // why the session is gone
}

// Error returns the text of ErrSessionGone and that of Err.
func (e *SessionGone) Error() string { return ErrSessionGone.Error() + ": " + e.Err.Error() }

// Unwrap returns ErrSessionGone and Err.
func (e *SessionGone) Unwrap() []error { return []error{ErrSessionGone, e.Err} }

// Delivery returns lifecycle.Rejected. It is about the requests of NotBegun.
func (e *SessionGone) Delivery() lifecycle.Delivery { return lifecycle.Rejected }

// Temporary returns true: the next session is another one.
func (e *SessionGone) Temporary() bool { return true }

// Arrival is what a Transport reports: a message, or the outcome of a sent one.
type Arrival struct {
	// Message has arrived, possibly of KindInvalid; it is ignored if Req is set.
	Message jsonrpc.Message
	// Req is the request whose message could not be sent or whose answer is lost: Outgoing.Req. It
	// fails.
	Req client.Req
	// Err says why, and by lifecycle.DeliveryOf how far the request came. If it may have run, the
	// server gets a cancellation.
	Err error
	// Paused says that Req has not failed, but waits at this side for a person to log in, before it reaches
	// the server: its timeout is paused (client.State.Pause). Resumed says that it continues.
	Paused, Resumed bool
}
