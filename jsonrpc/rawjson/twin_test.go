package rawjson_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// near is JSON of all kinds, and what is near it.
var near = texts.Near(` {"a":1,"bé\n":[true,false,null,-1.5e+3],"long name of a member":{}} `, `["\ud83d\ude00\/\b\f\n\r\t\"\\","𝄞é€",{"a":{}}]`)

// JSON is what package encoding/json calls so, with text in UTF-8, and has the members and elements
// that it finds.
func TestAgainstEncodingJSON(t *testing.T) {
	check := func(s string) {
		valid := json.Valid([]byte(s)) && utf8.ValidString(s)
		if got := rawjson.Valid(s); got != valid {
			t.Errorf("Valid(%q) is %v", s, got)
		}
		if got := rawjson.Check(s, 99) == rawjson.OK; got != valid {
			t.Errorf("Check(%q) is %v", s, got)
		}
		if !valid {
			return
		}
		start := rawjson.Space(s, 0)
		trimmed := strings.Trim(s, " \t\r\n")
		if end := rawjson.Skip(s, start, 99); s[start:max(end, start)] != trimmed {
			t.Errorf("Skip(%q) ends at %d", s, end)
		}
		keys, vals := parts(t, trimmed)
		var gotKeys, gotVals []string
		if o, ok := rawjson.Members(s); ok {
			for {
				key, val, more := o.Next()
				if !more {
					break
				}
				name, whole := rawjson.Unquote(key)
				if !whole {
					return // encoding/json puts another character there
				}
				gotKeys, gotVals = append(gotKeys, name), append(gotVals, val)
			}
		}
		if a, ok := rawjson.Elements(s); ok {
			for {
				val, more := a.Next()
				if !more {
					break
				}
				gotVals = append(gotVals, val)
			}
		}
		if !slices.Equal(gotKeys, keys) || !slices.Equal(gotVals, vals) {
			t.Errorf("%q has %q and %q, want %q and %q", s, gotKeys, gotVals, keys, vals)
		}
	}
	for s := range texts.Every(6, "{", "}", "[", "]", ",", ":", `"a"`, "1") {
		check(s)
	}
	for s := range texts.Every(4, `"`, `\`, "u00e9", `\u0000`, "a", "\n", "é", "\xff", " ", "null", "tru", "e") {
		check(s)
	}
	for s := range near {
		check(s)
	}
}

// parts returns the members or elements of a value as encoding/json reads them.
func parts(t *testing.T, s string) (keys, vals []string) {
	if s[0] != '{' && s[0] != '[' {
		return nil, nil
	}
	dec := json.NewDecoder(strings.NewReader(s))
	_, err := dec.Token()
	for err == nil && dec.More() {
		if s[0] == '{' {
			key, _ := dec.Token()
			keys = append(keys, key.(string)) //nolint:forcetypeassert // it is in an object
		}
		var raw json.RawMessage
		if err = dec.Decode(&raw); err == nil {
			vals = append(vals, string(bytes.TrimSpace(raw)))
		}
	}
	if err != nil {
		t.Fatal(s, err)
	}
	return keys, vals
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// A number is what package big reads, if it has the form of JSON.
func TestAgainstBig(t *testing.T) {
	check := func(s string) {
		neg, digits, exp, ok := rawjson.Decimal(s)
		n, whole := rawjson.Int(s)
		f, finite := rawjson.Float(s)
		if !number.MatchString(s) {
			if long := len(s) > 3 && json.Valid([]byte(s)); !long && (ok || whole || finite) {
				t.Errorf("%q is no number: %v, %v, %v", s, ok, whole, finite)
			}
			return
		}
		want, _ := new(big.Rat).SetString(s)
		got, _ := new(big.Rat).SetString("0" + digits + "e" + strconv.FormatInt(exp, 10))
		if neg {
			got.Neg(got)
		}
		if !ok || got.Cmp(want) != 0 || strings.HasSuffix(digits, "0") || strings.HasPrefix(digits, "0") {
			t.Errorf("Decimal(%q) is %v, %q, %d, %v", s, neg, digits, exp, ok)
		}
		if is := want.IsInt() && want.Num().IsInt64(); whole != is || is && n != want.Num().Int64() {
			t.Errorf("Int(%q) is %d, %v", s, n, whole)
		}
		if wantF, err := strconv.ParseFloat(s, 64); finite != (err == nil) || finite && f != wantF {
			t.Errorf("Float(%q) is %v, %v", s, f, finite)
		}
	}
	for s := range texts.Every(5, "0", "1", "25", "-", ".", "e", "+") {
		check(s)
	}
	for s := range texts.Near("-123.4500e+67", "9223372036854775807", "-9223372036854775808", "999999999999999999", "1.79e308", "0.5e-324", "1e19", "-0.0e0") {
		check(s)
	}
}

// A string stands for what encoding/json reads, if all of it is a text.
func TestStringsAgainstEncodingJSON(t *testing.T) {
	check := func(raw string) {
		got, ok := rawjson.Unquote(raw)
		var want string
		if json.Unmarshal([]byte(raw), &want) != nil || !utf8.ValidString(raw) || strings.Contains(strings.ToLower(raw), "ufffd") {
			return // it is no string, or has what encoding/json puts for half a character
		}
		if whole := !strings.Contains(want, "\ufffd"); ok != whole || got != want && whole {
			t.Errorf("Unquote(%q) is %q, %v, want %q", raw, got, ok, want)
		}
		if back := string(rawjson.AppendQuote(nil, want)); !rawjson.Valid(back) {
			t.Errorf("AppendQuote(%q) is %s", want, back)
		} else if again, _ := rawjson.Unquote(back); again != want {
			t.Errorf("AppendQuote(%q) is %s, which stands for %q", want, back, again)
		}
	}
	for s := range texts.Near(`"aé\u0041\ud83d\ude00\/\b\f\n\r\t\"\\"`, `"\ud800\ud83dx\udc00"`, `"𝄞€\uFFFF"`) {
		check(s)
	}
	for s := range texts.Every(4, `\u`, "d83d", "de00", "0041", `\`, "n", "x", "00e") {
		check(`"` + s + `"`)
	}
}
