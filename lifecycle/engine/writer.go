package engine

import (
	"iter"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Writer appends what Fields reads: members of objects, times, arrays and objects in them.
type Writer struct {
	rawjson.Writer
	// Now is what instants are distances from, so that a snapshot does not depend on when its machine
	// began.
	Now int64
}

// NewWriter returns a Writer at the beginning of an object.
func NewWriter(now int64) *Writer {
	return &Writer{rawjson.Writer{Dst: []byte{'{'}}, now}
}

// Instant writes how far away t is; nothing for table.Never. What is overdue for very long is cut, as
// Fields bounds it.
func (w *Writer) Instant(name string, t int64) {
	if t != table.Never {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, max(t, w.Now-maxOverdue)-w.Now, 10)
	}
}

// List writes an array, which do fills; nothing if n is 0.
func (w *Writer) List(name string, n int, do func()) {
	if n > 0 {
		w.Name(name)
		w.Dst = append(w.Dst, '[')
		do()
		w.Dst = append(w.Dst, ']')
	}
}

// Each writes an array of objects, one for each value; nothing if there are none.
func Each[V any](w *Writer, name string, values iter.Seq[V], write func(V)) {
	some := false
	for v := range values {
		if !some {
			w.Name(name)
			w.Dst = append(w.Dst, '[')
			some = true
		}
		w.Object("", func() { write(v) })
	}
	if some {
		w.Dst = append(w.Dst, ']')
	}
}

// Object writes an object, which do fills; name is "" within an array.
func (w *Writer) Object(name string, do func()) {
	if name == "" {
		w.Separate()
	} else {
		w.Name(name)
	}
	w.Dst = append(w.Dst, '{')
	do()
	w.Dst = append(w.Dst, '}')
}

// URIs writes the uris of a set.
func (w *Writer) URIs(name string, set URIs) {
	w.List(name, set.Len(), func() {
		for uri := range set.All() {
			w.Separate()
			w.Dst = rawjson.AppendQuote(w.Dst, uri)
		}
	})
}

// Element writes a value that is JSON text within an array.
func (w *Writer) Element(json string) {
	w.Separate()
	w.Dst = append(w.Dst, json...)
}
