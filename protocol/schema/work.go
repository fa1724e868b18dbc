package schema

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const (
	freeSteps = 1 << 17 // allowed for every call
	byteSteps = 16      // allowed for each byte of its input
	mostSteps = 1 << 23
	stepBytes = 16 // bytes read in one step
	hashSteps = 5  // for an entry in a map
	ruleSteps = 64 // for reading a schema, which takes memory too
	nameBytes = 4  // bytes of a member name decoded, hashed and compared in one step
	sortSteps = 2  // comparisons in one step

	escapeBytes = 8    // bytes of a string with escapes decoded and written in one step
	maxDepth    = 2048 // nested open schemas

	depthWithin = rawjson.DefaultDepth - 1 // open arrays and objects within a member or element
)

// token is one part of a path: a name if named, otherwise an index.
type token struct {
	name  string
	index int
	named bool
}

// work is what a call has left, and its path. No part of it points to another
// part, because the compiler would move it to the heap.
type work struct {
	steps int
	path  []token
	list  []member // of the open objects, each after its parent's
	quiet int      // how many open branches there are, whose failure is not a fault
	dead  bool     // fault ends the call
	fault *Fault
}

// allowed returns the steps of a call with so many bytes of input.
func allowed(bytes int) int { return min(freeSteps+byteSteps*min(bytes, mostSteps), mostSteps) }

func newWork(steps int) *work { return &work{steps: steps, fault: &Fault{}} }

// step takes n steps; false means that the call is over.
func (w *work) step(n int) bool {
	if w.dead {
		return false
	}
	if w.steps -= n; w.steps < 0 {
		w.stop(Fault{Keyword: KeywordLimit})
	}
	return !w.dead
}

// read takes the steps for reading text once.
func (w *work) read(text string) bool { return w.step(1 + len(text)/stepBytes) }

func (w *work) stop(f Fault) {
	if !w.dead {
		w.dead, *w.fault = true, f
	}
}

func (w *work) name(s string) { w.push(token{name: s, named: true}) }
func (w *work) index(i int)   { w.push(token{index: i}) }

// push is append that does not move the path to the heap.
func (w *work) push(t token) {
	n := len(w.path)
	if n == cap(w.path) {
		w.path = grown(w.path)
	}
	w.path = w.path[:n+1]
	w.path[n] = t
}

// add appends to the list.
func (w *work) add(m member) {
	n := len(w.list)
	if n == cap(w.list) {
		w.list = grown(w.list)
	}
	w.list = w.list[:n+1]
	w.list[n] = m
}

// back truncates the path, and drop the list, to a former length.
func (w *work) back(at int) { w.path = w.path[:at] }
func (w *work) drop(at int) { w.list = w.list[:at] }

// grown returns a copy with room for more.
func grown[T any](s []T) []T {
	more := make([]T, len(s), 2*len(s)+4)
	copy(more, s)
	return more
}

func (w *work) pop() { w.path = w.path[:len(w.path)-1] }

// pointer writes the path as a JSON pointer (RFC 6901).
func (w *work) pointer() string {
	var b strings.Builder
	for _, t := range w.path {
		b.WriteByte('/')
		if t.named {
			b.WriteString(escaped(t.name))
		} else {
			b.WriteString(strconv.Itoa(t.index))
		}
	}
	return b.String()
}

// escaped escapes a part of a JSON pointer.
func escaped(part string) string {
	if strings.IndexByte(part, '~') >= 0 {
		part = strings.ReplaceAll(part, "~", "~0")
	}
	if strings.IndexByte(part, '/') >= 0 {
		part = strings.ReplaceAll(part, "/", "~1")
	}
	return part
}

// unescaped unescapes a part of a JSON pointer.
func unescaped(part string) string {
	if strings.IndexByte(part, '~') < 0 {
		return part
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

type member struct {
	key, val string
	slot     slot // of the rule for the object
}

// few is the number of members up to which the search is linear.
const few = 16

// object is the members of an object, with repeated ones merged: the value of the last, at the
// place of the first. They are part of the list of the work until close.
type object struct {
	list  []member
	index map[string]int // nil for few members
	from  int
}

func (o *object) find(key string) int { return find(o.list, o.index, key) }

func find(list []member, index map[string]int, key string) int {
	if index != nil {
		if i, ok := index[key]; ok {
			return i
		}
		return -1
	}
	for i := range list {
		if list[i].key == key {
			return i
		}
	}
	return -1
}

// get returns the text of a member, "" if there is none.
func (o *object) get(key string) string {
	if i := o.find(key); i >= 0 {
		return o.list[i].val
	}
	return ""
}

// object reads raw, which is valid; ok is false if it is not an object or the call is over.
func (w *work) object(raw string) (o object, ok bool) {
	o.from = len(w.list)
	o.index, ok = w.members(raw)
	o.list = w.list[o.from:]
	return o, ok
}

// close drops the members of an object, and of all objects read after it.
func (w *work) close(o *object) { w.drop(o.from) }

// members appends the members of raw to the list, with an index if they are many; ok
// is false if raw is not an object or the call is over.
func (w *work) members(raw string) (index map[string]int, ok bool) {
	it, ok := rawjson.Members(raw)
	if !ok || !w.read(raw) {
		return nil, false
	}
	it.Trust(depthWithin)
	for from := len(w.list); ; {
		key, val, more := it.Next()
		if !more {
			return index, w.ended(it.Fault())
		}
		steps := 1
		if index != nil {
			steps = hashSteps
		}
		if !w.step(steps + len(key)/nameBytes) {
			return nil, false
		}
		list := w.list[from:]
		if i := find(list, index, key); i >= 0 && !replaced(key) {
			list[i].val = val
			continue
		}
		w.add(member{key: key, val: val})
		switch n := len(w.list) - from; {
		case index != nil:
			index[key] = n - 1
		case n > few:
			index = make(map[string]int, 2*n)
			for i := range n {
				index[w.list[from+i].key] = i
			}
		}
	}
}

// replaced reports whether a name contains U+FFFD, which may stand for different unpaired
// surrogates.
func replaced(name string) bool { return strings.Contains(name, "\ufffd") }

// ended reports whether a walk reached the end of an object or array. If not, jsonrpc.Decode
// would have rejected the text.
func (w *work) ended(f rawjson.Fault) bool {
	switch f {
	case rawjson.OK:
		return true
	case rawjson.Depth:
		w.stop(Fault{Keyword: KeywordLimit})
	default:
		w.stop(Fault{Keyword: KeywordSyntax})
	}
	return false
}
