package engine

import (
	"fmt"
	"math"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Reading a snapshot, which may be damaged or forged. A reader names the members that it wants
// and goes on as if they were there; the first fault is kept and everything after it reads as
// zero, so that no caller needs to ask in between. What a value may be is for the caller, and in
// the end for Check.

// Fields are the members of an object of a snapshot. All objects of one snapshot share
// its first fault: from then on nothing more is read, and the methods return zero values.
// The text of a fault never quotes the snapshot.
type Fields struct {
	members []member
	fault   *error
}

// member is the name of a member, and its text as it stands in the snapshot.
type member struct{ name, raw string }

// maxMembers is more members than an object of a snapshot has.
const maxMembers = 64

// maxOverdue is how long ago something may have been due: 146 years.
const maxOverdue = 1 << 62

// ReadFields reads the object that a snapshot is. Text that is not a JSON
// object is a fault, and so is one that has a name twice.
func ReadFields(data []byte) *Fields {
	f := &Fields{fault: new(error)}
	if len(data) > lifecycle.MaxSnapshot {
		f.Fail("longer than MaxSnapshot")
		return f
	}
	f.read(string(data))
	return f
}

// Object reads an object within the snapshot. Its faults are those of the whole.
func (f *Fields) Object(raw string) *Fields {
	g := &Fields{fault: f.fault}
	g.read(raw)
	return g
}

// read takes the members of an object in. Unknown ones are kept too and nobody asks for them.
func (f *Fields) read(raw string) {
	o, ok := rawjson.Members(raw)
	for f.Err() == nil {
		name, val, more := o.Next()
		if !more {
			break
		}
		// Raw looks through the members read so far: few enough that a map would cost more.
		if f.Raw(name) != "" || len(f.members) == maxMembers {
			f.Fail("a member twice, or too many of them")
		}
		f.members = append(f.members, member{name, val})
	}
	if !ok || o.Bad() {
		f.Fail("not an object")
	}
}

// Err returns the first fault, a lifecycle.ErrSnapshot.
func (f *Fields) Err() error { return *f.fault }

// Checked returns why reading has failed: an invariant of what was read that does not hold counts too.
func (f *Fields) Checked(check func() error) error {
	if f.Err() == nil {
		if err := check(); err != nil {
			f.Fail(err.Error())
		}
	}
	return f.Err()
}

// Fail notes a fault, unless there is one already.
func (f *Fields) Fail(why string) {
	if *f.fault == nil {
		*f.fault = fmt.Errorf("%w: %s", lifecycle.ErrSnapshot, why)
	}
}

// Excess notes that the snapshot has more than Limits allow: not damage, perhaps, but
// the doing of a Config that allows less than the one before.
func (f *Fields) excess(what string) {
	if *f.fault == nil {
		*f.fault = fmt.Errorf("%w: %s: %w", lifecycle.ErrSnapshot, what, lifecycle.ErrLimit)
	}
}

// Raw returns the text of a member, "" if it is absent.
func (f *Fields) Raw(name string) string {
	if *f.fault != nil {
		return ""
	}
	for i := range f.members {
		if f.members[i].name == name {
			return f.members[i].raw
		}
	}
	return ""
}

// Text returns a string.
func (f *Fields) Text(name string) string {
	raw := f.Raw(name)
	if raw == "" {
		return ""
	}
	s, ok := rawjson.Unquote(raw)
	if !ok {
		f.Fail(name + " is no string")
	}
	// A Core must not keep the snapshot alive.
	return strings.Clone(s)
}

// Number returns an integer that is not negative.
func (f *Fields) Number(name string) uint64 {
	raw := f.Raw(name)
	var n uint64
	for i := range len(raw) {
		d := uint64(raw[i] - '0')
		// Digits only: no sign, fraction or exponent, which Snapshot never writes.
		if d > 9 || n > (math.MaxUint64-d)/10 {
			f.Fail(name + " is no number")
			return 0
		}
		n = n*10 + d
	}
	return n
}

// Instant returns an instant from now, which is zero; table.Never if it is absent.
func (f *Fields) Instant(name string) int64 {
	raw := f.Raw(name)
	if raw == "" {
		return table.Never
	}
	n, ok := rawjson.Int(raw)
	// Absent stands for never. What is overdue is bounded, so that differences of instants fit.
	if !ok || n == table.Never || n < -maxOverdue {
		f.Fail(name + " is no time")
	}
	return n
}

// Flag returns a boolean. Only true is ever written.
func (f *Fields) Flag(name string) bool {
	raw := f.Raw(name)
	if raw != "" && raw != "true" {
		f.Fail(name + " is no flag")
	}
	return raw == "true"
}

// id returns an id or a token, the zero ID if it is absent.
func (f *Fields) id(name string) jsonrpc.ID {
	raw := f.Raw(name)
	if raw == "" {
		return jsonrpc.ID{}
	}
	id, _, ok := jsonrpc.ParseID(raw)
	if !ok {
		f.Fail(name + " is no id")
	}
	return id.Clone()
}

// last returns the last progress, and whether there was any.
func (f *Fields) last() (float64, bool) {
	raw := f.Raw("progress")
	if raw == "" {
		return 0, false
	}
	v, ok := rawjson.Float(raw)
	if !ok {
		f.Fail("progress is no number")
	}
	return v, ok
}

// gate returns a bucket. What the rate of the Config could not have come to is cut, so
// that a rate that was changed holds from now on.
func (f *Fields) gate(name string, r lifecycle.Rate) bucket {
	if f.Raw(name) == "" {
		return 0
	}
	return bucket(f.Instant(name)).within(r)
}

// Items calls do for every element of an array, up to the first fault. More than most
// are too many.
func (f *Fields) Items(name string, most int, do func(raw string)) {
	raw := f.Raw(name)
	if raw == "" {
		return
	}
	a, ok := rawjson.Elements(raw)
	for f.Err() == nil {
		val, more := a.Next()
		if !more {
			break
		}
		// Before do, so that a long list costs no more than its limit.
		if most--; most < 0 {
			f.excess("too many of " + name)
			return
		}
		do(val)
	}
	if !ok || a.Bad() {
		f.Fail(name + " is no array")
	}
}

// Texts is Items for an array of strings.
func (f *Fields) Texts(name string, most int, do func(s string)) {
	f.Items(name, most, func(raw string) {
		s, ok := rawjson.Unquote(raw)
		if !ok {
			f.Fail(name + " has what is no string")
			return
		}
		do(s)
	})
}

// URIs returns a set of uris.
func (f *Fields) URIs(name string, e *Env) (set URIs) {
	f.Texts(name, e.Limits.Subscriptions, func(uri string) {
		if len(uri) > e.Limits.Text {
			f.excess("too long a uri")
		}
		had, ok := set.Len(), false
		if set, ok = set.With(e, uri); !ok || set.Len() == had {
			f.Fail("a subscription twice")
		}
	})
	return set
}
