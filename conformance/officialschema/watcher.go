package officialschema

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// View is what a Watcher reads of a State.
type View interface {
	// Revision returns the negotiated revision.
	Revision() protocol.Revision
	// Calls returns the open inbound requests.
	Inbound() iter.Seq[lifecycle.CallInfo]
}

// Watcher checks every line that one State emits.
type Watcher struct {
	// AnswersUnreadable says that Policy.AnswerUnreadable is on: only then an
	// error may have the id null, which JSON-RPC requires and no schema allows, or none before
	// the handshake.
	AnswersUnreadable bool
	// Stateless is the revision of all lines if there is no session; otherwise zero.
	Stateless protocol.Revision

	tally   *Tally
	party   lifecycle.Party
	methods map[lifecycle.Call]string // of the requests of the peer
}

// Watch returns the Watcher of a new State of the party.
func (t *Tally) Watch(party lifecycle.Party) *Watcher {
	return &Watcher{tally: t, party: party, methods: map[lifecycle.Call]string{}}
}

// Step checks the effects of a step. v is the State after it; in is the received message, or the
// zero Message.
func (w *Watcher) Step(v View, in jsonrpc.Message, out lifecycle.Output) error {
	for _, o := range out.Send {
		text := string(jsonrpc.Append(nil, o.Message))
		line, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = w.line(v, in, o, line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	for c := range v.Inbound() {
		w.methods[c.Call] = c.Method
	}
	return nil
}

func (w *Watcher) line(v View, in jsonrpc.Message, o lifecycle.Outgoing, line any) error {
	m, _ := line.(map[string]any)
	id, ok := m["id"]
	// Before the negotiation the newest configured revision decides whether the id
	// is null or absent, and the line must match all revisions.
	if none := ok && id == nil || !ok && w.Stateless.IsZero() && v.Revision().IsZero(); none && w.AnswersUnreadable && m["error"] != nil {
		m["id"] = ""
		w.tally.NullIDs++
	}
	methods := []string{""}
	if o.Message.Kind == jsonrpc.KindResult {
		if methods = w.answered(in, o); len(methods) == 0 {
			return errors.New("a result for nothing")
		}
	}
	for _, r := range w.revisions(v, methods, m) {
		b := w.tally.books[r]
		var names []string
		var err error
		for _, method := range methods {
			if names, err = b.Check(w.party, line, method); err == nil {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("%v: %w", r, err)
		}
		w.tally.count(r, w.party, names, m)
	}
	return nil
}

// answered returns the methods that a result may answer: one, unless a batch
// repeats an id.
func (w *Watcher) answered(in jsonrpc.Message, o lifecycle.Outgoing) (list []string) {
	if method, ok := w.methods[o.Call]; ok {
		return []string{method}
	}
	for _, m := range append(slices.Clip(in.Batch()), in) { // answered in the step of its arrival
		if m.Kind == jsonrpc.KindRequest && m.ID == o.Message.ID {
			list = append(list, m.Method)
		}
	}
	return list
}

// revisions returns the revisions that a line must match: the one that it names, the negotiated
// one, or all of them before the negotiation.
func (w *Watcher) revisions(v View, methods []string, m map[string]any) []protocol.Revision {
	if !w.Stateless.IsZero() {
		return []protocol.Revision{w.Stateless}
	}
	var body any
	switch {
	case m["method"] == "initialize":
		body = m["params"]
	case methods[0] == "initialize":
		body = m["result"]
	}
	if b, ok := body.(map[string]any); ok {
		if r, ok := protocol.ParseRevision(fmt.Sprint(b["protocolVersion"])); ok {
			return []protocol.Revision{r}
		}
	}
	if r := v.Revision(); !r.IsZero() {
		return []protocol.Revision{r}
	}
	return protocol.Revisions()
}
