package rawjson_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// trusted walks raw, which is an object or an array, and takes it on trust. It returns what
// members or elements return, and the values alone.
func trusted(raw string, depth int) (all, values []string, fault rawjson.Fault) {
	if strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") {
		o, _ := rawjson.Members(raw)
		o.Trust(depth)
		for {
			k, v, more := o.Next()
			if !more {
				return all, values, o.Fault()
			}
			all, values = append(all, k+"="+v), append(values, v)
		}
	}
	a, _ := rawjson.Elements(raw)
	a.Trust(depth)
	for {
		v, more := a.Next()
		if !more {
			return all, all, a.Fault()
		}
		all = append(all, v)
	}
}

// doubtful is what trusted returns where nothing is taken on trust.
func doubtful(raw string) ([]string, bool) {
	if strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") {
		return members(raw)
	}
	return elements(raw)
}

// letters are strings in which much looks like the end of something.
func letters() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"a", "bc", "0123456", "01234567", `"`, `\`, "[", "]", "{", "}", ",", ":", "\n", "é", "敏", "😀", "_y"})
	return rapid.Map(rapid.SliceOfN(part, 0, 12), func(s []string) string {
		return string(rawjson.AppendQuote(nil, strings.Join(s, "")))
	})
}

// Text that is valid is walked in the same steps, whether it is validated again or not.
func TestTrustIsAsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.OneOf(value(3), letters(), rapid.Map(letters(), func(s string) string { return "[[" + s + "],{" + s + " : " + s + "} ]" }))
		raw := "[" + strings.Join(rapid.SliceOfN(item, 0, 6).Draw(t, "items"), rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, "comma")) + " ]"
		for _, raw := range []string{raw, `{"a\u0062":` + raw + `, ` + letters().Draw(t, "name") + ` : {"":` + raw + `}}`, object(3).Draw(t, "object"), ` {"a":1} `, `[{}]`} {
			want, bad := doubtful(raw)
			got, _, fault := trusted(raw, rawjson.DefaultDepth)
			if bad || fault != rawjson.OK || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q, %v, want %q", raw, got, fault, want)
			}
		}
	})
}

// On text that nobody has validated a walk on trust ends too, and gives parts of the text
// that are not empty. On valid text it ends well.
func TestTrustIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.OneOf(jsonish(), rapid.Map(rapid.SliceOfN(letters(), 1, 4), func(s []string) string {
			all := "[" + strings.Join(s, ",") + "]"
			return all[:len(all)-1-len(all)/3]
		})).Draw(t, "raw")
		_, values, fault := trusted(raw, 3)
		total := 0
		for _, val := range values {
			if total += len(val); val == "" || !strings.Contains(raw, val) {
				t.Fatalf("%q: %q", raw, values)
			}
		}
		if total > len(raw)-1 && raw != "" {
			t.Fatalf("%q: %q", raw, values)
		}
		first := strings.TrimLeft(raw, " \t\r\n")
		if rawjson.Check(raw, 4) == rawjson.OK && (first[0] == '[' || first[0] == '{') != (fault == rawjson.OK) {
			t.Fatalf("%q: %v", raw, fault)
		}
	})
}

func TestTrustFaults(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		raw   string
		depth int
		want  rawjson.Fault
	}{
		{`[1,[2,{"a":[]}]]`, 3, rawjson.OK}, {`[1,[2,{"a":[]}]]`, 2, rawjson.Depth}, {`{"a":[[]]}`, 2, rawjson.OK}, {`{"a":[[]]}`, 1, rawjson.Depth},
		{nest(513), 512, rawjson.OK}, {nest(514), 512, rawjson.Depth}, {`[` + nest(30) + `,` + nest(31) + `]`, 30, rawjson.Depth},
		{`[` + strings.Repeat(`[[],[],[],[]],`, 99) + `1]`, 2, rawjson.OK},
		{`1`, 9, rawjson.Syntax}, {`[1] 2`, 9, rawjson.Trailing}, {`{"a":1}}`, 9, rawjson.Trailing},
		{`[`, 9, rawjson.Syntax}, {`[1,`, 9, rawjson.Syntax}, {`[1 2]`, 9, rawjson.Syntax}, {`["`, 9, rawjson.Syntax}, {`["\"]`, 9, rawjson.Syntax}, {`["\`, 9, rawjson.Syntax},
		{`[,1]`, 9, rawjson.Syntax}, {`[1,]`, 9, rawjson.Syntax}, {`[[1]`, 9, rawjson.Syntax}, {`[["01234567890`, 9, rawjson.Syntax}, {`[[0,"\`, 9, rawjson.Syntax},
		{`[[0,1,2,3,4,5,6,7,"0123456789012345`, 9, rawjson.Syntax}, {`[[0,1,2,3,4,5,6,7,"012345678\n12345`, 9, rawjson.Syntax},
		{`{"a":1,`, 9, rawjson.Syntax}, {`{"a":1,}`, 9, rawjson.Syntax}, {`{1:1}`, 9, rawjson.Syntax}, {`{"a"1}`, 9, rawjson.Syntax}, {`{"a"`, 9, rawjson.Syntax}, {`{"a":`, 9, rawjson.Syntax}, {`{"a`, 9, rawjson.Syntax}, {`{"a":}`, 9, rawjson.Syntax}, {`{"a"::}`, 9, rawjson.Syntax},
	} {
		if _, _, fault := trusted(c.raw, c.depth); fault != c.want {
			t.Errorf("%.50s at %d: %v, want %v", c.raw, c.depth, fault, c.want)
		}
	}
	// What Jump vouches for is not looked at here either.
	const raw = `{"a":[]]],"b":1}`
	o, _ := rawjson.Members(raw)
	o.Trust(9)
	o.Jump(5, 9)
	if _, val, ok := o.Next(); !ok || val != "[]]]" {
		t.Errorf("%q", val)
	}
	if key, val, ok := o.Next(); !ok || key != "b" || val != "1" {
		t.Errorf("%q: %q", key, val)
	}
}

// A walk without trust names the fault that Check does, wherever it is: in a name, beside
// it, or in a value.
func TestWalkFaults(t *testing.T) {
	for _, raw := range []string{
		`{`, `{"a`, `{"a"`, `{"a" 1}`, `{"a":`, `{"a":}`, `{"a":x}`, `{"a":"x}`, `{"a":1`, `{"a":1 "b":2}`, `{"a":1,}`, `{1:2}`, `{,}`, `{"a\x":1}`, "{\"a\n\":1}", `{}`, `{"a":1}`,
		"{\"\xff\":1}", "{\"a\":1,\"\xed\xa0\x80\":2}", "{\"a\":\"\xff\"}", "{\"a\":[\"\xc0\"]}", "{\"a\" \xff:1}",
		`[`, `[1`, `[1 2]`, `[1,]`, `[,]`, `[x]`, `["x]`, `[[1}]`, "[\"\xff\"]", "[1,[\"\xc3\"]]", "[\xff]", `[]`, `[1]`, `{} 1`, `[] 1`, `{"a":1}}`, `[1]]`,
	} {
		var got rawjson.Fault
		if raw[0] == '{' {
			o, _ := rawjson.Members(raw)
			for ok := true; ok; {
				_, _, ok = o.Next()
			}
			got = o.Fault()
		} else {
			a, _ := rawjson.Elements(raw)
			for ok := true; ok; {
				_, ok = a.Next()
			}
			got = a.Fault()
		}
		if want := rawjson.Check(raw, rawjson.DefaultDepth); got != want {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	}
}
