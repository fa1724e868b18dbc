package typed

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// Number is a number as it is written, for one that no type of Go holds: its text is kept.
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
	need   bool           // there is a field that has to be there, or has a default
}

// field is a member of a struct.
type field struct {
	name      string // as a member
	key       string // as the start of its text: "name":
	at        []int  // the way to it
	plan      *plan
	required  bool
	nullable  bool // null is the zero value
	omitEmpty bool
	omitZero  bool
	isZero    bool        // the type says itself what zero is
	standard  jsonrpc.Raw // the default
	title     string
	doc       string
}

// few is how many fields are looked for one by one.
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

// want says what a value has to be, "" if it may be anything.
func (p *plan) want() string {
	for p.op == opPointer {
		p = p.elem
	}
	return wants[p.op]
}

// shape is what is inferred of a type.
type shape struct {
	plan   *plan
	schema build.Schema
	size   int  // of the schema, in schemas within
	bare   bool // there is an interface in it, which a tag has to allow
}

// maxSize is how many schemas the schema of one type is made of at most: types that name
// each other often would otherwise grow without bound.
const maxSize = 10_000

// inference infers shapes. Types that contain themselves become definitions.
type inference struct {
	done   map[reflect.Type]shape
	open   map[reflect.Type]*opened
	within map[reflect.Type]int // types that are no structs, with how many of these are open
	names  map[string]bool
	defs   []build.Property
}

// opened is a struct type whose fields are being looked at.
type opened struct {
	plan *plan
	def  string // its definition, if it contains itself
}

func newInference() *inference {
	return &inference{done: map[reflect.Type]shape{}, open: map[reflect.Type]*opened{}, within: map[reflect.Type]int{}, names: map[string]bool{}}
}

// whole returns the shape of a type with the definitions that it needs.
func (in *inference) whole(t reflect.Type) (shape, error) {
	s, err := in.shape(t, true)
	if err == nil && s.bare {
		err = errInterface
	}
	if err != nil {
		return shape{}, err
	}
	for _, d := range in.defs {
		s.schema = s.schema.Def(d.Name(), d.Schema())
	}
	if err := s.schema.Check(); err != nil {
		return shape{}, err
	}
	return s, nil
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

// shape returns the shape of a type. The outermost one is not a reference, though it may
// contain itself.
func (in *inference) shape(t reflect.Type, outermost bool) (shape, error) {
	if s, ok := in.done[t]; ok {
		return s, nil
	}
	if t.Kind() != reflect.Struct {
		if n, ok := in.within[t]; ok && n == len(in.open) { // type T []T
			return shape{}, fmt.Errorf("%v contains itself, and there is no struct between", t)
		} else if !ok {
			defer delete(in.within, t)
		}
		in.within[t] = len(in.open)
	}
	s, err := in.infer(t, outermost)
	if err == nil && s.size > maxSize {
		err = fmt.Errorf("%v has a schema of more than %d parts", t, maxSize)
	}
	if err == nil {
		in.done[t] = s
	}
	return s, err
}

func (in *inference) infer(t reflect.Type, outermost bool) (shape, error) {
	if s, ok := known(t); ok {
		return s, nil
	}
	if t == durationType {
		return shape{}, errDuration
	}
	if p := reflect.PointerTo(t); t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface &&
		(p.Implements(jsonAppender) || p.Implements(jsonMarshaler) || p.Implements(jsonUnmarshaler)) {
		return shape{}, fmt.Errorf("%v has a JSON form of its own, whose schema is not known: use jsonrpc.Raw", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return leaf(opBool, t, build.Boolean()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s := leaf(opInt, t, build.Integer())
		if bits := t.Bits(); bits < 64 && t.Kind() != reflect.Int {
			least := int64(-1) << (bits - 1)
			s.schema = s.schema.Min(jsonrpc.Raw(strconv.FormatInt(least, 10))).Max(jsonrpc.Raw(strconv.FormatInt(-(least + 1), 10)))
		}
		return s, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s := leaf(opUint, t, build.Integer().Min("0"))
		if bits := t.Bits(); bits < 64 && t.Kind() != reflect.Uint {
			s.schema = s.schema.Max(jsonrpc.Raw(strconv.FormatUint(1<<bits-1, 10)))
		}
		return s, nil
	case reflect.Float32, reflect.Float64:
		return leaf(opFloat, t, build.Number()), nil
	case reflect.String:
		return leaf(opString, t, build.String()), nil
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return shape{}, fmt.Errorf("%v is an interface with methods, and has no JSON form", t)
		}
		s := leaf(opAny, t, build.Any())
		s.bare = true
		return s, nil
	case reflect.Pointer:
		e, err := in.shape(t.Elem(), false)
		if err == nil && e.plan.op == opPointer {
			err = fmt.Errorf("%v is a pointer to a pointer", t)
		}
		return shape{&plan{op: opPointer, typ: t, elem: e.plan}, build.Nullable(e.schema), e.size + 1, e.bare}, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !isText(t.Elem()) {
			return leaf(opBytes, t, build.String().Encoding("base64")), nil
		}
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opSlice, typ: t, elem: e.plan}, build.Array(e.schema), e.size + 1, e.bare}, err
	case reflect.Array:
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opArray, typ: t, elem: e.plan}, build.Array(e.schema).MinItems(t.Len()).MaxItems(t.Len()), e.size + 1, e.bare}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String || isText(t.Key()) {
			return shape{}, fmt.Errorf("%v has keys that are no strings", t)
		}
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opMap, typ: t, elem: e.plan}, build.Map(e.schema), e.size + 1, e.bare}, err
	case reflect.Struct:
		return in.structure(t, outermost)
	}
	return shape{}, fmt.Errorf("%v has no JSON form", t)
}

// known returns the shape of the types that have one of their own.
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

var errDuration = errors.New("time.Duration has no agreed JSON form: use a number of seconds, or a string")
