package rawjson

// Fault says what keeps a text from being one JSON value.
type Fault uint8

// The faults that Check tells apart.
const (
	OK       Fault = iota // the text is one JSON value
	Syntax                // not JSON, or it ends too early
	UTF8                  // a string holds bytes that are not UTF-8
	Depth                 // arrays and objects nest too deeply
	Trailing              // a whole value, and then more than white space
)

// String returns a short lower-case phrase.
func (f Fault) String() string {
	return NameOf(f, "unknown fault", "ok", "bad syntax", "invalid UTF-8", "nested too deeply", "data after the value")
}

// What the scanners return in place of an index.
const (
	badSyntax = -1
	badUTF8   = -2
	badDepth  = -3
)

// faultOf names the fault for which a scanner has returned i, OK if that is an index.
func faultOf(i int) Fault {
	switch i {
	case badSyntax:
		return Syntax
	case badUTF8:
		return UTF8
	case badDepth:
		return Depth
	}
	return OK
}
