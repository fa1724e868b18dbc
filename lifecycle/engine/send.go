package engine

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What goes out by the application's wish. Each verb checks everything before it changes
// anything: on error the Core is the one before, and no number was used. The gates are those of
// receive.go seen from the other side, so that what this side sends, a peer built on this package
// takes.

var (
	errNoMore         = errors.New("a function that asks runs again after Open: it reports no progress before")
	errTooLong        = errors.New("a form or output schema over Limits.Schema, or a uri over Limits.Text")
	errNoRequest      = errors.New("not a request that this side sends")
	errWithin         = errors.New("a request within a question of the one that it replaces")
	errReplaces       = errors.New("initialize cannot be replaced")
	errAnnounced      = errors.New("the id of the page is in use")
	errNotAnnounced   = errors.New("the id of the page was not announced")
	errNoNotification = errors.New("not a notification, or one that another verb sends")
)

// Send checks and sends a request of ours. On error nothing was changed.
func (c *Core) Send(p protocol.Params, opt lifecycle.RequestOptions, o *lifecycle.Output) (err error) {
	o.Req, err = c.send(nil, p, opt, false, o)
	return err
}

// send is Send for requests of the application and for the pings of the keepalive, of which the
// application hears only if they fail.
// own is what the request is made under where that is not the profile of the session.
func (c *Core) send(own *Profile, p protocol.Params, opt lifecycle.RequestOptions, keepalive bool, o *lifecycle.Output) (req lifecycle.Req, err error) {
	const op = "request"
	switch {
	case p == nil:
		return req, c.opError(op, lifecycle.ErrParams, "", nil)
	case !c.live():
		return req, c.opError(op, lifecycle.ErrPhase, "", nil)
	}
	name := protocol.MethodName(p)
	// The revision decides what there is to be sent: before the handshake it is the newest.
	prof := own
	if prof == nil {
		prof = c.Under(opt.Within)
	}
	row, err := c.rowToSend(prof, op, name, false)
	if err != nil {
		return req, err
	}
	// nil where it has ended meanwhile, which is a race and no fault of the caller.
	earlier := c.find(opt.Replaces)
	switch {
	case row.Notification, name == "", !utf8.ValidString(name), strings.HasPrefix(name, "notifications/"), !row.Receiver.Has(c.env.Self.Peer()):
		return req, c.opError(op, lifecycle.ErrParams, name, errNoRequest)
	case !row.Send.Has(c.phase) && !c.falls(row) || c.closed || c.inputClosed || c.probing(),
		row.Wait == protocol.WaitProbe && own == nil && c.phase != protocol.Ready: // before, it is the probe (ERA-015)
		return req, c.opError(op, lifecycle.ErrPhase, name, nil)
	// CAP-009, CAP-010, CAP-011
	case row.Gate&^prof.Caps != 0:
		return req, c.opError(op, lifecycle.ErrCapability, name, c.lacks(0, row.Gate&^prof.Caps))
	case earlier != nil && earlier.V.opens():
		return req, c.opError(op, lifecycle.ErrPhase, name, errReplaces)
	case earlier != nil && c.servesQuestion(opt.Within, earlier.Key):
		return req, c.opError(op, lifecycle.ErrParams, name, errWithin)
	// One that replaces another needs no room.
	case c.out.Len() >= c.env.Limits.Outbound && earlier == nil:
		return req, c.opError(op, lifecycle.ErrLimit, name, nil)
	case refOf(opt.Within) != (callRef{}) && c.lookup(opt.Within) == nil: // a number without a call is none of ours
		return req, lifecycle.ErrGone
	}
	v := outbound{row: row, reset: opt.ResetOnProgress, keepalive: keepalive}
	// Its row says how long an answer may take, if the caller does not.
	if err := c.times(&v, opt); err != nil {
		return req, c.opError(op, lifecycle.ErrParams, name, err)
	}
	body, info, err := row.EncodeParams(p, c.env.encoding(row))
	if err != nil {
		return req, c.opError(op, lifecycle.ErrParams, name, err)
	}
	if prof.Revision.Stateless() && c.env.Opens {
		info.Meta = c.env.signed(prof.Revision, info.Meta)
		body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", string(info.Meta)))
	}
	// Not used up before c.last is set: an error below leaves it for the next request.
	id := c.nextID()
	// The token is part of the params, so they are complete before Terms looks at them.
	body, token, progress, err := c.tokenFor(id, body, info.Meta, opt)
	if err != nil {
		return req, c.opError(op, lifecycle.ErrParams, name, err)
	}
	v.progress = progress
	terms, err := c.termsToSend(row, name, protocol.Asked{Params: body, Info: info, OutputSchema: opt.OutputSchema, Caps: prof.Caps})
	if err != nil {
		return req, err
	}
	asks, within := mayAsk(row), refOf(opt.Within)
	if within.seq != 0 || row.Custom() || !token.IsZero() || terms.Subject != "" || asks || own != nil {
		v.ext = &outboundExt{within: within, token: token, subject: strings.Clone(terms.Subject), profile: own}
		if asks {
			v.ext.round = &round{params: body}
		}
		if row.Custom() {
			v.ext.name = strings.Clone(name)
		}
	}
	// From here on nothing fails.
	c.last = id
	c.setTokens(c.tokens().with(c.env, token, id))
	due := min(c.After(v.timeout), v.maxDeadline)
	if row.Wait == protocol.WaitListen && opt.Timeout == 0 { // until acknowledged
		due = min(due, c.After(c.env.Timeouts.Request))
	}
	c.out = c.out.Put(id, due, v)
	c.join(within, id)
	if terms.Announces != "" {
		c.announce(terms.Announces)
	}
	// COMPL-019
	if earlier != nil { // else it has ended by itself
		_ = c.Cancel(opt.Replaces, "superseded", o)
	}
	req = c.Req(id)
	body = c.Downgrade(row, protocol.BodyParams, body, opt.Within, req, o)
	out := outgoing(o)
	out.Call, out.Req = opt.Within, req
	r := &out.Message
	r.Kind, r.ID, r.Method, r.Body = jsonrpc.KindRequest, jsonrpc.Int(int64(id)), name, body
	if terms.Rule != "" {
		LocalViolation(terms.Rule, row.Method, opt.Within, nil, o)
	}
	return req, nil
}

