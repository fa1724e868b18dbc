package protocol

import (
	"cmp"
	"math"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The functions of this file check what a program built by hand. Text of type
// Raw may come from a conversion, so it is read whole.

// unless returns the reason if a check did not pass.
func unless(ok bool, r Reason) Reason {
	if ok {
		return 0
	}
	return r
}

// verifyText checks any JSON value; an empty one is written as its default.
func verifyText(v Raw) Reason { return unless(v == "" || rawjson.Valid(string(v)), ReasonSyntax) }

func verifyObject(v Raw) Reason {
	if r := verifyText(v); r != 0 || v == "" {
		return r
	}
	return unless(isObject(v), ReasonType)
}

func verifyMeta(v Meta) Reason { return verifyObject(Raw(v)) }

// verifyName checks a text that names something: with U+FFFD in place of what is not
// UTF-8 it would name something else. Prose goes out with U+FFFD.
func verifyName(s string) Reason {
	return unless(utf8.ValidString(s), ReasonUTF8)
}

func verifyCursor(c *Cursor) Reason {
	if c == nil {
		return 0
	}
	return verifyName(string(*c))
}

// verifyKeys checks the keys of a map.
func verifyKeys[V any](m map[string]V) Reason {
	for _, key := range sortedKeys(m) {
		if r := verifyName(key); r != 0 {
			return r
		}
	}
	return 0
}

func verifyObjects(m map[string]Raw) Reason {
	r := verifyKeys(m)
	for _, key := range sortedKeys(m) {
		r = cmp.Or(r, verifyObject(m[key]))
	}
	return r
}

func verifyPrimitives(m map[string]Raw) Reason {
	if r := verifyKeys(m); r != 0 {
		return r
	}
	for _, key := range sortedKeys(m) {
		v := m[key]
		switch {
		case v == "":
			return ReasonMissing
		case !rawjson.Valid(string(v)):
			return ReasonSyntax
		case setPrimitiveMap(nil, `{"":`+string(v)+`}`, true) != 0:
			return ReasonType
		}
	}
	return 0
}

func verifyID(id jsonrpc.ID) Reason {
	switch {
	case id.IsZero():
		return ReasonMissing
	case id == jsonrpc.Null:
		return ReasonType
	}
	return 0
}

func verifyFloat(f float64) Reason { return unless(!math.IsNaN(f) && !math.IsInf(f, 0), ReasonRange) }

func verifyFloatPtr(p *float64) Reason {
	if p == nil {
		return 0
	}
	return verifyFloat(*p)
}

// verifyRange refuses NaN too.
func verifyRange(p *float64, low, high float64) Reason {
	return unless(p == nil || low <= *p && *p <= high, ReasonRange)
}
