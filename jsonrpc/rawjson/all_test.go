package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// What is read of all short texts, and of all near an example, is what was read before:
// whether and why not they are JSON, where they end, what their members are.
func TestAllShortTexts(t *testing.T) {
	read := func(s string) string {
		var b strings.Builder
		_, _ = fmt.Fprint(&b, rawjson.Check(s, 2), rawjson.Valid(s), rawjson.Skip(s, 0, 1), rawjson.Type(s), ";")
		if o, ok := rawjson.Members(s); ok {
			for {
				key, val, more := o.Next()
				if !more {
					break
				}
				_, _ = fmt.Fprintf(&b, "%s=%s,", key, val)
			}
			_, _ = fmt.Fprint(&b, o.Bad(), o.Fault(), ";")
		}
		if a, ok := rawjson.Elements(s); ok {
			for {
				val, more := a.Next()
				if !more {
					break
				}
				_, _ = fmt.Fprintf(&b, "%s,", val)
			}
		}
		return b.String()
	}
	texts.Same(t, "299593 of 299593, 42c936d4", texts.Every(6, "{", "}", "[", "]", ",", ":", `"a"`, "1"), read)
	texts.Same(t, "22621 of 22621, f160f8b3", texts.Every(4, `"`, `\`, "u00e9", `\u0000`, "a", "\n", "é", "\xff", " ", "null", "tru", "e"), read)
	texts.Same(t, "31736 of 31736, b90d6d32", texts.Near(` {"a":1,"bé\n":[true,false,null,-1.5e+3],"long name of a member":{}} `, `["\ud83d\ude00\/\b\f\n\r\t\"\\","𝄞é€",{"a":{}}]`), read)
}

// What is read of a number is exact, however it is spelled.
func TestAllShortNumbers(t *testing.T) {
	read := func(s string) string {
		neg, digits, exp, ok := rawjson.Decimal(s)
		n, whole := rawjson.Int(s)
		f, is := rawjson.Float(s)
		if !ok && !whole && !is {
			return ""
		}
		return fmt.Sprint(neg, " ", digits, " ", exp, ok, n, whole, f, is)
	}
	texts.Same(t, "4320 of 137257, d3d361c8", texts.Every(6, "0", "1", "25", "-", ".", "e", "+"), read)
	texts.Same(t, "1846 of 37160, ff99e0cc", texts.Near("-123.4500e+67", "9223372036854775807", "-9223372036854775808", "999999999999999999", "1.7976931348623157e308", "0.5e-324", "1e9223372036854775807", "10e-9223372036854775808"), read)
}

// What a string stands for, and how it is written, are the same for all that is near.
func TestAllNearStrings(t *testing.T) {
	unquote := func(raw string) string {
		s, ok := rawjson.Unquote(raw)
		return fmt.Sprintf("%q%v", s, ok)
	}
	texts.Same(t, "19353 of 19353, 793cb1c1", texts.Near(`"aé\u0041\ud83d\ude00\/\b\f\n\r\t\"\\"`, `"\ud800\ud83dx\udc00"`, `"𝄞€\uFFFF"`), unquote)
	texts.Same(t, "4681 of 4681, 0ec57d28", texts.Every(4, `\u`, "d83d", "de00", "0041", `\`, "n", "x", "00e"), func(s string) string { return unquote(`"` + s + `"`) })
	texts.Same(t, "4645 of 4645, d232ebad", texts.Near("a<\u2028é\x00\x1f\x7f\"\\\xf0\x9d\x84\x9e\xe2\x82"), func(s string) string {
		return string(rawjson.AppendQuote(nil, s))
	})
	texts.Same(t, "3906 of 3906, 4b613c11", texts.Every(5, "a", "é", "€", "𝄞", "\x80"), func(s string) string {
		out := ""
		for most := range 7 {
			out += fmt.Sprintf("%q", rawjson.Clip(s, most))
		}
		return out
	})
}

// What Get, Text and Set find and put is the same in all objects that are near.
func TestAllNearObjects(t *testing.T) {
	edit := func(raw string) string {
		val, ok := rawjson.Get(raw, "b")
		out := fmt.Sprint(val, ok, rawjson.Text(raw, "b"))
		if !rawjson.Valid(raw) || raw[0] != '{' {
			return out
		}
		for _, key := range []string{"a", "b", "c", "x"} {
			out += rawjson.Set(raw, key, "7") + rawjson.Set(raw, key, "")
		}
		return out
	}
	texts.Same(t, "21418 of 21418, d6480925", texts.Near(`{"a":1,"b":"x\n","c":[2]}`, `{ "b" : {"b":1} , "a" : 2 }`, `{"\u0062":3,"b":4,"b":5}`, `{"x":0}`), edit)
	texts.Same(t, "55987 of 55987, d7bd9071", texts.Every(6, "{", "}", ",", `"a":1`, ` `, `"b":"c"`), edit)
}
