package typed

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

var (
	errDeep   = errors.New("typed: the value nests too deep, or contains itself")
	errNumber = errors.New("typed: the value has a number without a JSON form")
)

// appendValue appends v as JSON. Members of structs are in the order of the fields, those of maps
// sorted by name.
func appendValue(dst []byte, p *plan, v reflect.Value, depth int) (_ []byte, err error) {
	if depth == 0 {
		return dst, errDeep
	}
	switch p.op {
	case opPointer:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return appendValue(dst, p.elem, v.Elem(), depth-1)
	case opStruct:
		return appendStruct(dst, p, v, depth)
	case opMap:
		return appendMap(dst, p, v, depth)
	case opSlice, opArray:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendValue(dst, p.elem, v.Index(i), depth-1); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
	return appendScalar(dst, p, v)
}

func appendStruct(dst []byte, p *plan, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	some := false
	for i := range p.fields {
		f := &p.fields[i]
		e := f.of(v)
		if f.left(e) {
			continue
		}
		if some {
			dst = append(dst, ',')
		}
		some = true
		dst = append(dst, f.key...)
		if dst, err = appendValue(dst, f.plan, e, depth-1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// left reports whether a member is omitted.
func (f *field) left(v reflect.Value) bool {
	if f.omitZero {
		if f.isZero {
			return v.Interface().(interface{ IsZero() bool }).IsZero() //nolint:forcetypeassert // the plan says so
		}
		return v.IsZero()
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func appendMap(dst []byte, p *plan, v reflect.Value, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	keys := slices.SortedFunc(v.Seq(), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, k.String()), ':')
		if dst, err = appendValue(dst, p.elem, v.MapIndex(k), depth-1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendScalar(dst []byte, p *plan, v reflect.Value) ([]byte, error) {
	switch p.op {
	case opBool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case opInt:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case opUint:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case opFloat:
		f := v.Float()
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return dst, errNumber
		case p.bits == 32:
			return strconv.AppendFloat(dst, f, 'g', -1, 32), nil
		}
		return rawjson.AppendFloat(dst, f), nil
	case opString:
		return rawjson.AppendQuote(dst, v.String()), nil
	case opNumber:
		if _, _, _, ok := rawjson.Decimal(v.String()); !ok && v.Len() > 0 {
			return dst, errNumber
		}
		return append(dst, cmp.Or(v.String(), "0")...), nil
	case opRaw:
		return appendText(dst, rawText(v))
	case opAny:
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		if v = v.Elem(); !isRaw(v.Type()) {
			return dst, fmt.Errorf("typed: an interface holds %v, want jsonrpc.Raw or json.RawMessage", v.Type())
		}
		return appendText(dst, rawText(v))
	case opBytes:
		dst = append(dst, '"')
		return append(base64.StdEncoding.AppendEncode(dst, v.Bytes()), '"'), nil
	}
	return appendOther(dst, p, v)
}

// rawText returns the JSON text of a value whose type isRaw.
func rawText(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return string(v.Bytes())
}

// appendText appends JSON text that the program made; "" becomes null.
func appendText(dst []byte, raw string) ([]byte, error) {
	if raw == "" {
		return append(dst, "null"...), nil
	}
	if !rawjson.Valid(raw) {
		return dst, errors.New("typed: the value has a jsonrpc.Raw that is not JSON")
	}
	return append(dst, raw...), nil
}

// appendOther appends a value of a type with its own form.
func appendOther(dst []byte, p *plan, v reflect.Value) ([]byte, error) {
	if !v.CanAddr() { // of a map
		w := reflect.New(p.typ).Elem()
		w.Set(v)
		v = w
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		t := *x
		if _, offset := t.Zone(); offset%60 != 0 { // the offset would be cut, which makes another instant
			t = t.UTC()
		}
		_, offset := t.Zone()
		if y := t.Year(); y < 0 || y > 9999 || offset <= -24*60*60 || offset >= 24*60*60 {
			return dst, errors.New("typed: the value has a time outside RFC 3339")
		}
		dst = append(dst, '"')
		return append(t.AppendFormat(dst, time.RFC3339Nano), '"'), nil
	case *big.Int:
		return x.Append(dst, 10), nil
	case *big.Float:
		if x.IsInf() {
			return dst, errNumber
		}
		return x.Append(dst, 'g', -1), nil
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		if err != nil {
			return dst, fmt.Errorf("typed: %v: %w", p.typ, err)
		}
		return rawjson.AppendQuote(dst, string(text)), nil
	}
	return dst, fmt.Errorf("typed: %v has no JSON form", p.typ) // no plan has it
}
