package rawjson

import "strconv"

// Writer appends members of JSON objects in the order of its calls, and leaves out what has its
// zero value, as snapshots do. Dst begins with what is to be written into, such as "{"; braces
// and brackets are appended to it directly.
type Writer struct {
	// Dst is what was written so far. It must not be empty when a method is called.
	Dst []byte
}

// Separate appends a comma, unless an object or an array has just begun.
func (w *Writer) Separate() {
	if last := w.Dst[len(w.Dst)-1]; last != '{' && last != '[' {
		w.Dst = append(w.Dst, ',')
	}
}

// Name begins a member.
func (w *Writer) Name(name string) {
	w.Separate()
	w.Dst = append(AppendQuote(w.Dst, name), ':')
}

// Text appends a string, but not the empty one.
func (w *Writer) Text(name, s string) {
	if s != "" {
		w.Name(name)
		w.Dst = AppendQuote(w.Dst, s)
	}
}

// Raw appends a value that is JSON text already; "" is none.
func (w *Writer) Raw(name, json string) {
	if json != "" {
		w.Name(name)
		w.Dst = append(w.Dst, json...)
	}
}

// Number appends a number, but not 0.
func (w *Writer) Number(name string, n uint64) {
	if n != 0 {
		w.Name(name)
		w.Dst = strconv.AppendUint(w.Dst, n, 10)
	}
}

// Flag appends true, but not false.
func (w *Writer) Flag(name string, on bool) {
	if on {
		w.Raw(name, "true")
	}
}
