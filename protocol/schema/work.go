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
)

// token is one part of a path: a name if named, else an index.
type token struct {
	name  string
	index int
	named bool
}

// work is what a call has left to do with, and where it is.
type work struct {
	steps int
	path  []token
	quiet int  // how many branches are open whose failure is no fault
	dead  bool // fault ends the call, whatever is open
	fault Fault
	room  [4]token    // where a short path lies
	spare [][]member  // lists that are no longer used
	lists [2][]member // where a short spare lies
}

func newWork(bytes int) *work {
	w := &work{steps: min(freeSteps+byteSteps*min(bytes, mostSteps), mostSteps)}
	w.path, w.spare = w.room[:0], w.lists[:0]
	return w
}

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
		w.dead, w.fault = true, f
	}
}

func (w *work) name(s string) { w.path = append(w.path, token{name: s, named: true}) }
func (w *work) index(i int)   { w.path = append(w.path, token{index: i}) }
func (w *work) pop()          { w.path = w.path[:len(w.path)-1] }

// pointer writes the path as RFC 6901 says.
func (w *work) pointer() string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, t := range w.path {
		b.WriteByte('/')
		if t.named {
			b.WriteString(escape.Replace(t.name))
		} else {
			b.WriteString(strconv.Itoa(t.index))
		}
	}
	return b.String()
}

type member struct {
	key, val string
	slot     slot // what the rule says that looks at the object
}

// few is how many members are searched one by one.
const few = 16

// object is the members of an object: of those with one name the last, at the
// place of the first.
type object struct {
	list  []member
	index map[string]int // only if there are more than a few
}

func (o *object) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range o.list {
		if o.list[i].key == key {
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

func (o *object) add(m member) {
	if o.list == nil {
		o.list = make([]member, 0, 4) // most objects are small
	}
	o.list = append(o.list, m)
	switch {
	case o.index != nil:
		o.index[m.key] = len(o.list) - 1
	case len(o.list) > few:
		o.index = make(map[string]int, 2*len(o.list))
		for i := range o.list {
			o.index[o.list[i].key] = i
		}
	}
}

// drop gives back what members has returned.
func (w *work) drop(o object) { w.spare = append(w.spare, o.list[:0]) }

// members reads raw, which is valid; ok is false if it is no object or the call
// is over.
func (w *work) members(raw string) (o object, ok bool) {
	it, ok := rawjson.Members(raw)
	if !ok || !w.read(raw) {
		return object{}, false
	}
	if n := len(w.spare) - 1; n >= 0 {
		o.list, w.spare = w.spare[n], w.spare[:n]
	}
	for {
		key, val, more := it.Next()
		if !more {
			return o, !it.Bad()
		}
		steps := 1
		if o.index != nil {
			steps = hashSteps
		}
		if !w.step(steps + len(key)/nameBytes) {
			return object{}, false
		}
		// U+FFFD may stand for different unpaired surrogates.
		if i := o.find(key); i >= 0 && !strings.Contains(key, "\ufffd") {
			o.list[i].val = val
		} else {
			o.add(member{key: key, val: val})
		}
	}
}
