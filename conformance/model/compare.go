package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Compare returns an error that says where a step of a Machine differs from what
// the Naive expects.
func (x *Expect) Compare(out lifecycle.Output, err error) error {
	if len(x.Errs) > 0 != (err != nil) || err != nil && !slices.ContainsFunc(x.Errs, func(e error) bool { return errors.Is(err, e) }) {
		return fmt.Errorf("the verb returned error %v, want one of %v", err, x.Errs) //nolint:errorlint // nobody unwraps it
	}
	var sent []Sent
	for i, o := range out.Send {
		s, err := sentOf(o)
		if err != nil {
			return err
		}
		if i >= len(x.Send) || x.Send[i].Given == "" {
			s.Given = "" // the texts of our own errors are not promised
		}
		if i < len(x.Send) && x.Send[i].Failed && failedResult(s.Body, x.Send[i].Alone) {
			s.Body, s.Failed, s.Alone = nil, true, x.Send[i].Alone
		}
		sent = append(sent, s)
	}
	if !reflect.DeepEqual(sent, x.Send) {
		return fmt.Errorf("sent %s\nwant %s", list(sent), list(x.Send))
	}
	if err := x.compareEvents(out.Events); err != nil {
		return err
	}
	closing := whyOf(out.Close, x.Close)
	if out.Opened.Seq() != x.Opened || out.Req.Seq() != x.Req || closing != x.Close || out.Fate != x.Fate {
		return fmt.Errorf("opened %d, req %d, close %+v, fate %v; want %d, %d, %+v, %v",
			out.Opened.Seq(), out.Req.Seq(), closing, out.Fate, x.Opened, x.Req, x.Close, x.Fate)
	}
	for _, l := range []struct {
		what string
		got  iter.Seq[lifecycle.Call]
		want []uint64
	}{{"opened", out.OpenedCalls(), x.Calls}, {"ended", out.EndedCalls(), x.Ended}} {
		var got []uint64
		for c := range l.got {
			got = append(got, c.Seq())
		}
		slices.Sort(got) // in the order of the lists
		if want := slices.Sorted(slices.Values(l.want)); !slices.Equal(got, want) {
			return fmt.Errorf("calls %s: %v, want %v", l.what, got, want)
		}
	}
	return nil
}

// compareEvents compares the events, each in full.
func (x *Expect) compareEvents(got []lifecycle.Event) error {
	var events []Happening
	for i, ev := range got {
		var want Happening
		if i < len(x.Events) {
			want = x.Events[i]
		}
		h := happeningOf(ev, want)
		if want.JSON != nil {
			h.JSON, _ = parse(h.Body)
			h.Body = want.Body
		}
		if err := bounds(ev.Body, ev.Span); err != nil {
			return fmt.Errorf("event %+v: %w", h, err)
		}
		events = append(events, h)
	}
	if !reflect.DeepEqual(events, x.Events) {
		return fmt.Errorf("events %s\nwant %s", list(events), list(x.Events))
	}
	return nil
}

// bounds checks that a Span, if present, is that of the largest member of the body.
func bounds(body jsonrpc.Raw, span jsonrpc.Span) error {
	if span == (jsonrpc.Span{}) {
		return nil
	}
	if span.Start >= span.End || int(span.End) > len(body) {
		return fmt.Errorf("span %v of a body of %d bytes", span, len(body))
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		return fmt.Errorf("span %v of what is no object: %w", span, err)
	}
	marked, found := string(body[span.Start:span.End]), false
	for _, text := range members { // independent of each other
		if found = found || string(text) == marked; len(text) > len(marked) {
			return fmt.Errorf("span %v is %.40q, but there is the longer %.40q", span, marked, text)
		}
	}
	if before := strings.TrimRight(string(body[:span.Start]), " \t\r\n"); !found || !strings.HasSuffix(before, ":") {
		return fmt.Errorf("span %v is no value of the body: %.40q", span, marked)
	}
	return nil
}

