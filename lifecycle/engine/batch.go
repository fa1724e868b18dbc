package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Batch returns the messages of an array if the negotiated revision has batches,
// and otherwise reports it as a whole (JRPC-029).
func (c *Core) batch(m *jsonrpc.Message, o *lifecycle.Output) []jsonrpc.Message {
	list := m.Batch()
	switch {
	case !c.Negotiated().IsZero() && c.prof.Revision.Batches():
		if len(list) <= c.env.Limits.Batch {
			return list
		}
		Violation("JRPC-046", m, o)
	default:
		Violation("JRPC-029", m, o)
	}
	c.answerUnreadable(jsonrpc.CodeInvalidRequest, o)
	return nil
}

// Each calls do for each message of an array, as Receive takes it in, and sums up what became of
// them: a batch has one HTTP response, so it has one fate.
func (c *Core) Each(m *jsonrpc.Message, o *lifecycle.Output, do func(jsonrpc.Message)) {
	var opened []lifecycle.Call
	fate := lifecycle.FateRefused
	for _, one := range c.batch(m, o) {
		if !c.Listening() {
			break
		}
		o.Opened = lifecycle.Call{}
		do(one)
		if o.Fate == lifecycle.FateAnswered || o.Fate == lifecycle.FateAccepted && fate == lifecycle.FateRefused {
			fate = o.Fate
		}
		if !o.Opened.IsZero() {
			opened = append(opened, o.Opened)
		}
	}
	// What is still owed decides: the answers that are there go out with it.
	if o.Opened = c.latest(opened); c.Open(o.Opened) {
		fate = lifecycle.FateAccepted
	}
	o.Fate = fate
}
