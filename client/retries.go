package client

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The limits of Retries.
const (
	// defaultMaxIDs is the number that a MaxIDs of zero means.
	defaultMaxIDs = 1000
	maxIDText     = 4 << 10 // bytes of an id, as many as the default Limits.Text
)

// Retries remember the requests that the server answered with
// protocol.CodeURLElicitationRequired, and report when each can be repeated: after the
// server has reported every page that the error names as completed (elicitation, URL Mode
// With Elicitation Required Error). They hold only the handle and the ids of the pages; the
// application keeps the request itself and knows whether the user agreed to visit the
// pages. Retries are a value, as a State is. A Snapshot does not contain them.
//
// A server need not report that a page is completed. The application may repeat a request
// at any time, or give it up, and then calls Drop.
//
// The zero Retries are empty and ready for use.
type Retries struct {
	// MaxIDs bounds the number of ids that all remembered requests await together. Zero or
	// less means 1000. A request is not remembered if its error names more pages than
	// MaxIDs leaves room for, or an id longer than 4096 bytes.
	MaxIDs int

	waiting []retry // oldest first; never changed, only replaced
	ids     int     // in all of them
}

// retry is a request and the ids of the pages not yet completed.
type retry struct {
	req Req
	ids []string
}

// Take handles an event and returns the requests that can now be repeated, in the order
// in which they were refused. Pass every event of the State to it. The end of the session
// removes all requests.
func (r Retries) Take(ev Event) (next Retries, ready []Req) {
	switch {
	case ev.Kind == lifecycle.PhaseChanged && !ev.To.Live():
		return Retries{MaxIDs: r.MaxIDs}, nil
	case ev.Kind == lifecycle.ResponseReceived && ev.Err != nil:
		return r.refused(ev), nil
	case ev.Kind == lifecycle.NotificationReceived && ev.Method == protocol.MethodElicitationComplete:
		return r.done(ev)
	}
	return r, nil
}

// refused remembers a request if its error requires pages to be visited (ELIC-115).
func (r Retries) refused(ev Event) Retries {
	if ev.Err.Code != protocol.CodeURLElicitationRequired || !ev.Revision.Capabilities().Has(protocol.CapElicitationURL) {
		return r
	}
	list, err := protocol.URLElicitations(*ev.Err)
	if err != nil || len(list) == 0 || len(list) > limit(r.MaxIDs, defaultMaxIDs)-r.ids {
		return r // nothing to wait for, or too much
	}
	one := retry{req: ev.Req}
	seen := make(map[string]bool, len(list)) // the peer chooses the number, and may repeat an id
	for _, p := range list {
		if len(p.ElicitationID) > maxIDText {
			return r
		}
		if !seen[p.ElicitationID] {
			seen[p.ElicitationID] = true
			one.ids = append(one.ids, strings.Clone(p.ElicitationID)) // do not keep the message in memory
		}
	}
	r.waiting = append(slices.Clip(r.waiting), one)
	r.ids += len(one.ids)
	return r
}

// done removes an id from all requests that wait for it.
func (r Retries) done(ev Event) (next Retries, ready []Req) {
	p, err := protocol.Decode[protocol.ElicitationCompleteParams](ev.Body)
	if err != nil {
		return r, nil
	}
	next = Retries{MaxIDs: r.MaxIDs}
	for _, one := range r.waiting {
		if i := slices.Index(one.ids, p.ElicitationID); i >= 0 {
			one.ids = slices.Concat(one.ids[:i], one.ids[i+1:])
		}
		if len(one.ids) == 0 {
			ready = append(ready, one.req)
			continue
		}
		next.waiting = append(next.waiting, one)
		next.ids += len(one.ids)
	}
	return next, ready
}

// Waiting returns the ids that a request still awaits; nil if none.
func (r Retries) Waiting(req Req) []string {
	for _, one := range r.waiting {
		if one.req == req {
			return slices.Clone(one.ids)
		}
	}
	return nil
}

// Drop removes a request that the application repeats early or gives up (ELIC-116).
func (r Retries) Drop(req Req) Retries {
	next := Retries{MaxIDs: r.MaxIDs}
	for _, one := range r.waiting {
		if one.req != req {
			next.waiting = append(next.waiting, one)
			next.ids += len(one.ids)
		}
	}
	return next
}