func list[T any](all []T) string {
	var b strings.Builder
	for _, v := range all {
		fmt.Fprintf(&b, "\n\t%+v", v)
	}
	return b.String()
}

// sentOf reads a message as it is on the wire.
func sentOf(o lifecycle.Outgoing) (Sent, error) {
	text := string(jsonrpc.Append(nil, o.Message))
	m := jsonrpc.DecodeString(text)
	if m.Kind != o.Message.Kind || m.Kind == jsonrpc.KindInvalid && o.Message.ID != jsonrpc.Null {
		return Sent{}, fmt.Errorf("what went out is no %v: %s", o.Message.Kind, text)
	}
	s := Sent{Kind: m.Kind, ID: o.Message.ID, Method: m.Method, Call: o.Call.Seq(), Req: o.Req.Seq(), Final: o.Final, Direct: o.Direct}
	if o.Message.ID != jsonrpc.Null && m.ID != o.Message.ID {
		return s, fmt.Errorf("the id went out as something else: %s", text)
	}
	switch {
	case m.Err != nil:
		s.Code, s.Given = m.Err.Code, failure(m.Err)
		if m.Err.Message == "" || len(m.Err.Message) > 200 {
			return s, fmt.Errorf("no one short sentence: %s", text)
		}
	case m.Body != "":
		var ok bool
		if s.Body, ok = parse(string(m.Body)); !ok {
			return s, fmt.Errorf("the body is no JSON: %s", text)
		}
		if o, ok := s.Body.(map[string]any); ok && len(o) == 0 && m.Kind != jsonrpc.KindResult {
			s.Body = nil // empty params may be omitted
		}
	}
	return s, nil
}

// happeningOf reads an event, with its cause in the form of the wanted one.
func happeningOf(ev lifecycle.Event, want Happening) Happening {
	h := Happening{
		Kind: ev.Kind, Call: ev.Call.Seq(), Req: ev.Req.Seq(), ID: ev.ID, Method: ev.Method, From: ev.From, To: ev.To, Body: string(ev.Body),
		Cause: whyOf(ev.Cause, want.Cause), Answer: failure(ev.Err), Rule: ev.Rule,
	}
	if !ev.Revision.IsZero() {
		h.Revision = ev.Revision.String()
	}
	return h
}

// CompareView returns an error that says where a Machine differs from the
// Naive.
func (n *Naive) CompareView(m verbs.Machine) error {
	got := m.Status()
	due, ok := m.NextDeadline()
	want := n.at(n.deadline())
	cause := whyOf(got.Cause, n.cause)
	peer := capNames(m.PeerCapabilities())
	slices.Sort(peer)
	mine := capNames(m.Capabilities())
	slices.Sort(mine)
	switch {
	case got.Phase != n.phase || got.Phase != m.Phase():
		return fmt.Errorf("phase %v, want %v", got.Phase, n.phase)
	case cause != n.cause:
		return fmt.Errorf("cause %+v, want %+v", cause, n.cause)
	case got.Revision.String() != n.revision || got.Revision != m.Revision():
		return fmt.Errorf("revision %v, want %v", got.Revision, n.revision)
	case ok != !want.IsZero() || ok && !due.Equal(want):
		return fmt.Errorf("next deadline %v %v, want %v", due, ok, want)
	case got.Saturated != (len(n.calls) >= n.set.Limits.Inbound):
		return fmt.Errorf("saturated %v with %d calls", got.Saturated, len(n.calls))
	case got.DroppedLogs != n.dropped:
		return fmt.Errorf("%d log messages dropped, want %d", got.DroppedLogs, n.dropped)
	case !slices.Equal(peer, slices.Sorted(slices.Values(n.peerCaps))):
		return fmt.Errorf("capabilities of the peer %v, want %v", peer, n.peerCaps)
	case !slices.Equal(mine, slices.Sorted(slices.Values(n.caps))):
		return fmt.Errorf("capabilities %v, want %v", mine, n.caps)
	case string(m.Peer().AppendJSON(nil)) != string(n.peer.AppendJSON(nil)):
		return fmt.Errorf("peer %+v, want %+v", m.Peer(), n.peer)
	}
	return errors.Join(n.compareTables(m, got), n.compareSubscriptions(m), n.compareEnds(m))
}

