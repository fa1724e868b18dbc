package protocol

import (
	"errors"
	"slices"
)

// Revision is one revision of the protocol as data: what differs between
// revisions is in its table and flags, and nothing outside this package compares
// revisions by order. Revisions are comparable with ==; the zero Revision is
// none.
type Revision struct{ t *revision }

type revision struct {
	name       string
	age        age
	reads      age  // the revision whose members are checked on receipt; others are ignored
	handshake  bool // it opens with initialize; else each request says what it is made under
	batches    bool
	nullID     bool
	structured bool
	http       http
	trims      bool             // some body of a newer revision is not one of this
	rows       [methodCount]Row // by number; what it does not define is zero
	customs    customRows
}

// http is what Streamable HTTP asks of those who speak a revision.
type http struct {
	version  bool // requests name the revision in a header
	polling  bool // streams begin with a priming event and may be hung up
	narrowed bool // fewer statuses are those of an old server
}

// The revisions that this version of the library speaks. The first three are read alike:
// an odd member that came with the last of them is a fault in all, since programs decode
// it in all. The names are those of the specification (VERS-016, VERS-101).
var (
	Revision20241105 = Revision{(&revision{name: "2024-11-05", age: age20241105, reads: age20250618, handshake: true, nullID: true}).define()}
	Revision20250326 = Revision{(&revision{name: "2025-03-26", age: age20250326, reads: age20250618, handshake: true, nullID: true, batches: true}).define()}
	Revision20250618 = Revision{(&revision{name: "2025-06-18", age: age20250618, reads: age20250618, handshake: true, nullID: true, structured: true, http: http{version: true}}).define()}
	Revision20251125 = Revision{(&revision{name: "2025-11-25", age: age20251125, reads: age20251125, handshake: true, structured: true, http: http{version: true, polling: true, narrowed: true}}).define()}
	Revision20260728 = Revision{(&revision{name: "2026-07-28", age: age20260728, reads: age20260728, structured: true, http: http{version: true, narrowed: true}}).define()}
)

// revisions are all of them, newest first: the list that every other one is made from.
var revisions = [...]Revision{
	Revision20260728,
	Revision20251125,
	Revision20250618,
	Revision20250326,
	Revision20241105,
}

// AssumedRevision is the revision that an HTTP server assumes for a request that
// names none (transports, Protocol Version Header).
func AssumedRevision() Revision { return Revision20250326 }

// Revisions returns the revisions that open with a handshake, newest first: those that
// initialize can negotiate (VERS-009, VERS-207).
func Revisions() []Revision { return revisionsThat(Revision.Handshake) }

// StatelessRevisions returns the revisions without a handshake, newest first: those that a
// request names in its _meta (VERS-203).
func StatelessRevisions() []Revision { return revisionsThat(Revision.Stateless) }

// AllRevisions returns all revisions, newest first.
func AllRevisions() []Revision { return revisionsThat(func(Revision) bool { return true }) }

func revisionsThat(is func(Revision) bool) []Revision {
	list := make([]Revision, 0, len(revisions))
	for _, r := range revisions {
		if is(r) {
			list = append(list, r)
		}
	}
	return list
}

// ParseRevision returns the revision of the given name. Names are compared for
// equality, not parsed (lifecycle, Version Negotiation; VERS-010).
func ParseRevision(name string) (Revision, bool) {
	for _, r := range revisions {
		if r.t.name == name {
			return r, true
		}
	}
	return Revision{}, false
}

// MarshalText returns the name of r, "" for the zero Revision. It never fails.
func (r Revision) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name with ParseRevision; "" is the zero Revision. The error is
// ErrRevision.
func (r *Revision) UnmarshalText(name []byte) error {
	got, ok := ParseRevision(string(name))
	if !ok && len(name) > 0 {
		return ErrRevision
	}
	*r = got
	return nil
}

// ErrRevision is the error of Revision.UnmarshalText.
var ErrRevision = errors.New("protocol: the text is not the name of a known revision")

// SortRevisions returns the given revisions newest first and without repeats or
// zero ones.
func SortRevisions(list []Revision) []Revision {
	var out []Revision
	for _, r := range revisions {
		if slices.Contains(list, r) {
			out = append(out, r)
		}
	}
	return out
}

// Negotiate returns the revision to answer an offer with: the offered one if it is
// supported, otherwise the newest supported (lifecycle, Version Negotiation).
// supported is sorted newest first and not empty (VERS-003, VERS-004, VERS-005, VERS-010).
func Negotiate(offered string, supported []Revision) (r Revision, exact bool) {
	for _, r := range supported {
		if r.t.name == offered {
			return r, true
		}
	}
	return supported[0], false
}

// IsZero reports whether r is the zero Revision.
func (r Revision) IsZero() bool { return r.t == nil }

// String returns the revision as it is written in protocolVersion, "" for the
// zero Revision.
func (r Revision) String() string {
	if r.t == nil {
		return ""
	}
	return r.t.name
}

// Batches reports whether an array of messages is a message in this revision
// (2025-03-26 only).
func (r Revision) Batches() bool { return r.t != nil && r.t.batches }

// Handshake reports whether a session of this revision opens with initialize.
func (r Revision) Handshake() bool { return r.t != nil && r.t.handshake }

// Stateless reports whether there is no session in this revision: each request says in its _meta
// what it is made under (2026-07-28 on; REQM-001).
func (r Revision) Stateless() bool { return r.t != nil && !r.t.handshake }

// Structured reports whether tools have an outputSchema and structured results
// (2025-06-18 on).
func (r Revision) Structured() bool { return r.t != nil && r.t.structured }

// NullErrorID reports whether an error for a message whose id could not be read
// has "id":null; later revisions leave the member out (JRPC-101).
func (r Revision) NullErrorID() bool { return r.t != nil && r.t.nullID }

// VersionHeader reports whether each HTTP request of a client names the revision in
// MCP-Protocol-Version once initialize has been answered (2025-06-18 on; HTTP-050).
func (r Revision) VersionHeader() bool { return r.t != nil && r.t.http.version }

// Polling reports whether an SSE stream begins with an event that has an id and empty
// data, and may be closed by the server before the answer is on it, for the client to
// come back with Last-Event-ID (2025-11-25 on; HTTP-103, HTTP-104). A client of an
// earlier revision may take the empty data for a broken message.
func (r Revision) Polling() bool { return r.t != nil && r.t.http.polling }

// Fallback reports whether a server that answers the POST of initialize with this
// HTTP status may be one of HTTP+SSE, the transport of 2024-11-05, so that a client
// that offered r tries that: 400, 404 and 405 from 2025-11-25 on (HTTP-110), any 4xx
// before (HTTP-055). The statuses that ask for authorization, 401 and 403, come from
// a server of either kind and are not among them.
func (r Revision) Fallback(status int) bool {
	switch status {
	case 400, 404, 405:
		return true
	case 401, 403:
		return false
	}
	return r.t != nil && !r.t.http.narrowed && status >= 400 && status < 500
}