// rowToSend returns the row of a method that this side is to send. One that the revision
// does not have is refused (VERS-104); one that no revision has is a custom one.
func (c *Core) rowToSend(prof *Profile, op, name string, notification bool) (*protocol.Row, error) {
	rev := prof.Revision
	row := rev.Row(name)
	switch {
	case row != nil && row.Send == 0, row == nil && rev.Stateless() && c.env.Self == protocol.Server && !notification: // JRPC-202
		return nil, c.opError(op, lifecycle.ErrRevision, name, nil)
	case row != nil:
		return row, nil
	case protocol.Known(name):
		return nil, c.opError(op, lifecycle.ErrRevision, name, nil)
	case notification:
		return rev.CustomNotificationRow(), nil
	}
	return rev.CustomRow(c.env.Self.Peer()), nil
}

// termsToSend returns what the answer to a request of ours is bound by. Some of it has to be kept
// until the answer comes, and the limits bound that.
func (c *Core) termsToSend(row *protocol.Row, name string, a protocol.Asked) (protocol.Terms, error) {
	const op = "request"
	var t protocol.Terms
	if c.env.loose(row) {
		t.Subject = row.About(a.Info, false)
	} else {
		t = row.Terms(a)
	}
	if row.Wait == protocol.WaitListen && len(t.Subject) > c.env.mostKept(row, false) {
		t.Subject = "" // too long a filter to be compared with what the server agrees to
	}
	switch {
	case errors.Is(t.Err, protocol.ErrNotInRevision):
		return t, c.opError(op, lifecycle.ErrRevision, name, t.Err)
	case t.Err != nil:
		return t, c.opError(op, lifecycle.ErrParams, name, t.Err)
	case !c.prof.Caps.Has(t.Needs): // SAMP-103, ELIC-106
		return t, c.opError(op, lifecycle.ErrCapability, name, c.lacks(0, t.Needs&^c.prof.Caps))
	case len(t.Subject) > c.env.mostKept(row, false), len(t.Announces) > c.env.Limits.Text:
		return t, c.opError(op, lifecycle.ErrLimit, name, errTooLong)
	case t.Announces != "" && c.announced(t.Announces): // ELIC-140
		return t, c.opError(op, lifecycle.ErrParams, name, errAnnounced)
	case t.Announces != "" && c.ends().Full(c.env):
		return t, c.opError(op, lifecycle.ErrLimit, name, nil)
	}
	return t, nil
}

