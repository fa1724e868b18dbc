package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Fates adds up what became of the messages of one Receive.
type Fates struct{ accepted, answered bool }

// Add counts message m, after its step. from is how long o.Send was before it, and
// o.Opened the call that it opened, if any.
func (f *Fates) Add(m *jsonrpc.Message, from int, o *lifecycle.Output) {
	for i := range o.Send[from:] {
		if s := &o.Send[from+i]; s.Direct {
			f.answered = f.answered || !s.Call.IsZero() // else it answers what is no message
			return
		}
	}
	f.accepted = f.accepted || m.Kind != jsonrpc.KindInvalid && (m.Kind != jsonrpc.KindRequest || !o.Opened.IsZero())
}

// Fate returns what became of them together; pending says that the application is to
// answer one.
func (f *Fates) Fate(pending bool) lifecycle.Fate {
	switch {
	case pending:
		return lifecycle.FateAccepted
	case f.answered:
		return lifecycle.FateAnswered
	case f.accepted:
		return lifecycle.FateAccepted
	}
	return lifecycle.FateRefused
}
