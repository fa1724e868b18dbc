package rawjson

import "math"

// anyDepth is for text that was validated before, under whatever limit.
const anyDepth = math.MaxInt

// walk is what the walks over objects and arrays share.
type walk struct {
	raw   string
	i     int // after the opening bracket or the last item
	more  bool
	known bool // the text was validated: only ends are looked for
	fault Fault
	depth int // of a value that is known
}

// Trust says that the text was validated before: Next looks for the ends of names and
// values and does not validate them again. A value in which more than depth arrays and
// objects are open at a time ends the walk with the fault Depth. Given text that was not
// validated, Next returns parts of it that may be anything but empty.
func (w *walk) Trust(depth int) { w.known, w.depth = true, depth }

// Bad reports whether the walk ended because the text is not a valid object or array.
func (w *walk) Bad() bool { return w.fault != OK }

// Fault says why the walk ended: OK at the end of the object or array.
func (w *walk) Fault() Fault { return w.fault }

// open starts a walk over raw, which has to start with the bracket. It fills in what w
// has in place: a copy of what was just written is slow.
func (w *walk) open(raw string, bracket byte) bool {
	i := 0
	if raw != "" && raw[0] <= ' ' {
		i = Space(raw, 0)
	}
	if i == len(raw) || raw[i] != bracket {
		w.fault, w.i = Syntax, len(raw)
		return false
	}
	w.raw, w.i = raw, i+1
	return true
}

// item returns the index at which the next item starts; ok is false at the
// closing bracket and where the text is not valid.
func (w *walk) item(bracket byte) (i int, ok bool) {
	s := w.raw
	i = w.i
	if uint(i) < uint(len(s)) && s[i] <= ' ' {
		i = Space(s, i)
	}
	if uint(i) >= uint(len(s)) {
		if s != "" { // else the walk had ended before
			w.fail(badSyntax)
		}
		return i, false
	}
	if s[i] == bracket {
		w.close(i + 1)
		return i, false
	}
	if w.more {
		if s[i] != ',' {
			return i, w.fail(badSyntax)
		}
		i++
		if uint(i) < uint(len(s)) && s[i] <= ' ' {
			i = Space(s, i)
		}
	}
	w.more = true
	return i, true
}

// fail ends the walk in text that is not valid, for which a scanner has returned i.
func (w *walk) fail(i int) bool {
	w.raw, w.i, w.fault = "", 0, faultOf(i)
	return false
}

// close ends the walk at the closing bracket.
func (w *walk) close(i int) {
	if Space(w.raw, i) < len(w.raw) {
		w.fault = Trailing
	}
	w.raw, w.i = "", 0
}

// Object walks the members of a JSON object in the order of the text.
type Object struct {
	walk
	jumpStart, jumpEnd int
}

// Members starts a walk over the members of raw; ok is false if raw does not
// start as an object.
func Members(raw string) (o Object, ok bool) {
	ok = o.walk.open(raw, '{')
	return o, ok
}

// Open is Members for a walk that o, which is zero, is to be.
func (o *Object) Open(raw string) (ok bool) { return o.walk.open(raw, '{') }

// Jump tells o that raw[start:end], counted from the start of the text given
// to Members, is a value that was validated before, so that Next need not scan
// it again. A span at which no value starts has no effect.
func (o *Object) Jump(start, end int) {
	if start < end && end <= len(o.raw) {
		o.jumpStart, o.jumpEnd = start, end
	}
}

// Next returns the name of the next member, unquoted, and the text of its
// value. ok is false at the end and where the text is not valid: Bad tells
// which. An unpaired surrogate in a name becomes U+FFFD.
func (o *Object) Next() (key, val string, ok bool) {
	if o.known {
		return o.trusted()
	}
	s := o.raw
	k, name, v, bare := o.member()
	if k < 0 {
		return "", "", false
	}
	if !bare {
		key, _ = Unquote(s[k:name])
		return key, s[v:o.i], true
	}
	return s[k+1 : name-1], s[v:o.i], true
}

