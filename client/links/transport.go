package links

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Transport carries the messages of a Client. Its methods may run concurrently, except two Sends or
// two Receives. A WebSocket connection needs only a few lines; packages client/child and
// client/remote implement the two transports of the specification.
type Transport interface {
	// Send sends o.Message. rev is the negotiated revision, zero before the handshake. It returns
	// when the next message may follow: a transport with a stream has written or queued the
	// message; one that posts each message has begun to. While the queue of a transport is full,
	// Send waits, and the Client reads nothing, because that could cause more messages. ctx ends
	// when the Client gives up.
	//
	// An error concerns only this message: if it is a request, the request fails. It may have run,
	// unless lifecycle.DeliveryOf of the error says otherwise: wrap the error by lifecycle.Unsent
	// if nothing was sent. If a transport is broken permanently, its Receive must return an error.
	Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error

	// Receive returns what happened next. An error ends the session: ErrSessionGone if the
	// transport can carry another one, such as after HTTP status 404; any other error also ends the
	// transport, io.EOF if the server ended normally. Receive is not called again after that. ctx
	// ends with the Client.
	Receive(ctx context.Context) (Arrival, error)

	// Close ends the transport: it writes what was sent, tells the server (end of input, DELETE),
	// and ends all goroutines, at once if ctx ends. Afterwards Receive returns an error. It is
	// called once, and returns why the transport failed, if it did.
	Close(ctx context.Context) error
}

// ErrSessionGone is returned, or wrapped, by Receive of a Transport when the server has lost the
// session and a new one can be opened (HTTP-047). Later messages of the Transport belong to the
// next session.
var ErrSessionGone = errors.New("links: the server has ended the session")

// SessionGone is an ErrSessionGone of a Transport that knows which requests did not begin: they were
// not sent, or refused because the server does not know the session. session.Client.Request repeats
// them in the next session.
type SessionGone struct {
	NotBegun []client.Req // Outgoing.Req of each
	Err      error        // why the session has ended
}

// Error returns the texts of ErrSessionGone and Err.
func (e *SessionGone) Error() string { return ErrSessionGone.Error() + ": " + e.Err.Error() }

// Unwrap returns ErrSessionGone and Err.
func (e *SessionGone) Unwrap() []error { return []error{ErrSessionGone, e.Err} }

// Delivery returns lifecycle.Rejected, for the requests in NotBegun.
func (e *SessionGone) Delivery() lifecycle.Delivery { return lifecycle.Rejected }

// Temporary returns true: the next session may succeed.
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
