package model

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Rules returns the Rules of the rows that hold for every step of every session, by row,
// for one session. Watch itself checks SEC-011, that sessions do not affect each
// other.
func Rules() map[string]Rule {
	return map[string]Rule{
		"JRPC-001":  eachText(grammar),
		"JRPC-009":  eachText(oneOutcome),
		"JRPC-021":  eachText(noIDOnNotes),
		"JRPC-026":  eachText(paramsObject),
		"JRPC-030":  eachText(oneObject),
		"JRPC-102":  errorIDs(),
		"JRPC-104":  eachText(answers),
		"CANC-101":  eachText(cancelledID),
		"HTTP-005":  eachText(oneObject),
		"HTTP-008":  eachText(oneObject),
		"ERR-002":   parseErrorsRule,
		"STDIO-008": validRule(),
		"STDIO-009": validRule(),
		"PROG-014":  noLateProgress(),
		"PROG-019":  tokenTables(),
		"TIME-001":  everyTimeout(),
		"TIME-013":  sweeps(),
		"HTTP-014":  oneEnd(),
		"HTTP-027":  noHint,
		"HTTP-028":  namedAnswers(),
		"HTTP-032":  onePlace(),
		"SEC-012":   bounded,
	}
}

// errorIDs checks that an error has the id of a received request, except for unreadable
// input, if the policy answers that.
func errorIDs() Rule {
	asked := map[jsonrpc.ID]bool{}
	return func(t *Taken) error {
		unreadable := false
		if t.Step.Op == verbs.OpReceive {
			in := jsonrpc.DecodeString(t.Step.Text)
			asked[in.ID] = true
			for _, m := range in.Batch() {
				asked[m.ID] = true
				unreadable = unreadable || m.ID.IsZero()
			}
			unreadable = (unreadable || in.ID.IsZero()) && t.Set.Policy.AnswerUnreadable
		}
		for _, o := range t.Out.Send {
			switch id := o.Message.ID; {
			case o.Message.Kind != jsonrpc.KindError:
			case nobody(&o.Message):
				r := t.Before.Revision()
				if r.IsZero() {
					r = t.Set.Revisions[0]
				}
				if !unreadable || id.IsZero() != (r.String() >= "2025-11-25") {
					return fmt.Errorf("an error without the right id: %s", jsonrpc.Append(nil, o.Message))
				}
			case !asked[id]:
				return fmt.Errorf("an error for nobody: %s", jsonrpc.Append(nil, o.Message))
			}
		}
		return nil
	}
}

func parseErrorsRule(t *Taken) error {
	v := t.Step.taken()
	for _, o := range t.Out.Send {
		if err := parseErrors(&v, &o.Message); err != nil {
			return err
		}
	}
	return nil
}

// validRule checks that outgoing messages satisfy the schema of the negotiated revision.
func validRule() Rule {
	methods, alone := map[lifecycle.Call]string{}, map[lifecycle.Call]bool{}
	return func(t *Taken) error {
		for _, ev := range t.Out.Events {
			if ev.Kind == lifecycle.RequestReceived {
				methods[ev.Call], alone[ev.Call] = ev.Method, ev.Revision.Stateless()
			}
		}
		for _, o := range t.Out.Send {
			method := ""
			if o.Final {
				method = methods[o.Call]
			}
			if err := valid(&o.Message, t.Before, t.After, method, alone[o.Call]); err != nil {
				return fmt.Errorf("%w: %s", err, jsonrpc.Append(nil, o.Message))
			}
		}
		return nil
	}
}

// noLateProgress checks that no progress of a call follows its response.
func noLateProgress() Rule {
	answered := map[lifecycle.Call]bool{}
	return func(t *Taken) error {
		for _, o := range t.Out.Send {
			if o.Message.Method == "notifications/progress" && answered[o.Call] {
				return errors.New("progress after the response")
			}
			answered[o.Call] = answered[o.Call] || o.Final
		}
		return nil
	}
}

// tokenTables checks that the known progress tokens are those of the open
// requests.
func tokenTables() Rule {
	theirs, ours := map[lifecycle.Call]token{}, map[lifecycle.Req]token{}
	return func(t *Taken) error {
		for _, ev := range t.Out.Events {
			if ev.Kind == lifecycle.RequestReceived {
				theirs[ev.Call] = metaToken(string(ev.Body))
			}
			if ev.Kind == lifecycle.ProgressReceived && ours[ev.Req] == "" {
				return fmt.Errorf("progress of %v, which asked for none", ev.Req)
			}
		}
		for _, o := range t.Out.Send {
			if o.Message.Kind == jsonrpc.KindRequest {
				ours[o.Req] = metaToken(string(o.Message.Body))
			}
		}
		for c := range t.After.Inbound() {
			if got := idToken(c.ProgressToken); got != theirs[c.Call] {
				return fmt.Errorf("%v has the token %q, it came with %q", c.Call, got, theirs[c.Call])
			}
		}
		return nil
	}
}

// everyTimeout checks that a request with a timeout has a deadline and
// has ended after it.
func everyTimeout() Rule {
	timed := map[lifecycle.Req]bool{}
	return func(t *Taken) error {
		defaults, err := t.Set.Timeouts.Filled()
		if err != nil {
			return err
		}
		if s := t.Step; s.Op == verbs.OpRequest && t.Err == nil && s.Options.Timeout >= 0 && s.Options.Timeout < 24*time.Hour {
			timed[t.Out.Req] = s.Options.Timeout > 0 || defaults.Request != lifecycle.NoTimeout
		}
		late := t.Step.Op == verbs.OpTick && t.Step.Now.After(Origin.Add(48*time.Hour))
		for r := range t.After.Outbound() {
			if _, due := t.After.NextDeadline(); timed[r.Req] && (!due || late) {
				return fmt.Errorf("%v has no deadline", r.Req)
			}
		}
		return nil
	}
}