// member moves over the next member: its name is raw[k:name], its value
// raw[v:o.i]. k is negative if there is none. bare is as key has it.
func (o *Object) member() (k, name, v int, bare bool) {
	var ok bool
	if k = o.i; o.more && uint(k)+1 < uint(len(o.raw)) && o.raw[k] == ',' && o.raw[k+1] == '"' {
		k++ // as most texts have it
	} else if k, ok = o.item('}'); !ok {
		return -1, 0, 0, false
	}
	name, v, bare = key(o.raw, k)
	if v < 0 {
		o.fail(v)
		return -1, 0, 0, false
	}
	end := o.jumpEnd
	if v != o.jumpStart || end == 0 {
		if uint(v) < uint(len(o.raw)) && o.raw[v] == '"' {
			end = str(o.raw, v+1)
		} else {
			end = skip(o.raw, v, anyDepth)
		}
		if end < 0 {
			o.fail(end)
			return -1, 0, 0, false
		}
	}
	o.i = end
	return k, name, v, bare
}

// trusted is Next over text that was validated.
func (o *Object) trusted() (key, val string, ok bool) {
	s := o.raw
	k, ok := o.item('}')
	if !ok {
		return "", "", false
	}
	if uint(k) >= uint(len(s)) || s[k] != '"' {
		return "", "", o.fail(badSyntax)
	}
	name, escaped := strEnd(s, k+1)
	if name < 0 {
		return "", "", o.fail(name)
	}
	v := Space(s, name)
	if uint(v) >= uint(len(s)) || s[v] != ':' {
		return "", "", o.fail(badSyntax)
	}
	v = Space(s, v+1)
	last := o.jumpEnd
	if v != o.jumpStart || last == 0 {
		if last = end(s, v, o.depth); last < 0 {
			return "", "", o.fail(last)
		}
	}
	if key = s[k+1 : name-1]; escaped {
		key, _ = Unquote(s[k:name])
	}
	o.i = last
	return key, s[v:last], true
}

// All calls yield with what Next returns until it returns false.
func (o *Object) All(yield func(key, val string) bool) {
	for {
		if key, val, ok := o.Next(); !ok || !yield(key, val) {
			return
		}
	}
}

// Array walks the elements of a JSON array.
type Array struct{ walk }

// Elements starts a walk over the elements of raw; ok is false if raw does not
// start as an array.
func Elements(raw string) (a Array, ok bool) {
	ok = a.walk.open(raw, '[')
	return a, ok
}

// Open is Elements for a walk that a, which is zero, is to be.
func (a *Array) Open(raw string) (ok bool) { return a.walk.open(raw, '[') }

// Next returns the text of the next element. ok is false at the end and where
// the text is not valid: Bad tells which.
func (a *Array) Next() (val string, ok bool) {
	s := a.raw
	i, ok := a.item(']')
	if !ok {
		return "", false
	}
	var last int
	if a.known {
		last = end(s, i, a.depth)
	} else {
		last = skip(s, i, anyDepth)
	}
	if last < 0 {
		return "", a.fail(last)
	}
	a.i = last
	return s[i:last], true
}

// All calls yield with what Next returns until it returns false.
func (a *Array) All(yield func(val string) bool) {
	for {
		if val, ok := a.Next(); !ok || !yield(val) {
			return
		}
	}
}

// Get returns the text of the last member of raw with that name; ok is false
// if raw has none or is not a valid object.
func Get(raw, key string) (val string, ok bool) {
	var o Object
	o.Open(raw)
	for {
		k, v, more := o.Next()
		if !more {
			break
		}
		if k == key {
			val, ok = v, true
		}
	}
	if o.Bad() {
		return "", false
	}
	return val, ok
}

// Text returns the string that Get finds; "" if it finds none, or something else.
func Text(raw, key string) string {
	val, _ := Get(raw, key)
	s, _ := Unquote(val)
	return s
}
