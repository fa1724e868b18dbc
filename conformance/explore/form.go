package explore

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"time"
)

// A Form writes values as texts that are equal exactly if the values continue in the same way. Every
// field that can be reached from a value is written unchanged, unless a Rule names it:
// a forgotten field can make a search longer, but cannot hide a state.
type Form struct {
	Limit [2]int64 // later instants of a side are equal; for a State as its clock counts, or MaxInt64
	Apart [2]bool  // the numbers of a side are no longer related to those of the other

	rules   map[string]*Rule
	used    map[string]bool // rules that applied to some field or type
	lines   map[string]string
	known   map[encodes]encode
	ptrs    map[uintptr]uint64
	types   map[reflect.Type]uint64
	explain func(at string, text []byte) // called for each field; usually nil
	buf     []byte
	other   []byte // for Same
	ids     []place
	now     time.Time
	origin  time.Time
	zero    time.Time // the origin of instants
	scope   uint64
	side    uint8
}

// A Rule says how a type or a field of a struct is written.
type Rule struct {
	At   string                          // its subject: package.Type or package.Type.field, without type arguments
	As   As                              // how it is written
	If   string                          // only if this other field of the struct is not zero
	Live func(parent reflect.Value) bool // only if it reports true for the struct
	Key  As                              // how the keys of a table are written; with Scope not at all
	By   string                          // with Scope: the field with the number of the scope
	Most time.Duration                   // with Since: longer ago is all the same
	Call func(f *Form, v reflect.Value)  // with Custom
	Why  string                          // the reason; required for Skip and Present
}

// As is a way to write a value.
type As uint8

// The ways. Those from Own on are for ascending numbers whose only meaning is their
// order: they are written by rank among all of their kind, side and scope.
const (
	Plain   As = iota // unchanged
	Skip              // not at all
	Present           // whether it is nil or empty
	Shared            // a pointer that stands for its target, by order of appearance
	Until             // an instant, as the time left until then
	Since             // an instant, as the time left until then or since then
	Client            // a State of a client, whose own numbers are those of side 0
	Server            // a State of a server, whose own numbers are those of side 1
	Scope             // its numbers are unrelated to others; By names the field with its number
	Origin            // a pointer to the origin of the instants in it, in its field By; or a struct with a clock.Clock in By
	Custom            // by Call
	Own               // a wire id or the number of a request of this side
	Peer              // one of the other side
	Ours              // progress of a request of this side
	Theirs            // progress of a request of the other side
	Call              // the number of a Call
	Epoch             // the number of a link, in any scope
	Op                // the number of an operation, in any scope
	Order             // a number that only orders, in any scope
)

type encode func(f *Form, v reflect.Value)

type encodes struct {
	t reflect.Type
	r *Rule
}

// place identifies the set in which a number is ranked.
type place struct {
	space, n uint64
	at       int
}

// NewForm returns a Form with the rules. Numeric instants count from zero.
func NewForm(zero time.Time, rules ...[]Rule) *Form {
	f := &Form{
		rules: map[string]*Rule{}, used: map[string]bool{}, lines: map[string]string{}, known: map[encodes]encode{},
		ptrs: map[uintptr]uint64{}, types: map[reflect.Type]uint64{}, origin: zero,
		Limit: [2]int64{math.MaxInt64, math.MaxInt64},
	}
	for _, r := range slices.Concat(rules...) {
		if f.rules[r.At] != nil || (r.As == Skip || r.As == Present) && r.Why == "" {
			panic("explore: a second rule, or one without a reason, for " + r.At)
		}
		f.rules[r.At] = &r
	}
	return f
}

// Append appends the values that pointers point to, at now. The text is valid until the next call.
func (f *Form) Append(now time.Time, pointers ...any) []byte {
	f.buf, f.ids, f.now = f.buf[:0], f.ids[:0], now
	for _, p := range pointers {
		f.zero, f.scope, f.side = f.origin, 0, 0
		v := reflect.ValueOf(p).Elem()
		f.encoder(v.Type(), nil)(f, v)
	}
	slices.SortFunc(f.ids, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.space, b.space), cmp.Compare(a.n, b.n))
	})
	rank := byte(0)
	for i, p := range f.ids {
		switch {
		case i == 0 || p.space != f.ids[i-1].space:
			rank = 1
		case p.n != f.ids[i-1].n:
			rank++
		}
		f.buf[p.at] = rank
	}
	return f.buf
}

// Same reports whether the targets of two pointers continue in the same way, each from a time on.
func (f *Form) Same(from time.Time, a any, then time.Time, b any) bool {
	f.other = append(f.other[:0], f.Append(from, a)...)
	return string(f.other) == string(f.Append(then, b))
}

// Difference names the innermost field in which the targets of two pointers differ, "" without one.
func (f *Form) Difference(now time.Time, a, b any) string {
	type field struct{ at, text string }
	var list []field
	f.explain = func(at string, text []byte) { list = append(list, field{at, string(text)}) }
	f.Append(now, a)
	first := list
	list = nil
	f.Append(now, b)
	f.explain = nil
	for i := range first {
		if i >= len(list) || first[i] != list[i] {
			return first[i].at
		}
	}
	return ""
}

// Fields returns what is written and how, one line for each field, and the unused rules.
func (f *Form) Fields() (lines, unused []string) {
	for at, how := range f.lines { // sorted below
		lines = append(lines, at+" "+how)
	}
	for at := range f.rules {
		if !f.used[at] {
			unused = append(unused, at)
		}
	}
	slices.Sort(lines)
	slices.Sort(unused)
	return lines, unused
}

// String describes a rule.
func (r *Rule) String() string {
	s := [...]string{"plain", "skip", "present", "shared", "until", "since", "client", "server", "scope", "origin", "custom", "own", "peer", "ours", "theirs", "call", "epoch", "op", "order"}[r.As]
	if r.Key != Plain {
		s += " by " + (&Rule{As: r.Key}).String()
	}
	if r.If != "" {
		s += " if " + r.If
	}
	if r.Why != "" {
		s += ": " + r.Why
	}
	return s
}
