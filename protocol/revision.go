package protocol

import "github.com/sansmcp/mcp/jsonrpc"

// Revision is one revision of the protocol as data: what differs between
// revisions is in its table and flags, and nothing outside this package compares
// revisions by order. Revisions are comparable with ==; the zero Revision is
// none.
type Revision struct{ t *revision }

type revision struct {
	name       string
	age        age
	reads      age  // the revision whose members are checked on receipt; others are ignored
	handshake  bool // it opens with initialize
	batches    bool
	nullID     bool
	structured bool
	caps       Capability
	trims      bool // some body of a newer revision is not one of this
	rows       [methodCount]Row
}

// newRevision completes a revision by what follows from the rest of it.
func newRevision(r revision) revision {
	for i := range r.rows {
		r.rows[i].age = r.reads
	}
	r.trims = r.age.trims()
	return r
}

// The revisions that this version of the library speaks.
var (
	Revision20241105 = Revision{&revision20241105}
	Revision20250326 = Revision{&revision20250326}
	Revision20250618 = Revision{&revision20250618}
	Revision20251125 = Revision{&revision20251125}
)

// AssumedRevision is the revision that an HTTP server assumes for a request that
// names none (transports, Protocol Version Header).
func AssumedRevision() Revision { return Revision20250326 }

// known returns all revisions, newest first: the list that every other one is made from.
func known() [4]Revision {
	return [...]Revision{Revision20251125, Revision20250618, Revision20250326, Revision20241105}
}

// Revisions returns the revisions that open with a handshake, newest first: those that
// initialize can negotiate.
func Revisions() []Revision {
	list := make([]Revision, 0, len(known()))
	for _, r := range known() {
		if r.t.handshake {
			list = append(list, r)
		}
	}
	return list
}

// ParseRevision returns the revision of the given name. Names are compared for
// equality, not parsed (lifecycle, Version Negotiation).
func ParseRevision(name string) (Revision, bool) {
	for _, r := range known() {
		if r.t.name == name {
			return r, true
		}
	}
	return Revision{}, false
}

// SortRevisions returns the given revisions newest first and without repeats or
// zero ones.
func SortRevisions(list []Revision) []Revision {
	var out []Revision
	for _, r := range known() {
		for _, have := range list {
			if have == r {
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// Negotiate returns the revision to answer an offer with: the offered one if it is
// supported, otherwise the newest supported (lifecycle, Version Negotiation).
// supported is sorted newest first and not empty.
func Negotiate(offered string, supported []Revision) (r Revision, exact bool) {
	for _, r := range supported {
		if r.t.name == offered {
			return r, true
		}
	}
	return supported[0], false
}

// IsZero reports whether r is no revision.
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

// Structured reports whether tools have an outputSchema and structured results
// (2025-06-18 on).
func (r Revision) Structured() bool { return r.t != nil && r.t.structured }

// NullErrorID reports whether an error for a message whose id could not be read
// has "id":null; later revisions leave the member out.
func (r Revision) NullErrorID() bool { return r.t != nil && r.t.nullID }

// Row returns what the revision says of the method, nil if it does not define it.
func (r Revision) Row(m Method) *Row {
	if r.t == nil || m == MethodUnknown || m >= methodCount {
		return nil
	}
	row := &r.t.rows[m]
	if row.Method == MethodUnknown {
		return nil
	}
	return row
}

// Row is one row of the method table of a revision (spec pages of each method;
// the table in docs/methods.md is printed from these rows).
type Row struct {
	Method       Method     // MethodUnknown for the rows of custom methods
	Notification bool       // else it is a request
	Receiver     Party      // who takes the message
	Gate         Capability // what the answering party (request) or the sender (notification) declares for it
	Send         Phases     // where the sender may send it
	Serve        Phases     // where the receiver serves it
	Cancellable  bool       // whether notifications/cancelled may name it
	Paginated    bool       // whether it takes a cursor

	age    age // of the revision whose members are checked
	params paramsCheck
	result resultCheck
	info   resultInfo // nil: nothing but the check is of interest
}

// ParamsInfo is what a dispatcher needs to know of params, found in the pass that checks
// them. It is part of the params: copy what is kept.
type ParamsInfo struct {
	Meta    Meta   // their _meta
	Subject string // the name, uri or level that they are about, if any
}

// Name returns the name of the method.
func (r *Row) Name() string { return r.Method.String() }

// CheckParams checks params of the method, "" where the message has none. It
// returns nil or a *DecodeError.
func (r *Row) CheckParams(raw Raw, span jsonrpc.Span) error {
	_, err := r.params(raw, span, r.age)
	return err
}

// ReadParams is CheckParams that returns the info of the params.
func (r *Row) ReadParams(raw Raw, span jsonrpc.Span) (ParamsInfo, error) {
	return r.params(raw, span, r.age)
}

// CheckResult checks a result of the method. It returns nil or a *DecodeError.
func (r *Row) CheckResult(raw Raw, span jsonrpc.Span) error { return r.result(raw, span, r.age) }

// ReadResult is CheckResult that returns the info of the result.
func (r *Row) ReadResult(raw Raw, span jsonrpc.Span) (ResultInfo, error) {
	if r.info == nil {
		return ResultInfo{}, r.result(raw, span, r.age)
	}
	return r.info(raw, span, r.age)
}

// Sender returns who sends the message.
func (r *Row) Sender() Party {
	if r.Receiver == BothParties {
		return BothParties
	}
	return r.Receiver.Peer()
}
