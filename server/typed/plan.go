package typed

import (
	"encoding"
	"math/big"
	"reflect"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// Number is the text of a number, for numbers that no Go type can hold.
type Number string

// op is how values of a type are read and written.
type op uint8

const (
	opBool op = iota
	opInt
	opUint
	opFloat
	opString
	opNumber   // text that is a number
	opRaw      // JSON text
	opAny      // an interface that holds JSON text: isRaw
	opBytes    // base64
	opTime     // RFC 3339
	opBigInt   // big.Int
	opBigFloat // big.Float
	opText     // encoding.TextMarshaler and TextUnmarshaler
	opPointer
	opSlice
	opArray
	opMap
	opStruct
)

// plan says how values of one type are read and written. It is made when a tool is
// registered and does not change afterwards.
type plan struct {
	op     op
	typ    reflect.Type
	bits   int
	elem   *plan // of a pointer, slice, array or map
	fields []field
	index  map[string]int // of the fields, if there are many
	open   bool           // other members are allowed, and not read
	need   bool           // some field is required, or has a default
}

// field is a member of a struct.
type field struct {
	name      string // as a member
	key       string // as it is written: "name":
	at        []int  // index path in the struct
	plan      *plan
	required  bool
	nullable  bool // null is the zero value
	omitEmpty bool
	omitZero  bool
	isZero    bool        // the type has its own IsZero
	standard  jsonrpc.Raw // the default
	title     string
	doc       string
}

// few is the greatest number of fields that are searched one by one.
const few = 8

func (p *plan) find(name string) int {
	if p.index != nil {
		if i, ok := p.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range p.fields {
		if p.fields[i].name == name {
			return i
		}
	}
	return -1
}

// names returns the names of the members.
func (p *plan) names() []string {
	list := make([]string, 0, len(p.fields))
	for i := range p.fields {
		list = append(list, p.fields[i].name)
	}
	return list
}

// shape is what is inferred from a type.
type shape struct {
	plan   *plan
	schema build.Schema
	size   int  // of the schema, in schemas within
	bare   bool // it contains an interface, which a tag must allow
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[jsonrpc.Raw]()
	numberType   = reflect.TypeFor[Number]()
	bigIntType   = reflect.TypeFor[big.Int]()
	bigFloatType = reflect.TypeFor[big.Float]()
	marshaler    = reflect.TypeFor[encoding.TextMarshaler]()
	unmarshaler  = reflect.TypeFor[encoding.TextUnmarshaler]()

	jsonAppender    = reflect.TypeFor[interface{ AppendJSON(dst []byte) []byte }]()
	jsonMarshaler   = reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()
	jsonUnmarshaler = reflect.TypeFor[interface{ UnmarshalJSON(data []byte) error }]()
)

// known returns the shape of the types that have a fixed one.
func known(t reflect.Type) (shape, bool) {
	switch t {
	case timeType:
		return leaf(opTime, t, build.String().Format("date-time")), true
	case numberType:
		return leaf(opNumber, t, build.Number()), true
	case bigIntType:
		return leaf(opBigInt, t, build.Integer()), true
	case bigFloatType:
		return leaf(opBigFloat, t, build.Number()), true
	}
	switch {
	case t.PkgPath() == "encoding/json" && t.Name() == "Number":
		return leaf(opNumber, t, build.Number()), true
	case isRaw(t):
		return leaf(opRaw, t, build.Any()), true
	case isText(t):
		return leaf(opText, t, build.String()), true
	}
	return shape{}, false
}

// isText reports whether a type reads and writes itself as text.
func isText(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface &&
		reflect.PointerTo(t).Implements(unmarshaler) && reflect.PointerTo(t).Implements(marshaler)
}

func leaf(o op, t reflect.Type, s build.Schema) shape {
	p := &plan{op: o, typ: t}
	if o == opInt || o == opUint || o == opFloat {
		p.bits = t.Bits()
	}
	return shape{plan: p, schema: s, size: 1}
}

// isRaw reports whether a type is JSON text: jsonrpc.Raw, or the type of encoding/json for that. It
// is found by name, because this package does not import encoding/json.
func isRaw(t reflect.Type) bool {
	switch t.PkgPath() {
	case "encoding/json":
		return t.Name() == "RawMessage"
	case "encoding/json/jsontext": // which a newer encoding/json names RawMessage
		return t.Name() == "Value"
	}
	return t == rawType
}
