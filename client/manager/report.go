package manager

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// ReportKind is the kind of a Report.
type ReportKind uint8

// The reports.
const (
	// Opened: the transport that ActOpen asked for is open. The handshake begins.
	Opened ReportKind = iota + 1
	// OpenFailed: the transport could not be opened, as Err says. It is the last Report of its
	// Link.
	OpenFailed
	// Received: the server sent Message, which may be of jsonrpc.KindInvalid.
	Received
	// SendFailed: the message of Req could not be sent, as Err says. Only that request fails.
	SendFailed
	// ResponseLost: the message of Req was sent, but no response can arrive, as Err says. Only that
	// request fails, and it is cancelled, because the server may still run it.
	ResponseLost
	// Ended: the transport is closed, because of ActClose or by itself. Err is the reason, or nil.
	// It is the last Report of its Link.
	Ended
	// Paused: the message of Req waits at this side for a person to log in, before it reaches the server: its
	// timeout is paused, and so is that of its handshake, for at most Config.Client.Timeouts.Human. With
	// Resumed it continues.
	Paused
	reportKinds
)

var reportNames = []string{"report(?)", "opened", "open failed", "received", "send failed", "response lost", "ended", "paused"}

// String returns the name of the kind.
func (k ReportKind) String() string { return rawjson.NameOf(k, "report(?)", reportNames...) }

// Report reports what happened to one Link. Which fields are set depends on Kind.
type Report struct {
	Kind    ReportKind      // what happened
	Link    Link            // to which link
	Message jsonrpc.Message // of Received
	Req     client.Req      // of SendFailed, ResponseLost and Paused; one from before a Restore is valid too
	Resumed bool            // of Paused
	Err     error           // why it failed or ended
}

// Report handles a report of the driver. One of an ended Link, or of an unknown kind, changes only
// LateReports.
func (m Manager) Report(now time.Time, r Report) (Manager, Effects) {
	var o step
	m.take(now)
	c := m.linked(r.Link)
	switch {
	case r.Kind == OpenFailed, r.Kind == Ended:
		m.transportEnded(c, &r, &o)
	case r.Kind == 0, r.Kind >= reportKinds, c == nil, (r.Kind == Opened) != (c.condition == Connecting):
		m.late++ // a link is opened once, and before that it says nothing
	case r.Kind == Opened:
		m.move(c, Handshaking, nil, &o)
		prior := client.Verdict("")
		if c.handshake {
			prior = client.NeedsHandshake
		}
		next, out, _ := c.client.Connect(m.clock.Time(), prior) // it is a new session
		m.advance(c, next, out, &o)
	default:
		m.inSession(c, &r, &o)
	}
	return m, o.Effects
}

// inSession hands a report of a link that is open to its session.
func (m *Manager) inSession(c *conn, r *Report, o *step) {
	next := c.client
	var out client.Output
	switch r.Kind {
	case Received:
		m.heardFrom(c, o)
		next, out = next.Receive(m.clock.Time(), r.Message)
	case SendFailed:
		next, out = next.SendFailed(m.clock.Time(), next.Req(r.Req.Seq()), r.Err)
	case Paused:
		next, out = next.Pause(m.clock.Time(), next.Req(r.Req.Seq()), !r.Resumed)
		if c.opens() && r.Resumed {
			c.until = m.clock.After(c.set.Connect)
		} else if c.opens() {
			c.until = max(c.until, m.clock.After(m.env.human))
		}
	default:
		next, out = next.ResponseLost(m.clock.Time(), next.Req(r.Req.Seq()), r.Err)
	}
	m.absorb(c, next, out, o)
	m.run(c, o)
	if r.Kind == Received && c.condition == Ready && !c.pinging {
		c.ping = m.clock.After(c.quiet()) // which depends on what is still on its way
	}
	m.store(c)
}

// The reasons of a transport that ended without one.
var (
	errNotOpened = errors.New("the transport could not be opened")
	errClosed    = errors.New("the transport is closed")
)

// transportEnded handles the last report of a link: c is what it is live in, nil if it is not.
func (m *Manager) transportEnded(c *conn, r *Report, o *step) {
	if c == nil {
		m.closingEnded(r, o)
		return
	}
	e := &Error{Class: ClassTransport, Server: c.name, Err: r.Err}
	switch {
	case r.Kind == OpenFailed && r.Err == nil:
		e.Err = errNotOpened
	case r.Err == nil:
		e.Err = errClosed
	}
	if r.Kind == OpenFailed {
		e.Method = "open"
	}
	if c.condition >= Restoring {
		e.Class = ClassLost
	}
	m.linkLost(c, e, true, o)
	m.run(c, o)
	m.store(c)
}

// closingEnded handles the last report of a link that is being closed.
func (m *Manager) closingEnded(r *Report, o *step) {
	leaf := m.closing.Get(r.Link.Epoch)
	if leaf == nil || leaf.V.name != r.Link.Server { // the Link names another server: ignore the report
		m.late++
		return
	}
	m.closing, _ = m.closing.Delete(r.Link.Epoch)
	var e *Error
	if r.Err != nil && r.Kind == Ended {
		e = &Error{Class: ClassTransport, Server: r.Link.Server, Method: "close", Err: r.Err}
	}
	m.closed(r.Link.Epoch, leaf.V, e, o)
}

// Abandon says that the server no longer takes an answer to a request of its own: the Call ends.
func (m Manager) Abandon(now time.Time, call Call) (Manager, Effects) {
	var o step
	m.take(now)
	c := m.linked(call.Link)
	if c == nil || c.condition == Connecting {
		m.late++
		return m, o.Effects
	}
	next, out := c.client.Abandon(m.clock.Time(), c.call(call))
	m.advance(c, next, out, &o)
	return m, o.Effects
}
