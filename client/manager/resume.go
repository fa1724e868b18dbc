package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// resumeWindow is how many requests of a restoration are on their way at a time.
const resumeWindow = 16

// resumeNext sends what is to be restored, as far as the window goes: the log level, then the
// subscriptions in the order in which they were first made. When nothing is
// left the server is ready.
func (m *Manager) resumeNext(c *conn, o *step) {
	for c.condition == Restoring && c.resume.open < resumeWindow {
		var p protocol.Params
		var j purpose
		if c.resume.level {
			c.edit().resume.level = false
			j = purpose{kind: forResume, setting: protocol.SettingLevel, subject: c.level}
			p = protocol.SetLevelParams{Level: protocol.LoggingLevel(c.level)}
		} else {
			left, uri, more := first(c.resume.left)
			if !more {
				break
			}
			c.edit().resume.left = left
			j = purpose{kind: forResume, setting: protocol.SettingSubscribe, subject: uri}
			p = protocol.SubscribeParams{URI: uri}
		}
		next, out, err := c.client.Request(m.clock.Time(), p, client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
		if err != nil {
			m.resumeFailed(c, j, m.verbError(c, protocol.MethodName(p), err), o)
			continue
		}
		m.put(c, out.Req, j)
		c.edit().resume.open++
		m.absorb(c, next, out, o)
	}
	if c.condition == Restoring && c.resume.open == 0 {
		m.becomeReady(c, o)
	}
}

// resumeEnded handles the end of a request that restores.
func (m *Manager) resumeEnded(c *conn, j purpose, ev *client.Event, o *step) {
	if c.condition != Restoring {
		return // the session is over; what was to be restored still is
	}
	c.edit().resume.open--
	if e := requestError(c.name, ev.Method, "", ev); e != nil {
		m.resumeFailed(c, j, e, o)
	}
	m.resumeNext(c, o)
}

// resumeFailed gives up what could not be restored.
func (m *Manager) resumeFailed(c *conn, j purpose, e *Error, o *step) {
	ev := Event{Kind: RestoreFailed, Link: c.link(), Method: e.Method, Err: e}
	if j.setting == protocol.SettingLevel {
		c.edit().level = ""
	} else {
		ev.URI = j.subject
		c.edit().want = c.want.without(m.hash(j.subject), j.subject)
	}
	o.Events = append(o.Events, ev)
}

// handshakeDone begins to restore what the last session had, or moves c to Ready.
func (m *Manager) handshakeDone(c *conn, o *step) {
	if c.stateless() || !c.set.opt.Resubscribe || c.want.order.Len() == 0 && c.level == "" {
		m.becomeReady(c, o)
		return
	}
	m.move(c, Restoring, nil, o)
	c.until = m.clock.After(c.set.Connect)
	c.edit().resume = resume{level: c.level != "", left: c.want.order}
	m.resumeNext(c, o)
}

// Forget removes a subscription that a reconnect of a server would restore. It sends nothing: to a Ready server
// send a request. Errors: ErrUnknownServer.
func (m Manager) Forget(now time.Time, name, uri string) (Manager, Effects, error) {
	c := m.named(name)
	if c == nil {
		return m, Effects{}, unknown(name, "")
	}
	m.take(now)
	hash := m.hash(uri)
	if n := c.want.by.Get(hash, uri); n != nil {
		r := c.edit()
		r.resume.left, _ = c.resume.left.Delete(*n)
		r.want = c.want.without(hash, uri)
		m.store(c)
	}
	return m, Effects{}, nil
}
