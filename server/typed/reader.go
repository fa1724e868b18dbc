package typed

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// want says what a value must be, "" if it may be anything.
func (p *plan) want() string {
	for p.op == opPointer {
		p = p.elem
	}
	return wants[p.op]
}

// reader reads one JSON text into Go values, in one pass. It validates what it reads.
type reader struct {
	text  string
	errs  schema.ArgumentErrors
	path  []step
	short [6]step // room for path
	room  int     // how many bytes may still be used
	full  bool    // more bytes were needed
}

// step is a part of the path to a value.
type step struct {
	name  string
	index int
	named bool
}

// maxErrors is the greatest number of faults that are kept.
const maxErrors = 16

func (r *reader) fault(kind schema.ArgumentKind, want string) {
	r.note(&schema.ArgumentError{Kind: kind, Want: want})
}

// note adds a fault of the current value.
func (r *reader) note(e *schema.ArgumentError) {
	if len(r.errs) == maxErrors {
		return
	}
	var b []byte
	for _, s := range r.path {
		b = append(b, '/')
		if s.named {
			b = append(b, escapes.Replace(s.name)...)
		} else {
			b = strconv.AppendInt(b, int64(s.index), 10)
		}
	}
	e.Path = string(b)
	r.errs = append(r.errs, e)
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// at is fault for a member, with names as a hint.
func (r *reader) at(name string, kind schema.ArgumentKind, names ...string) {
	r.path = append(r.path, step{name: name, named: true})
	r.note(&schema.ArgumentError{Kind: kind, Names: schema.Hints(names)})
	r.path = r.path[:len(r.path)-1]
}

// wants describe the values of a plan.
var wants = [...]string{
	opBool: "a boolean", opInt: "an integer", opUint: "an integer that is not negative", opFloat: "a number", opString: "a string",
	opNumber: "a number", opBytes: "a string of base64", opTime: "a string with a date and a time as in RFC 3339",
	opBigInt: "an integer", opBigFloat: "a number", opText: "a string", opSlice: "an array", opArray: "an array", opMap: "an object",
	opStruct: "an object",
}

// mismatch notes a value of another type, which begins with c.
func (r *reader) mismatch(c byte, want string) {
	if c == 'n' {
		r.fault(schema.ArgumentNull, want)
		return
	}
	r.note(&schema.ArgumentError{Kind: schema.ArgumentType, Want: want, Got: rawjson.Type(string(rune(c)))})
}