// compareSubscriptions compares the subscriptions that a client remembers now and after
// a Restore.
func (n *Naive) compareSubscriptions(m verbs.Machine) error {
	if n.set.Party != lifecycle.Client {
		return nil
	}
	if got, want := verbs.ClientState(m).Roots(), n.offer.roots(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("roots %v, want %v", got, want)
	}
	want := slices.Sorted(slices.Values(n.subs))
	if got := slices.Sorted(verbs.ClientState(m).Subscriptions()); !slices.Equal(got, want) {
		return fmt.Errorf("subscriptions %q, want %q", got, want)
	}
	var kept struct{ Subscriptions []string }
	if err := json.Unmarshal(m.Snapshot(), &kept); err != nil {
		return err
	}
	if slices.Sort(kept.Subscriptions); !slices.Equal(kept.Subscriptions, want) {
		return fmt.Errorf("subscriptions %q in the snapshot, want %q", kept.Subscriptions, want)
	}
	return nil
}

// compareEnds compares the ids whose end is to be announced, as in a snapshot.
func (n *Naive) compareEnds(m verbs.Machine) error {
	var kept struct{ Announced []string }
	if err := json.Unmarshal(m.Snapshot(), &kept); err != nil {
		return err
	}
	if got, want := slices.Sorted(slices.Values(kept.Announced)), slices.Sorted(slices.Values(n.ends)); !slices.Equal(got, want) {
		return fmt.Errorf("%q are announced, want %q", got, want)
	}
	return nil
}

// at returns the instant, zero for never.
func (n *Naive) at(t int64) time.Time {
	if t == never {
		return time.Time{}
	}
	return n.origin.Add(time.Duration(t))
}

func (n *Naive) compareTables(m verbs.Machine, got lifecycle.Status) error {
	i := 0
	for c := range m.Inbound() {
		if i >= len(n.calls) {
			return fmt.Errorf("%v is open, %d calls wanted", c.Call, len(n.calls))
		}
		w := n.calls[i]
		if c.Call.Seq() != w.seq || c.Call != m.Call(c.Call.Seq(), c.Call.Key()) || c.ID != w.id || c.Method != w.method || idToken(c.ProgressToken) != w.token {
			return fmt.Errorf("open call %+v, want %+v", c, w)
		}
		i++
	}
	if i != len(n.calls) || got.Inbound != i {
		return fmt.Errorf("%d calls listed, %d counted, want %d", i, got.Inbound, len(n.calls))
	}
	i = 0
	for r := range m.Outbound() {
		if i >= len(n.reqs) {
			return fmt.Errorf("%v is open, %d requests wanted", r.Req, len(n.reqs))
		}
		w := n.reqs[i]
		if r.Req.Seq() != w.id || r.Req != m.Req(w.id) || r.ID != ourID(w.wire) || r.Method != w.method || r.Within.Seq() != w.within {
			return fmt.Errorf("open request %+v, want %+v", r, w)
		}
		if !r.Deadline.Equal(n.at(w.deadline)) || !r.Maximum.Equal(n.at(w.hard)) || idToken(r.ProgressToken) != w.token {
			return fmt.Errorf("open request %+v, want deadline %v, maximum %v, token %s", r, n.at(w.deadline), n.at(w.hard), w.token)
		}
		i++
	}
	if i != len(n.reqs) || got.Outbound != i {
		return fmt.Errorf("%d requests listed, %d counted, want %d", i, got.Outbound, len(n.reqs))
	}
	return nil
}

func idToken(id jsonrpc.ID) token {
	v, _ := parse(string(id.Append(nil)))
	return tokenOf(v)
}
