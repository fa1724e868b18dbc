package typed

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// The memory that reading a text may use: a short text with many empty objects makes as many
// structs. There is room for usual ones, whatever their length.
const (
	leastRoom   = 16 << 20
	roomForByte = 32
)

const enough = "arguments that fit the memory for them"

// grant reserves memory for a value of the type, and reports whether there was enough.
func (r *reader) grant(t reflect.Type) bool {
	if r.room -= int(t.Size()); r.room < 0 && !r.full {
		r.full = true
		r.fault(schema.ArgumentRange, enough)
	}
	return !r.full
}

// read reads text into v. The error is schema.ArgumentErrors, nil if there are none.
func read(text string, p *plan, v reflect.Value) error {
	var r reader
	return r.read(text, p, v)
}

func (r *reader) read(text string, p *plan, v reflect.Value) error {
	r.text = text
	r.path = r.short[:0]
	r.room = leastRoom + roomForByte*len(text)
	i := r.value(rawjson.Space(text, 0), rawjson.DefaultDepth, p, v)
	if i >= 0 {
		i = rawjson.Space(text, i)
	}
	if i != len(text) {
		r.path = r.path[:0]
		r.errs = nil
		r.fault(schema.ArgumentSyntax, "")
	}
	if r.errs == nil {
		return nil
	}
	return r.errs
}

// value reads the value that starts at text[i], and returns the index after it, or -1 if the
// text is not JSON.
func (r *reader) value(i, depth int, p *plan, v reflect.Value) int {
	if i >= len(r.text) {
		return -1
	}
	c := r.text[i]
	switch p.op {
	case opPointer:
		if c == 'n' {
			end := rawjson.Skip(r.text, i, depth)
			v.SetZero()
			return end
		}
		if !r.grant(p.elem.typ) {
			return rawjson.Skip(r.text, i, depth)
		}
		e := reflect.New(p.elem.typ)
		v.Set(e)
		return r.value(i, depth, p.elem, e.Elem())
	case opStruct:
		if c == '{' {
			return r.structure(i, depth, p, v)
		}
	case opMap:
		if c == '{' {
			return r.dictionary(i, depth, p, v)
		}
	case opSlice, opArray:
		if c == '[' {
			return r.list(i, depth, p, v)
		}
	default:
		return r.scalar(i, depth, p, v)
	}
	end := rawjson.Skip(r.text, i, depth)
	if end >= 0 {
		r.mismatch(c, wants[p.op])
	}
	return end
}

// structure reads an object into a struct.
func (r *reader) structure(i, depth int, p *plan, v reflect.Value) int {
	var room [1]uint64
	seen := room[:]
	if n := (len(p.fields) + 63) / 64; n > 1 {
		seen = make([]uint64, n)
	}
	var others map[string]bool // names without a field; nil if each is a fault at once
	end := r.members(i, depth, func(name string, whole bool, i int) int {
		k := -1
		if whole {
			k = p.find(name)
		}
		switch {
		case k < 0 && p.open:
			return rawjson.Skip(r.text, i, depth-1)
		case k < 0 && others[name]:
			r.at(short(name), schema.ArgumentRepeated)
			return rawjson.Skip(r.text, i, depth-1)
		case k < 0:
			if len(r.errs) < maxErrors {
				if others == nil {
					others = map[string]bool{}
				}
				others[name] = true
				r.at(short(name), schema.ArgumentUnexpected, p.names()...)
			}
			return rawjson.Skip(r.text, i, depth-1)
		case seen[k/64]&(1<<(k%64)) != 0:
			r.at(name, schema.ArgumentRepeated)
			return rawjson.Skip(r.text, i, depth-1)
		}
		seen[k/64] |= 1 << (k % 64)
		f := &p.fields[k]
		to := f.of(v)
		if f.nullable && f.plan.op != opPointer && i < len(r.text) && r.text[i] == 'n' {
			return rawjson.Skip(r.text, i, depth-1)
		}
		r.path = append(r.path, step{name: f.name, named: true})
		end := r.value(i, depth-1, f.plan, to)
		r.path = r.path[:len(r.path)-1]
		return end
	})
	if end < 0 || !p.need {
		return end
	}
	for k := range p.fields {
		f := &p.fields[k]
		switch {
		case seen[k/64]&(1<<(k%64)) != 0:
		case f.required:
			r.path = append(r.path, step{name: f.name, named: true})
			r.note(&schema.ArgumentError{Kind: schema.ArgumentMissing, Want: f.plan.want(), Names: schema.Hints(slices.Sorted(maps.Keys(others)))})
			r.path = r.path[:len(r.path)-1]
		case f.standard != "":
			r.standard(f, f.of(v))
		}
	}
	return end
}

