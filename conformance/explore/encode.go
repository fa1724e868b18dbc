package explore

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"reflect"
	"strings"
	"time"
)

// Number appends the rank of n among the numbers of its kind, side and scope; 0 means none.
func (f *Form) Number(as As, side uint8, n uint64) {
	f.buf = append(f.buf, 0)
	if n == 0 {
		return
	}
	space := uint64(as) << 1
	switch as {
	case Peer, Theirs:
		if f.Apart[1-side] {
			break
		}
		space, side = uint64(as-1)<<1, 1-side
	case Epoch, Op, Order:
		side = 0
	}
	if as < Epoch {
		space |= f.scope << 8
	}
	f.ids = append(f.ids, place{space | uint64(side), n, len(f.buf) - 1})
}

// Int appends a number as it is.
func (f *Form) Int(n int64) { f.buf = binary.AppendVarint(f.buf, n) }

// Text appends a text.
func (f *Form) Text(s string) { f.buf = append(binary.AppendUvarint(f.buf, uint64(len(s))), s...) }

// instant appends the instant n nanoseconds after the origin.
func (f *Form) instant(n int64, r *Rule) {
	if n == math.MaxInt64 || n == math.MinInt64 {
		f.buf = append(f.buf, byte(n>>63)|0xfe)
		return
	}
	n = min(n, f.Limit[f.side&1]) - int64(f.now.Sub(f.zero))
	if least := -int64(r.Most); n < least && (r.As == Until || r.Most > 0) {
		n = least
	}
	f.buf = append(f.buf, 1)
	f.Int(n)
}

// name returns a type in the form that rules use.
func name(t reflect.Type) string {
	s, _, _ := strings.Cut(t.String(), "[")
	return s
}

// encoder returns a writer of values of t under r, the rule of the field or of the type.
func (f *Form) encoder(t reflect.Type, r *Rule) encode {
	if r == nil {
		if r = f.rules[name(t)]; r != nil {
			f.used[r.At] = true
		}
	}
	if e := f.known[encodes{t, r}]; e != nil {
		return e
	}
	var e encode
	f.known[encodes{t, r}] = func(f *Form, v reflect.Value) { e(f, v) } // for recursive types
	e = f.compile(t, r)
	f.known[encodes{t, r}] = e
	return e
}

