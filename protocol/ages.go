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
	ageEnd // beyond them
)

// sent is the age of what is about to go out: it may have all that any revision has, and an
// odd item, which is left out of what comes, is a fault in it.
const sent age = 1 << 7

// session is the age of what comes from a server in a session: it may have the members of any
// revision, for that is how a program reads it, and each is as sessions have it.
const session age = 1 << 6

// ages are the revisions from since on and before until; zero stands for no bound. The generated
// code has those that the tags since and until of a field name.
type ages struct{ since, until age }

// in reports whether a is among the revisions.
func (a age) in(r ages) bool {
	return a.every() || r.since <= a && (r.until == 0 || a < r.until)
}

// every reports whether a stands for all revisions.
func (a age) every() bool { return a&^(sent|session) == 0 }

// takes reports whether a takes anything where the revisions before since take one kind.
func (a age) takes(since age) bool { return a&session == 0 && a.in(ages{since, 0}) }

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