// standard reads the default of a field, which was read before without a fault. Its memory counts,
// because a peer chooses how often it is needed.
func (r *reader) standard(f *field, v reflect.Value) {
	if r.full {
		return
	}
	d := reader{text: string(f.standard), room: r.room}
	d.path = d.short[:0]
	d.value(rawjson.Space(d.text, 0), rawjson.DefaultDepth, f.plan, v)
	if r.room = d.room; d.full {
		r.full = true
		r.fault(schema.ArgumentRange, enough)
	}
}

// of returns the field of a struct.
func (f *field) of(v reflect.Value) reflect.Value {
	for _, i := range f.at {
		v = v.Field(i)
	}
	return v
}

// members calls f for the members of the object at text[i] with the index of the value; f returns
// the index after it. whole is false for a name that a Go string cannot represent.
func (r *reader) members(i, depth int, f func(name string, whole bool, i int) int) int {
	if depth == 0 {
		return -1
	}
	i = rawjson.Space(r.text, i+1)
	if i < len(r.text) && r.text[i] == '}' {
		return i + 1
	}
	for {
		end, val := rawjson.Key(r.text, i)
		if val < 0 {
			return -1
		}
		name, whole := rawjson.Unquote(r.text[i:end])
		var more bool
		if i, more = r.next(f(name, whole, val), '}'); !more {
			return i
		}
	}
}

// next returns the index of the next member or element after one that ends at i, or the index after
// the end; -1 if neither follows.
func (r *reader) next(i int, end byte) (_ int, more bool) {
	if i < 0 {
		return -1, false
	}
	if i = rawjson.Space(r.text, i); i < len(r.text) && r.text[i] == end {
		return i + 1, false
	}
	if i >= len(r.text) || r.text[i] != ',' {
		return -1, false
	}
	return rawjson.Space(r.text, i+1), true
}

// dictionary reads an object into a map.
func (r *reader) dictionary(i, depth int, p *plan, v reflect.Value) int {
	m := reflect.MakeMap(p.typ)
	key := p.typ.Key()
	end := r.members(i, depth, func(name string, whole bool, i int) int {
		k := reflect.New(key).Elem()
		k.SetString(name)
		switch {
		case !whole:
			r.at(short(name), schema.ArgumentText)
			return rawjson.Skip(r.text, i, depth-1)
		case m.MapIndex(k).IsValid():
			r.at(short(name), schema.ArgumentRepeated)
			return rawjson.Skip(r.text, i, depth-1)
		case !r.grant(p.elem.typ) || !r.grant(key):
			return rawjson.Skip(r.text, i, depth-1)
		}
		e := reflect.New(p.elem.typ).Elem()
		r.path = append(r.path, step{name: short(name), named: true})
		end := r.value(i, depth-1, p.elem, e)
		r.path = r.path[:len(r.path)-1]
		m.SetMapIndex(k, e)
		return end
	})
	v.Set(m)
	return end
}

// list reads an array into a slice or an array.
func (r *reader) list(i, depth int, p *plan, v reflect.Value) int {
	if depth == 0 {
		return -1
	}
	if p.op == opSlice {
		v.Set(reflect.MakeSlice(p.typ, 0, 0))
	}
	n := 0
	i = rawjson.Space(r.text, i+1)
	if i < len(r.text) && r.text[i] == ']' {
		return r.counted(p, n, i+1)
	}
	for {
		if i >= len(r.text) {
			return -1
		}
		r.path = append(r.path, step{index: n})
		switch {
		case p.op == opSlice && r.grant(p.elem.typ):
			if n == v.Cap() {
				v.Grow(1)
			}
			v.SetLen(n + 1)
			i = r.value(i, depth-1, p.elem, v.Index(n))
		case p.op == opArray && n < v.Len():
			i = r.value(i, depth-1, p.elem, v.Index(n))
		default:
			i = rawjson.Skip(r.text, i, depth-1)
		}
		r.path = r.path[:len(r.path)-1]
		n++
		var more bool
		if i, more = r.next(i, ']'); !more {
			return r.counted(p, n, i)
		}
	}
}

// counted notes an array with another length than its type.
func (r *reader) counted(p *plan, n, end int) int {
	if p.op == opArray && n != p.typ.Len() && end >= 0 {
		r.fault(schema.ArgumentRange, "an array of "+strconv.Itoa(p.typ.Len())+" elements")
	}
	return end
}

// short cuts a name that the peer chose, and copies it.
func short(name string) string { return strings.Clone(rawjson.Clip(name, 64)) }