func (f *Form) compile(t reflect.Type, r *Rule) encode {
	if r == nil {
		r = &Rule{}
	}
	if r.As != Custom && strings.HasPrefix(t.String(), "table.Table[") {
		return f.table(t, r)
	}
	switch r.As {
	case Skip:
		return func(*Form, reflect.Value) {}
	case Custom:
		return r.Call
	case Origin:
		if t.Kind() == reflect.Struct {
			return f.from(t, r)
		}
		x, _ := t.Elem().FieldByName(r.By)
		return func(f *Form, v reflect.Value) {
			if !v.IsNil() {
				f.zero = timeOf(v.Elem().Field(x.Index[0]))
			}
		}
	case Present:
		return func(f *Form, v reflect.Value) { f.bool(!v.IsZero()) }
	case Shared:
		return func(f *Form, v reflect.Value) { f.buf = binary.AppendUvarint(f.buf, index(f.ptrs, v.Pointer())) }
	case Client, Server, Scope:
		return f.within(t, r)
	}
	if t == reflect.TypeFor[time.Time]() {
		return f.time(r)
	}
	if r.As >= Own && t.Kind() == reflect.Struct {
		return wireID(r)
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(f *Form, v reflect.Value) { f.bool(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(f *Form, v reflect.Value) { f.number(r, v.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(f *Form, v reflect.Value) { f.number(r, int64(v.Uint())) }
	case reflect.Float64:
		return func(f *Form, v reflect.Value) { f.number(r, int64(math.Float64bits(v.Float()))) }
	case reflect.String:
		return func(f *Form, v reflect.Value) { f.Text(v.String()) }
	case reflect.Pointer:
		elem := f.encoder(t.Elem(), r.orNil())
		return func(f *Form, v reflect.Value) {
			if f.bool(!v.IsNil()); !v.IsNil() {
				elem(f, v.Elem())
			}
		}
	case reflect.Slice, reflect.Array:
		elem := f.encoder(t.Elem(), r.orNil())
		return func(f *Form, v reflect.Value) {
			f.Int(int64(v.Len()))
			for i := range v.Len() {
				elem(f, v.Index(i))
			}
		}
	case reflect.Interface:
		return func(f *Form, v reflect.Value) {
			if f.bool(!v.IsNil()); !v.IsNil() {
				f.buf = binary.AppendUvarint(f.buf, index(f.types, v.Elem().Type()))
				f.encoder(v.Elem().Type(), nil)(f, v.Elem())
			}
		}
	case reflect.Func:
		return func(f *Form, v reflect.Value) { f.bool(!v.IsNil()) }
	case reflect.Struct:
		return f.fields(t)
	}
	panic(fmt.Sprintf("explore: %v needs a rule", t))
}

// orNil returns the rule for the target of a pointer or the elements of a slice with the rule.
func (r *Rule) orNil() *Rule {
	if r.As == Plain {
		return nil
	}
	return r
}

func (f *Form) bool(b bool) {
	if b {
		f.buf = append(f.buf, 1)
	} else {
		f.buf = append(f.buf, 0)
	}
}

func (f *Form) number(r *Rule, n int64) {
	switch {
	case r.As == Until || r.As == Since:
		f.instant(n, r)
	case r.As >= Own:
		f.Number(r.As, f.side, uint64(n))
	default:
		f.Int(n)
	}
}

// index returns the number of x by the order of appearance.
func index[K comparable](m map[K]uint64, x K) uint64 {
	n, ok := m[x]
	if !ok {
		n = uint64(len(m))
		m[x] = n
	}
	return n
}

// fields writes a struct.
func (f *Form) fields(t reflect.Type) encode {
	type field struct {
		at      string
		i, cond int
		live    func(reflect.Value) bool
		write   encode
	}
	var list []field
	for i := range t.NumField() {
		x := t.Field(i)
		at := name(t) + "." + x.Name
		r, how := f.rules[at], "plain"
		if r != nil {
			f.used[at] = true
		} else if r = f.rules[name(x.Type)]; r != nil {
			f.used[r.At] = true
		}
		e := field{at: at, i: i, cond: -1}
		if r != nil {
			how, e.live = r.String(), r.Live
			if r.If != "" {
				c, ok := t.FieldByName(r.If)
				if !ok {
					panic("explore: " + at + " depends on no field " + r.If)
				}
				e.cond = c.Index[0]
			}
		}
		f.lines[at] = how
		if r == nil || r.As != Skip {
			e.write = f.encoder(x.Type, r)
			list = append(list, e)
		}
	}
	return func(f *Form, v reflect.Value) {
		for i := range list {
			if e := &list[i]; (e.cond < 0 || !v.Field(e.cond).IsZero()) && (e.live == nil || e.live(v)) {
				from := len(f.buf)
				if e.write(f, v.Field(e.i)); f.explain != nil {
					f.explain(e.at, f.buf[from:])
				}
			}
		}
	}
}

// table writes the leaves of a table.Table by their keys.
func (f *Form) table(t reflect.Type, r *Rule) encode {
	leaf := t.Field(0).Type.Field(1).Type.Elem()
	key, value := Rule{As: r.Key}, f.encoder(leaf.Field(2).Type, nil)
	deadline := Rule{As: Until}
	return func(f *Form, v reflect.Value) {
		n := 0
		for range Leaves(v) {
			n++
		}
		f.Int(int64(n))
		for l := range Leaves(v) {
			f.number(&key, int64(l.Field(0).Uint()))
			f.instant(l.Field(1).Int(), &deadline)
			value(f, l.Field(2))
		}
	}
}

// Leaves iterates over the leaves of a table.Table.
func Leaves(table reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		last := table.Field(0).Field(1) // beside the trie
		next := func(leaf reflect.Value) bool {
			if !last.IsNil() && last.Elem().Field(0).Uint() < leaf.Field(0).Uint() {
				if !yield(last.Elem()) {
					return false
				}
				last = reflect.Zero(last.Type())
			}
			return yield(leaf)
		}
		var walk func(node, leaf reflect.Value) bool
		walk = func(node, leaf reflect.Value) bool {
			if !leaf.IsNil() {
				return next(leaf.Elem())
			}
			if node.IsNil() {
				return true
			}
			nodes, leaves := node.Elem().FieldByName("nodes"), node.Elem().FieldByName("leaves")
			none := reflect.Zero(node.Type())
			for i := range nodes.Type().Elem().Len() {
				kid, entry := none, reflect.Zero(leaf.Type())
				if !nodes.IsNil() {
					kid = nodes.Elem().Index(i)
				}
				if !leaves.IsNil() {
					entry = leaves.Elem().Index(i)
				}
				if !walk(kid, entry) {
					return false
				}
			}
			return true
		}
		if walk(table.Field(0).Field(0), reflect.Zero(last.Type())) && !last.IsNil() {
			yield(last.Elem())
		}
	}
}

// within writes a value with numbers of its own.
func (f *Form) within(t reflect.Type, r *Rule) encode {
	inner := f.fields(t)
	by := -1
	if r.As == Scope {
		x, ok := t.FieldByName(r.By)
		if !ok {
			panic("explore: " + r.At + " has no field " + r.By)
		}
		by = x.Index[0]
	}
	return func(f *Form, v reflect.Value) {
		scope, side, zero := f.scope, f.side, f.zero
		switch {
		case by >= 0:
			f.scope = v.Field(by).Uint()
		default:
			f.side = uint8(r.As - Client)
		}
		inner(f, v)
		f.scope, f.side, f.zero = scope, side, zero
	}
}

// from writes a struct whose instants count from the origin of its clock.Clock.
func (f *Form) from(t reflect.Type, r *Rule) encode {
	inner := f.fields(t)
	x, _ := t.FieldByName(r.By)
	return func(f *Form, v reflect.Value) {
		zero := f.zero
		if origin := v.Field(x.Index[0]).Field(0); !origin.IsZero() {
			f.zero = timeOf(origin)
		}
		inner(f, v)
		f.zero = zero
	}
}

// time writes a time.Time, by default as the time left until then.
func (f *Form) time(r *Rule) encode {
	return func(f *Form, v reflect.Value) {
		if v.IsZero() {
			f.buf = append(f.buf, 0)
			return
		}
		f.instant(int64(timeOf(v).Sub(f.zero)), r)
	}
}

// timeOf reads a time.Time without a monotonic reading, as in all worlds: wall has the
// nanoseconds, ext the seconds from the year 1.
func timeOf(v reflect.Value) time.Time {
	return time.Unix(v.Field(1).Int()-62135596800, int64(v.Field(0).Uint()&(1<<30-1)))
}

// wireID writes a numeric jsonrpc.ID by its rank.
func wireID(r *Rule) encode {
	return func(f *Form, v reflect.Value) {
		if s := v.Field(1).String(); s == "\xff" {
			f.Number(r.As, f.side, uint64(v.Field(0).Int()))
		} else {
			f.Text(s)
		}
	}
}