// Notify checks and sends a notification of ours. wanted may leave it out, before it is
// encoded, by its row and what it is about; nil wants all. On error nothing was changed.
func (c *Core) Notify(p protocol.Params, within lifecycle.Call, wanted func(*Profile, *protocol.Row, protocol.ParamsInfo) bool, o *lifecycle.Output) error {
	const op = "notify"
	switch {
	case p == nil:
		return c.opError(op, lifecycle.ErrParams, "", nil)
	case !c.live():
		return c.opError(op, lifecycle.ErrPhase, "", nil)
	}
	name := protocol.MethodName(p)
	prof := c.Under(within)
	row, err := c.rowToSend(prof, op, name, true)
	if err != nil {
		return err
	}
	switch {
	case !row.Notification, name == "", !utf8.ValidString(name), !row.Receiver.Has(c.env.Self.Peer()),
		name == protocol.MethodInitialized, name == protocol.MethodCancelled, name == protocol.MethodProgress, row.Wait == protocol.WaitListen:
		return c.opError(op, lifecycle.ErrParams, name, errNoNotification)
	case !row.Send.Has(c.phase) || c.closed,
		c.env.Opens && c.phase != protocol.Ready && prof.Revision.Stateless(): // not before it is known what the server is (ERA-009)
		return c.opError(op, lifecycle.ErrPhase, name, nil)
	// CAP-014, CAP-015, CAP-016, CAP-017
	case row.Gate&^c.env.Caps != 0, row.Requires&^prof.Caps != 0:
		return c.opError(op, lifecycle.ErrCapability, name, c.lacks(row.Gate&^c.env.Caps, row.Requires&^prof.Caps))
	case refOf(within) != (callRef{}) && c.lookup(within) == nil:
		return lifecycle.ErrGone
	}
	// Not encoded yet: many notifications are left out by wanted, and cost nothing then.
	ready, err := row.PrepareParams(p, c.env.encoding(row))
	if err != nil {
		return c.opError(op, lifecycle.ErrParams, name, err)
	}
	// The end of a thing is told once, and only to whom it was announced.
	if row.Completes && !c.env.loose(row) { // ELIC-111 to this client alone (ELIC-112), by an id that it was given (ELIC-113)
		if !c.announced(ready.Info.Subject) {
			return c.opError(op, lifecycle.ErrParams, name, errNotAnnounced)
		}
		c.endAnnounced(ready.Info.Subject)
	}
	if wanted != nil && !wanted(prof, row, ready.Info) {
		return nil
	}
	if prof.Revision.Stateless() && within.IsZero() && !c.env.Opens { // nobody hears what belongs to no request
		return nil
	}
	note(name, c.Downgrade(row, protocol.BodyParams, ready.Body(), within, lifecycle.Req{}, o), within, lifecycle.Req{}, o)
	return nil
}

// Progress reports progress of an open call. Without a token of the peer nothing
// is sent: a handler may report always (PROG-005, PROG-027).
func (c *Core) Progress(call lifecycle.Call, p protocol.ProgressParams, o *lifecycle.Output) error {
	const op = "progress"
	// PROG-012, PROG-013, PROG-014, PROG-015: a call that has ended is not found.
	leaf := c.lookup(call)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	x := leaf.V.ext
	if x == nil || x.token.IsZero() {
		return nil
	}
	if !(p.Progress > x.last) && x.reported || p.Progress != p.Progress { // PROG-008
		return c.opError(op, lifecycle.ErrProgress, leaf.V.name(), errNoMore)
	}
	next := *x
	var pass bool
	// PROG-020
	if next.gate, pass = x.gate.pass(c.env.Limits.Progress, c.now); !pass {
		return nil
	}
	// PROG-007
	p.ProgressToken = x.token
	row := c.of(x.profile).Revision.Row(protocol.MethodProgress)
	body, err := protocol.EncodeParams(p)
	if err != nil {
		return c.opError(op, lifecycle.ErrParams, row.Method, err)
	}
	next.last, next.reported = p.Progress, true
	c.extend(leaf, &next)
	note(row.Method, c.Downgrade(row, protocol.BodyParams, body, call, lifecycle.Req{}, o), call, lifecycle.Req{}, o)
	return nil
}

// Cancel gives a request of ours up. One that has ended is not cancelled (CANC-004).
func (c *Core) Cancel(req lifecycle.Req, reason string, o *lifecycle.Output) error {
	leaf := c.find(req)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	// CANC-005
	if !leaf.V.row.Cancellable || leaf.V.opens() {
		return c.opError("cancel", lifecycle.ErrPhase, leaf.V.name(), nil)
	}
	// Out of the table first: the answer may come while the cancellation is on its way, and is
	// late then.
	c.drop(leaf)
	// The event and the message say the same.
	if !utf8.ValidString(reason) {
		reason = string([]rune(reason)) // as it goes out
	}
	c.withdraw(leaf, reason, o)
	c.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}, o)
	c.settle(o)
	return nil
}

// probing reports whether nothing else may be sent, since the server has not yet said what it is
// (ERA-015).
func (c *Core) probing() bool {
	if c.phase != protocol.Initializing || !c.env.Opens {
		return false
	}
	v := c.opener()
	return v != nil && v.probes()
}

// falls reports whether a request may go out although the phase forbids it, in the place of the probe:
// initialize, to a server that did not take that for what it is (ERA-015), or another probe (VERS-204).
func (c *Core) falls(row *protocol.Row) bool {
	return (isInitialize(row) || row.Wait == protocol.WaitProbe) && c.phase == protocol.Initializing && c.opener() == nil
}
