package typed

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// maxDigits is the greatest number of digits of a big number, before and after the point.
const maxDigits = 4096

// scalar reads a value that is neither an object nor an array, or is kept as text.
func (r *reader) scalar(i, depth int, p *plan, v reflect.Value) int {
	end := rawjson.Skip(r.text, i, depth)
	if end < 0 {
		return end
	}
	raw := r.text[i:end]
	switch p.op {
	case opBool:
		if raw != "true" && raw != "false" {
			r.mismatch(raw[0], wants[p.op])
			return end
		}
		v.SetBool(raw == "true")
	case opInt, opUint, opBigInt:
		r.integer(raw, p, v)
	case opFloat, opNumber, opBigFloat:
		r.number(raw, p, v)
	case opRaw:
		if v.Kind() == reflect.String {
			v.SetString(raw)
		} else {
			v.SetBytes([]byte(raw))
		}
	case opAny:
		v.Set(reflect.ValueOf(jsonrpc.Raw(raw)))
	default:
		r.texts(raw, p, v)
	}
	return end
}

func (r *reader) integer(raw string, p *plan, v reflect.Value) {
	neg, digits, exp, ok := rawjson.Decimal(raw)
	if !ok || exp < 0 {
		r.mismatch(raw[0], wants[p.op])
		return
	}
	n, small := rawjson.Int(raw)
	switch {
	case p.op == opInt && small && !v.OverflowInt(n):
		v.SetInt(n)
	case p.op == opInt:
		r.fault(schema.ArgumentRange, "an integer of "+strconv.Itoa(p.bits)+" bits")
	case p.op == opUint && small && n >= 0 && !v.OverflowUint(uint64(n)):
		v.SetUint(uint64(n))
	case p.op == opUint:
		u, ok := unsigned(neg, digits, exp)
		if !ok || v.OverflowUint(u) {
			r.fault(schema.ArgumentRange, "an integer of "+strconv.Itoa(p.bits)+" bits that is not negative")
			return
		}
		v.SetUint(u)
	case int64(len(digits))+exp > maxDigits:
		r.fault(schema.ArgumentRange, "an integer of at most "+strconv.Itoa(maxDigits)+" digits")
	default:
		b := v.Addr().Interface().(*big.Int) //nolint:forcetypeassert // the plan says so
		b.SetString(cmp.Or(digits, "0")+strings.Repeat("0", int(exp)), 10)
		if neg {
			b.Neg(b)
		}
	}
}

func unsigned(neg bool, digits string, exp int64) (uint64, bool) {
	if neg || int64(len(digits))+exp > 20 {
		return 0, false
	}
	u, err := strconv.ParseUint(cmp.Or(digits, "0")+strings.Repeat("0", int(exp)), 10, 64)
	return u, err == nil
}

func (r *reader) number(raw string, p *plan, v reflect.Value) {
	_, digits, exp, ok := rawjson.Decimal(raw)
	if !ok {
		r.mismatch(raw[0], wants[p.op])
		return
	}
	switch p.op {
	case opNumber:
		v.SetString(raw)
	case opFloat:
		f, err := strconv.ParseFloat(raw, p.bits) // directly, also for a float32
		if err != nil {
			r.fault(schema.ArgumentRange, "a number of "+strconv.Itoa(p.bits)+" bits")
			return
		}
		v.SetFloat(f)
	default:
		if int64(len(digits))+max(exp, 0) > maxDigits || exp < -maxDigits {
			r.fault(schema.ArgumentRange, "a number of at most "+strconv.Itoa(maxDigits)+" digits")
			return
		}
		b := v.Addr().Interface().(*big.Float) //nolint:forcetypeassert // the plan says so
		b.SetPrec(max(256, uint(4*len(digits))))
		b.Parse(raw, 10) //nolint:errcheck // every number of JSON is one of Go
	}
}

// texts reads a string.
func (r *reader) texts(raw string, p *plan, v reflect.Value) {
	if raw[0] != '"' {
		r.mismatch(raw[0], wants[p.op])
		return
	}
	s, ok := rawjson.Unquote(raw)
	if !ok {
		r.fault(schema.ArgumentText, "")
		return
	}
	switch p.op {
	case opString:
		v.SetString(s)
	case opBytes:
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil || strings.ContainsAny(s, "\r\n") {
			r.fault(schema.ArgumentType, wants[p.op])
			return
		}
		v.SetBytes(b)
	case opTime:
		t, ok := parseTime(s)
		if !ok {
			r.fault(schema.ArgumentType, wants[p.op])
			return
		}
		v.Set(reflect.ValueOf(t))
	default:
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil { //nolint:forcetypeassert // the plan says so
			r.fault(schema.ArgumentType, "a "+nameOfType(p.typ))
		}
	}
}

// nameOfType returns the name of a type without its package.
func nameOfType(t reflect.Type) string { return cmp.Or(t.Name(), "value") }

// parseTime parses a time of RFC 3339, independent of the local time zone.
func parseTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' || s[13] != ':' || strings.Contains(s, ",") {
		return time.Time{}, false // what package time accepts beyond the standard
	}
	if n := len(s) - len("+00:00"); s[n+3] == ':' && s[n] != ':' && (s[n+1:n+3] > "23" || s[n+4:] > "59") {
		return time.Time{}, false
	}
	t, err := time.ParseInLocation(time.RFC3339, s, time.UTC)
	return t, err == nil
}
