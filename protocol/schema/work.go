package schema

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const (
	freeSteps = 1 << 17 // what every call may take
	byteSteps = 16      // and for each byte that it is given
	mostSteps = 1 << 23
	stepBytes = 16 // bytes read in one step
	hashSteps = 5  // for an entry in a map
	ruleSteps = 64 // for a schema that is read, which takes memory too
	nameBytes = 4  // bytes of a member name, decoded, hashed and compared in one step
	sortSteps = 2  // comparisons in one step

	escapeBytes = 8    // bytes of a string with escapes that is decoded and written anew
	maxDepth    = 2048 // schemas open within each other

	depthWithin = rawjson.DefaultDepth - 1 // arrays and objects open within a member or element
)

// token is one part of a path: a name if named, else an index.
type token struct {
	name  string
	index int
	named bool
}

// work is what a call has left to do with, and where it is. Nothing in it points to other
// parts of it, or the compiler would keep it on the heap.
type work struct {
	steps int
	path  []token
	list  []member // of the objects that are open, each behind the one around it
	quiet int      // how many branches are open whose failure is no fault
	dead  bool     // fault ends the call, whatever is open
	fault *Fault
}

// allowed returns the steps of a call that is given so many bytes.
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

// read takes the steps for one look at all of text.
func (w *work) read(text string) bool { return w.step(1 + len(text)/stepBytes) }

func (w *work) stop(f Fault) {
	if !w.dead {
		w.dead, *w.fault = true, f
	}
}

func (w *work) name(s string) { w.push(token{name: s, named: true}) }
func (w *work) index(i int)   { w.push(token{index: i}) }

// push is append, which would keep the path on the heap.
func (w *work) push(t token) {
	n := len(w.path)
	if n == cap(w.path) {
		w.path = grown(w.path)
	}
	w.path = w.path[:n+1]
	w.path[n] = t
}

// add is append to the list.
func (w *work) add(m member) {
	n := len(w.list)
	if n == cap(w.list) {
		w.list = grown(w.list)
	}
	w.list = w.list[:n+1]
	w.list[n] = m
}

// back cuts the path, and drop the list, where they were before.
func (w *work) back(at int) { w.path = w.path[:at] }
func (w *work) drop(at int) { w.list = w.list[:at] }

// grown returns a copy with room for more.
func grown[T any](s []T) []T {
	more := make([]T, len(s), 2*len(s)+4)
	copy(more, s)
	return more
}

func (w *work) pop() { w.path = w.path[:len(w.path)-1] }

// pointer writes the path as RFC 6901 says.
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

// escaped is a part of a JSON pointer as it is written.
func escaped(part string) string {
	if strings.IndexByte(part, '~') >= 0 {
		part = strings.ReplaceAll(part, "~", "~0")
	}
	if strings.IndexByte(part, '/') >= 0 {
		part = strings.ReplaceAll(part, "/", "~1")
	}
	return part
}

// unescaped is a part of a JSON pointer as it is meant.
func unescaped(part string) string {
	if strings.IndexByte(part, '~') < 0 {
		return part
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

type member struct {
	key, val string
	slot     slot // what the rule says that looks at the object
}

// few is how many members are searched one by one.
const few = 16

// object is the members of an object: of those with one name the last, at the
// place of the first. They are part of the list of the work until close.
type object struct {
	list  []member
	index map[string]int // only if there are more than a few
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

// close gives the room of an object back, and of all that were read after it.
func (w *work) close(o *object) { w.drop(o.from) }

// members puts the members of raw behind the list, and into an index if they are many; ok
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

// replaced reports whether a name holds U+FFFD, which may stand for different unpaired
// surrogates.
func replaced(name string) bool { return strings.Contains(name, "\ufffd") }

// ended reports whether a walk came to the end of an object or array. If not, the text was
// not what jsonrpc.Decode lets through.
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
