package protocol

// age numbers the revisions from the oldest on. Zero stands for
// all of them: what is read without a revision may have the members of any.
type age uint8

// The ages. Nothing but ages.in compares them.
const (
	age20241105 age = 1 + iota
	age20250326
	age20250618
	age20251125
	age20260728
)

// sent is the age of what is about to go out: it may have all that any revision has, and an
// odd item, which is left out of what comes, is a fault in it.
const sent age = 1 << 7

// ages are the revisions from since on and before until; zero stands for no bound. The generated
// code has those that the tags since and until of a field name.
type ages struct{ since, until age }

// in reports whether a is among the revisions.
func (a age) in(r ages) bool {
	return a&^sent == 0 || r.since <= a && (r.until == 0 || a < r.until)
}

// mode is how a value is read.
type mode struct {
	age   age   // a member that its revision does not have is ignored like an unknown one
	place place // where the value stands
	skim  bool  // lists, maps and what is pointed to are checked and not built
}

// place is where a block of content stands.
type place uint8

const (
	anywhere place = iota
	ordinary       // in a result of a tool or a prompt
	sampling       // in a message to or from a model
)

// at is the mode for a value that stands in p.
func (how mode) at(p place) mode {
	how.place = p
	return how
}