// sweeps checks that no deadline is left after Tick, that Tick does nothing before a deadline,
// and that an earlier time counts as none.
func sweeps() Rule {
	var latest time.Time
	return func(t *Taken) error {
		if t.Err == nil && t.Step.Now.After(latest) {
			latest = t.Step.Now
		}
		if t.Step.Op != verbs.OpTick {
			return nil
		}
		if due, ok := t.After.NextDeadline(); ok && !due.After(latest) {
			return fmt.Errorf("%v is still due at %v", due, latest)
		}
		for _, now := range []time.Time{latest, Origin, {}} {
			again := Step{Op: verbs.OpTick, Now: now}
			if _, out, _ := again.Apply(t.After); !out.IsZero() {
				return fmt.Errorf("a Tick at %v after one at %v does something", now, latest)
			}
		}
		return nil
	}
}

// oneEnd checks that every received request has its Call, and that each ends once: by
// a response, a cancellation or a loss.
func oneEnd() Rule {
	ends := map[lifecycle.Call]int{}
	return func(t *Taken) error {
		if t.Step.Op == verbs.OpReceive {
			m := jsonrpc.DecodeString(t.Step.Text)
			inFlight := false
			for c := range t.Before.Inbound() {
				inFlight = inFlight || c.ID == m.ID
			}
			opened := !t.Out.Opened.IsZero()
			if m.Kind == jsonrpc.KindRequest && opened == inFlight && t.After.Phase() == lifecycle.Ready {
				return errors.New("a request has no Call")
			}
			if opened {
				ends[t.Out.Opened] += 0
			}
		}
		for _, ev := range t.Out.Events {
			switch ev.Kind {
			case lifecycle.RequestReceived:
				ends[ev.Call] += 0
			case lifecycle.RequestCancelled, lifecycle.RequestLost:
				ends[ev.Call]++
			}
		}
		for _, o := range t.Out.Send {
			if o.Final {
				ends[o.Call]++
			}
		}
		open := map[lifecycle.Call]bool{}
		for c := range t.After.Inbound() {
			open[c.Call] = true
		}
		for call, n := range ends { // any order: the first error is enough
			if n > 1 || n == 0 && !open[call] {
				return fmt.Errorf("%v has ended %d times", call, n)
			}
		}
		return nil
	}
}

// onePlace checks that everything is sent once: no request or notification is repeated
// in a step, a request has an id of its own, and nothing belongs to a call after its end.
func onePlace() Rule {
	requests, over := map[jsonrpc.ID]bool{}, map[lifecycle.Call]bool{}
	return func(t *Taken) error {
		texts := map[string]bool{}
		for _, o := range t.Out.Send {
			text := string(jsonrpc.Append(nil, o.Message))
			if o.Message.Method != "" && texts[text] || over[o.Call] {
				return fmt.Errorf("goes out twice, or after the end of its call: %s", text)
			}
			texts[text] = true // answers are compared by their calls
			if o.Message.Kind == jsonrpc.KindRequest {
				if requests[o.Message.ID] {
					return fmt.Errorf("a second request of that id: %s", text)
				}
				requests[o.Message.ID] = true
			}
			over[o.Call] = o.Final
		}
		for _, ev := range t.Out.Events {
			if ev.Kind == lifecycle.RequestCancelled || ev.Kind == lifecycle.RequestLost {
				over[ev.Call] = true
			}
		}
		return nil
	}
}

// noHint checks that what is made outside of a call names none.
func noHint(t *Taken) error {
	for _, o := range t.Out.Send {
		within := lifecycle.Call{}
		switch t.Step.Op {
		case verbs.OpRequest:
			if o.Message.Kind != jsonrpc.KindRequest {
				continue // it cancels a superseded request, which has its own call
			}
			within = t.Step.Options.Within
		case verbs.OpNotify:
			within = t.Step.Call
		default:
			if o.Message.Kind != jsonrpc.KindRequest {
				continue
			}
		}
		if o.Call != within {
			return fmt.Errorf("made within %v, goes out with %v", within, o.Call)
		}
	}
	return nil
}

// namedAnswers checks that a response names the request that it answers.
func namedAnswers() Rule {
	ids := map[lifecycle.Call]jsonrpc.ID{}
	return func(t *Taken) error {
		for _, ev := range t.Out.Events {
			if ev.Kind == lifecycle.RequestReceived {
				ids[ev.Call] = ev.ID
			}
		}
		for _, o := range t.Out.Send {
			answer := o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError && !nobody(&o.Message)
			id, known := ids[o.Call]
			if answer && (o.Call.IsZero() || !o.Final || known && id != o.Message.ID) {
				return fmt.Errorf("the answer to %v names %v", o.Message.ID, o.Call)
			}
		}
		return nil
	}
}

// bounded checks that the tables stay within the limits.
func bounded(t *Taken) error {
	limits, err := t.Set.Limits.Filled()
	if err != nil {
		return err
	}
	if s := t.After.Status(); s.Inbound > limits.Inbound || s.Outbound > limits.Outbound {
		return fmt.Errorf("%d requests of the peer and %d of ours are open", s.Inbound, s.Outbound)
	}
	return nil
}
