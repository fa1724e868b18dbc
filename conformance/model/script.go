package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	machine "github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Script returns the run as a file of package transcript, without what should come of its
// steps: -update writes that. The config of the Setup stands in a comment, for the options of
// a transcript say less; steps that misuse a verb with what a transcript cannot name are
// comments, too.
func (r *Run) Script() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %+v\n# role: %v\n\n", r.set, r.set.Party)
	now := Origin
	for _, k := range r.past {
		s := k.step
		if d := s.Now.Sub(now); d > 0 {
			fmt.Fprintf(&b, "@ +%v\n", d)
			now = s.Now
		}
		b.WriteString(s.script(k.m) + "\n")
	}
	return b.String()
}

// script returns the step as lines of a transcript.
func (s *Step) script(m machine.Machine) string {
	id := "none"
	for c := range m.Inbound() {
		if c.Call.Seq() == s.Call.Seq() {
			id = string(c.ID.Append(nil))
		}
	}
	req := "none"
	if !s.Req.IsZero() {
		req = number(s.Req.Seq())
	}
	switch {
	case s.Op == OpReceive && (s.Text != strings.TrimSpace(s.Text) || s.Text == "" || strings.ContainsFunc(s.Text, odd)):
		return "> quoted " + strconv.Quote(s.Text)
	case s.Op == OpReceive:
		return "> " + s.Text
	case s.Op == OpTick:
		return "# tick"
	case (s.Op == OpRespond || s.Op == OpFinish) && s.Failure == nil && s.Result != nil && s.Result() != protocol.Result((*protocol.CallToolResult)(nil)):
		return fmt.Sprintf("app %s %s %s", s.Op, id, s.Result().AppendJSON(nil))
	case s.Op == OpFail && s.Failure != nil:
		return fmt.Sprintf("app fail %s %s", id, s.Failure.AppendJSON(nil))
	case s.Op == OpProgress:
		return fmt.Sprintf("app progress %s %s", id, s.Progress().AppendJSON(nil))
	case s.Op == OpNotify && s.Params != nil:
		line := strings.TrimSuffix(fmt.Sprintf("app notify %s %s", s.Params().Method(), s.Params().AppendJSON(nil)), " ")
		if id != "none" {
			line += " within=" + id
		}
		return line
	case s.Op == OpRequest && s.Params != nil:
		return s.asked(m)
	case s.Op == OpCancel:
		return strings.TrimSuffix("app cancel "+req+" "+s.Reason, " ")
	case s.Op == OpSendFailed:
		return "app sendfailed " + req
	case s.Op == OpAbandon:
		return "app abandon " + id
	case s.Op == OpShutdown:
		return fmt.Sprintf("app shutdown %v", s.Grace)
	case s.Op == OpInputClosed:
		return "app inputclosed"
	case s.Op == OpDisconnected || s.Op == OpAbort || s.Op == OpReset || s.Op == OpInitialize:
		return "app " + s.Op.String()
	}
	return "# " + s.String()
}

// asked returns a request as a line of a transcript.
func (s *Step) asked(m machine.Machine) string {
	line := strings.TrimSuffix(fmt.Sprintf("app request %s %s", s.Params().Method(), s.Params().AppendJSON(nil)), " ")
	for c := range m.Inbound() {
		if c.Call.Seq() == s.Options.Within.Seq() {
			line += " within=" + string(c.ID.Append(nil))
		}
	}
	for _, o := range []struct {
		name string
		on   bool
	}{
		{"timeout=" + duration(s.Options.Timeout), s.Options.Timeout != 0}, {"maximum=" + duration(s.Options.Maximum), s.Options.Maximum != 0},
		{"progress", s.Options.Progress}, {"reset", s.Options.ResetOnProgress}, {"replace", s.Options.ReplaceToken},
	} {
		if o.on {
			line += " " + o.name
		}
	}
	return line
}

func duration(d time.Duration) string {
	if d == lifecycle.NoTimeout {
		return "none"
	}
	return d.String()
}

// odd reports whether a line of text cannot hold the character.
func odd(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
