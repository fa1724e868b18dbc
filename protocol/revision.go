package protocol

// Revision is one revision of the protocol as data: what differs between
// revisions is in its table and flags, and nothing outside this package compares
// revisions by order. Revisions are comparable with ==; the zero Revision is
// none.
type Revision struct{ t *revision }

type revision struct {
	name       string
	age        age
	batches    bool
	nullID     bool
	structured bool
	rows       [methodCount]Row // by number; what it does not define is zero
	customs    customRows
}

// The revisions with a handshake that this version of the library speaks.
var (
	revision20241105 = (&revision{name: "2024-11-05", age: age20241105, nullID: true}).define()
	revision20250326 = (&revision{name: "2025-03-26", age: age20250326, nullID: true, batches: true}).define()
	revision20250618 = (&revision{name: "2025-06-18", age: age20250618, nullID: true, structured: true}).define()
)

// The revisions with a handshake that this version of the library speaks.
var (
	Revision20241105 = Revision{revision20241105}
	Revision20250326 = Revision{revision20250326}
	Revision20250618 = Revision{revision20250618}
)

// AssumedRevision is the revision that an HTTP server assumes for a request that
// names none (transports, Protocol Version Header).
func AssumedRevision() Revision { return Revision20250326 }

// Revisions returns the revisions that this version of the library speaks,
// newest first.
func Revisions() []Revision {
	return []Revision{Revision20250618, Revision20250326, Revision20241105}
}

// ParseRevision returns the revision of the given name. Names are compared for
// equality, not parsed (lifecycle, Version Negotiation).
func ParseRevision(name string) (Revision, bool) {
	for _, r := range [...]Revision{Revision20250618, Revision20250326, Revision20241105} {
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
	for _, r := range Revisions() {
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
