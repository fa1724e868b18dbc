package manager

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// resumeWindow is how many requests of a restoration are on their way at a time.
const resumeWindow = 16

// resumeNext sends what is to be restored, as far as the window goes: the log level, then the
// subscriptions in the order in which they were first made (rows B17, E14). When nothing is
// left the server is ready.
func (m *Manager) resumeNext(c *conn, o *Effects) {
	for c.condition == Restoring && c.resume.open < resumeWindow {
		var p protocol.Params
		var j purpose
		if c.resume.level {
			c.resume.level = false
			j = purpose{kind: forResume, setting: protocol.SettingLevel, subject: c.level}
			p = protocol.SetLevelParams{Level: protocol.LoggingLevel(c.level)}
		} else {
			left, uri, more := first(c.resume.left)
			if !more {
				break
			}
			c.resume.left = left
			j = purpose{kind: forResume, setting: protocol.SettingSubscribe, subject: uri}
			p = protocol.SubscribeParams{URI: uri}
		}
		next, out, err := c.client.Request(m.time(), p, client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
		if err != nil {
			m.resumeFailed(c, j, m.verbError(c, protocol.MethodName(p), err), o)
			continue
		}
		c.client = next
		m.put(c, out.Req, j)
		c.resume.open++
		m.absorb(c, out, o)
	}
	if c.condition == Restoring && c.resume.open == 0 {
		m.becomeReady(c, o)
	}
}

// resumeEnded takes in the end of a request of a restoration.
func (m *Manager) resumeEnded(c *conn, j purpose, ev client.Event, o *Effects) {
	if c.condition != Restoring {
		return // the session is over; what was to be restored still is
	}
	c.resume.open--
	if e := requestError(c.name, &op{method: ev.Method}, ev); e != nil {
		m.resumeFailed(c, j, e, o)
	}
	m.resumeNext(c, o)
}

// resumeFailed gives up what could not be restored.
func (m *Manager) resumeFailed(c *conn, j purpose, e *Error, o *Effects) {
	ev := Event{Kind: RestoreFailed, Link: c.link(), Method: e.Method, Err: e}
	if j.setting == protocol.SettingLevel {
		c.level = ""
	} else {
		ev.URI = j.subject
		c.want = c.want.without(m.env.key, j.subject)
	}
	o.Events = append(o.Events, ev)
}
