package protocol

import (
	"maps"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Decode reads a T from raw, which may be "" for absent params. The error is a
// *DecodeError.
func Decode[T any, P interface {
	*T
	DecodeJSON(Raw, jsonrpc.Span) error
}](raw Raw) (T, error) {
	var v T
	err := P(&v).DecodeJSON(raw, jsonrpc.Span{})
	return v, err
}

// members opens o, which is zero, as the walk over the object that is raw; absent params
// are an empty object (JRPC-026).
func members(o *rawjson.Object, raw Raw, span jsonrpc.Span) bool {
	if raw == "" {
		raw = "{}"
	}
	ok := o.Open(string(raw))
	o.Jump(int(span.Start), int(span.End))
	return ok
}

// around returns what stands before and after the largest member value, if that is known; the names of
// all members are in it.
func around(raw string, span jsonrpc.Span) (before, after string) {
	if span.Start < span.End && int(span.End) <= len(raw) {
		return raw[:span.Start], raw[span.End:]
	}
	return raw, ""
}

// want is a member that is looked for, and where the text of its value goes.
type want struct {
	name string
	text *string
}

// scan reads the members of an object that are wanted. Of those that repeat the last counts.
func scan(typ string, raw Raw, span jsonrpc.Span, list ...want) error {
	var o rawjson.Object
	if !members(&o, raw, span) {
		return fault(typ, "", ReasonType)
	}
	for key, val := range o.All {
		for _, w := range list {
			if w.name == key {
				*w.text = val
			}
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	return nil
}

// given reports whether raw is the text of a member that is there: null stands
// for an absent one (SCHEMA-024).
func given(raw string) bool { return raw != "" && raw != "null" }

// lack is the reason for a member that is not given.
func lack(raw string, need bool) Reason {
	switch {
	case !need:
		return 0
	case raw == "":
		return ReasonMissing
	}
	return ReasonType
}

// setString checks a string and, where p is not nil, reads it.
func setString(p *string, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	if raw[0] != '"' {
		return ReasonType
	}
	if p != nil { // an unpaired surrogate in a text that nobody compares reads as U+FFFD
		*p, _ = rawjson.Unquote(raw)
	}
	return 0
}

// setCursor reads a cursor. It is given back, so an unpaired surrogate is a fault (PAGE-002,
// JRPC-047).
func setCursor(p **Cursor, raw string) Reason {
	if !given(raw) {
		return 0
	}
	s, ok := rawjson.Unquote(raw)
	switch {
	case raw[0] != '"':
		return ReasonType
	case !ok:
		return ReasonSurrogate
	}
	*p = Ptr(Cursor(s))
	return 0
}

// setID reads an id or a progress token: a string or an integral number (PROG-001, SCHEMA-004).
func setID(p *jsonrpc.ID, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	id, _, ok := jsonrpc.ParseID(raw)
	switch {
	case ok:
		*p = id
		return 0
	case raw[0] == '"':
		return ReasonSurrogate
	case isNumber(raw):
		return notIntegral(raw)
	}
	return ReasonType
}

func setBool(p *bool, raw string) Reason {
	switch raw {
	case "true":
		*p = true
	case "false", "null", "":
	default:
		return ReasonType
	}
	return 0
}

func setBoolPtr(p **bool, raw string) Reason { return setPtr(p, raw, setBool) }

// setPtr reads an optional value with set.
func setPtr[T any](p **T, raw string, set func(*T, string) Reason) Reason {
	if !given(raw) {
		return 0
	}
	var v T
	r := set(&v, raw)
	if r == 0 {
		*p = Ptr(v)
	}
	return r
}

func isNumber(raw string) bool { return raw[0] == '-' || raw[0]-'0' < 10 }

// notIntegral is the reason why a number does not do where an integral one is
// wanted: it is a fraction, or larger than any of use.
func notIntegral(raw string) Reason {
	if _, _, exp, _ := rawjson.Decimal(raw); exp < 0 {
		return ReasonInteger
	}
	return ReasonRange
}

func setInt(p *int64, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	n, ok := rawjson.Int(raw)
	switch {
	case ok:
		*p = n
		return 0
	case isNumber(raw):
		return notIntegral(raw)
	}
	return ReasonType
}

func setIntPtr(p **int64, raw string) Reason {
	return setPtr(p, raw, func(n *int64, raw string) Reason { return setInt(n, raw, true) })
}

func setFloat(p *float64, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	f, ok := rawjson.Float(raw)
	switch {
	case ok:
		*p = f
		return 0
	case isNumber(raw):
		return ReasonRange
	}
	return ReasonType
}

func setFloatPtr(p **float64, raw string) Reason {
	return setPtr(p, raw, func(f *float64, raw string) Reason { return setFloat(f, raw, true) })
}

// setRaw takes any JSON value: null is one where the member is required.
func setRaw(p *Raw, raw string, need bool) Reason {
	if raw == "" || !need && raw == "null" {
		return lack(raw, need)
	}
	*p = Raw(raw)
	return 0
}

func setObject(p *Raw, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	if raw[0] != '{' {
		return ReasonType
	}
	*p = Raw(raw)
	return 0
}

// setAny reads a value of any kind, or else an object. Null is none: so older peers write what is absent.
func setAny(p *Raw, raw string, need, loose bool) Reason {
	if !loose || !given(raw) {
		return setObject(p, raw, need)
	}
	*p = Raw(raw)
	return 0
}

// into returns p, or nil where what p is for is only to be checked.
func into[T any](p *T, skim bool) *T {
	if skim {
		return nil
	}
	return p
}

// built returns a pointer to v, nil where what it is for is only to be checked.
func built[T any](v T, how mode) *T {
	if how.skim {
		return nil
	}
	return Ptr(v)
}

func setStrings(p *[]string, raw string, need bool) Reason {
	if !given(raw) {
		return lack(raw, need)
	}
	var a rawjson.Array
	a.Open(raw)
	list := []string{}
	for val := range a.All {
		if val[0] != '"' {
			return ReasonType
		}
		if p != nil {
			s, _ := rawjson.Unquote(val)
			list = append(roomFor(list, a), s)
		}
	}
	if a.Bad() {
		return ReasonType
	}
	if p != nil {
		*p = list
	}
	return 0
}

func setStringMap(p *map[string]string, raw string) Reason {
	return setMap(p, raw, func(val string) bool { return val[0] == '"' }, func(val string) string {
		s, _ := rawjson.Unquote(val)
		return s
	})
}

// setEnums reads an array of values of an enumeration.
func setEnums[T interface {
	~string
	Valid() bool
}](p *[]T, raw string) Reason {
	if !given(raw) {
		return 0
	}
	var a rawjson.Array
	a.Open(raw)
	var r Reason
	list := []T{}
	for val := range a.All {
		switch s, _ := rawjson.Unquote(val); {
		case val[0] != '"':
			return ReasonType
		case !T(s).Valid():
			r = ReasonValue
		case p != nil:
			list = append(roomFor(list, a), T(s))
		}
	}
	if a.Bad() {
		return ReasonType
	}
	if p != nil {
		*p = list
	}
	return r
}

func setObjectMap(p *map[string]Raw, raw string) Reason {
	return setRawMap(p, raw, func(val string) bool { return startsObject(val[0]) })
}

// setPrimitiveMap reads a map to primitives and, with arrays, to arrays of strings (ELIC-012).
func setPrimitiveMap(p *map[string]Raw, raw string, arrays bool) Reason {
	return setRawMap(p, raw, func(val string) bool {
		return startsPrimitive(val[0]) || arrays && val[0] == '[' && setStrings(nil, val, true) == 0
	})
}

// setRawMap reads a map whose values have to pass fits.
func setRawMap(p *map[string]Raw, raw string, fits func(string) bool) Reason {
	return setMap(p, raw, fits, func(val string) Raw { return Raw(val) })
}

// setMap reads a map of values that pass fits and are read by value. Without p it only checks them.
func setMap[V any](p *map[string]V, raw string, fits func(string) bool, value func(string) V) Reason {
	if !given(raw) {
		return 0
	}
	var o rawjson.Object
	o.Open(raw)
	var m map[string]V
	if p != nil {
		m = map[string]V{}
	}
	for key, val := range o.All {
		if !fits(val) {
			return ReasonType
		}
		if m != nil {
			m[key] = value(val)
		}
	}
	if o.Bad() {
		return ReasonType
	}
	if m != nil {
		*p = m
	}
	return 0
}

// startsObject and its like tell the type of valid JSON by its first byte.
func startsObject(c byte) bool { return c == '{' }

// startsSchema: a JSON Schema is an object or a boolean.
func startsSchema(c byte) bool { return c == '{' || c == 't' || c == 'f' }

func startsPrimitive(c byte) bool {
	return c == '"' || c == '-' || c == 't' || c == 'f' || c-'0' < 10
}

// unmarshal returns data as Raw, and "" if it is null or not valid.
func unmarshal(data []byte) (Raw, error) {
	raw, err := jsonrpc.ParseRaw(data)
	if err != nil || raw == "null" {
		return "", err
	}
	return raw, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
