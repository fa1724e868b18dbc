package rawjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// members walks raw and gives "name=value" for each member.
func members(raw string) (all []string, bad bool) {
	o, ok := rawjson.Members(raw)
	for {
		k, v, more := o.Next()
		if !more {
			break
		}
		all = append(all, k+"="+v)
	}
	if _, _, again := o.Next(); again {
		panic("a member after the end")
	}
	return all, !ok || o.Bad()
}

func elements(raw string) (all []string, bad bool) {
	a, ok := rawjson.Elements(raw)
	for {
		v, more := a.Next()
		if !more {
			break
		}
		all = append(all, v)
	}
	if _, again := a.Next(); again {
		panic("an element after the end")
	}
	return all, !ok || a.Bad()
}

func TestMembers(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want []string
	}{
		{`{}`, nil},
		{" { \n} ", nil},
		{`{"a":1}`, []string{"a=1"}},
		{" {\t\"a\" : 1 ,\n\"\\u0062\\n\":[1, 2] , \"\" : { } } ", []string{"a=1", "b\n=[1, 2]", "={ }"}},
		{`{"a":1,"a":"x"}`, []string{"a=1", `a="x"`}},
		{`{"\ud800":null}`, []string{"\ufffd=null"}},
	} {
		if got, bad := members(c.raw); bad || !reflect.DeepEqual(got, c.want) {
			t.Errorf("members of %s: %q, bad %v, want %q", c.raw, got, bad, c.want)
		}
	}
	deep := strings.Repeat(`{"a":`, 5000) + "0" + strings.Repeat("}", 5000)
	if got, bad := members(deep); bad || len(got) != 1 {
		t.Errorf("5000 levels: %d members, bad %v", len(got), bad)
	}
	for _, raw := range []string{
		``, ` `, `[]`, `1`, `"{}"`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":1]`, `{"a":1 "b":2}`, `{,}`, `{1:2}`,
		`{"a":nul}`, `{"a":[1}`, `{}x`, `{"a":1}}`, "{\"\xff\":1}", `{"a":1;"b":2}`,
	} {
		if got, bad := members(raw); !bad {
			t.Errorf("members of %s: %q, not bad", raw, got)
		}
	}
	var zero rawjson.Object
	if _, _, ok := zero.Next(); ok || zero.Bad() {
		t.Error("the zero Object has members or is bad")
	}
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want []string
	}{
		{`[]`, nil},
		{" [ ] ", nil},
		{" [ 1 ,\n\"a,]\" , [ ],{}] ", []string{"1", `"a,]"`, "[ ]", "{}"}},
	} {
		if got, bad := elements(c.raw); bad || !reflect.DeepEqual(got, c.want) {
			t.Errorf("elements of %s: %q, bad %v, want %q", c.raw, got, bad, c.want)
		}
	}
	for _, raw := range []string{``, `{}`, `null`, `[`, `[1`, `[1,`, `[1,]`, `[1}`, `[1 2]`, `[,]`, `[nul]`, `[]]`, `[[]`} {
		if got, bad := elements(raw); !bad {
			t.Errorf("elements of %s: %q, not bad", raw, got)
		}
	}
}

func TestJump(t *testing.T) {
	const raw = `{"a":1,"big":[10,20,30],"c":2}`
	start := strings.Index(raw, "[")
	end := strings.Index(raw, "]") + 1
	walk := func(raw string, start, end int) (all []string, bad bool) {
		o, _ := rawjson.Members(raw)
		o.Jump(start, end)
		for {
			k, v, ok := o.Next()
			if !ok {
				return all, o.Bad()
			}
			all = append(all, k+"="+v)
		}
	}
	want := []string{"a=1", "big=[10,20,30]", "c=2"}
	// The value is taken on trust: one that would not pass is not looked at.
	broken := strings.Replace(raw, "20", "2x", 1)
	if got, bad := walk(broken, start, end); bad || len(got) != 3 || got[1] != "big=[10,2x,30]" {
		t.Errorf("with the span: %q, bad %v", got, bad)
	}
	if _, bad := walk(broken, 0, 0); !bad {
		t.Error("without a span nothing is taken on trust")
	}
	for _, span := range [][2]int{{0, 0}, {1, 2}, {start + 1, end}, {end, start}, {start, len(raw) + 1}, {-5, -1}, {-5, 5}, {0, len(raw)}} {
		if got, bad := walk(raw, span[0], span[1]); bad || !reflect.DeepEqual(got, want) {
			t.Errorf("with the useless span %v: %q, bad %v", span, got, bad)
		}
	}
	// A wrong end of a right start misleads the walk, but not the program.
	for end := range len(raw) + 1 {
		walk(raw, start, end)
	}
}

func TestGet(t *testing.T) {
	for _, c := range []struct {
		raw, key, want string
		ok             bool
	}{
		{`{"a":1,"b":2}`, "b", "2", true},
		{`{"a":1,"b":2,"a":3}`, "a", "3", true},
		{`{"\u0061":1}`, "a", "1", true},
		{`{"a":1}`, "A", "", false},
		{`{"a":1}`, `"a"`, "", false},
		{`{"a":{"b":1}}`, "b", "", false},
		{`{"a":null}`, "a", "null", true},
		{`{}`, "", "", false},
		{`{"":0}`, "", "0", true},
		{`{"a":1,`, "a", "", false},
		{`[1]`, "a", "", false},
		{``, "a", "", false},
	} {
		if got, ok := rawjson.Get(c.raw, c.key); got != c.want || ok != c.ok {
			t.Errorf("Get(%s, %q) = %q, %v, want %q, %v", c.raw, c.key, got, ok, c.want, c.ok)
		}
	}
}

// A walk over an object finds what encoding/json finds, last of duplicates.
func TestWalkAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := object(2).Draw(t, "raw")
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		o, ok := rawjson.Members(raw)
		got := map[string]json.RawMessage{}
		for {
			k, v, more := o.Next()
			if !more {
				break
			}
			got[k] = json.RawMessage(v)
		}
		if !ok || o.Bad() || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %q, bad %v, want %q", raw, got, o.Bad(), want)
		}
		for k, v := range want {
			if val, ok := rawjson.Get(raw, k); !ok || val != string(v) {
				t.Fatalf("Get(%s, %q) = %q, %v", raw, k, val, ok)
			}
		}
	})
}

// On whatever text, a walk ends, and it ends well exactly on a valid object or array.
func TestWalkIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := jsonish().Draw(t, "raw")
		valid, first := rawjson.Valid(raw), byte(0)
		if i := rawjson.Space(raw, 0); i < len(raw) {
			first = raw[i]
		}
		if _, bad := members(raw); bad == (valid && first == '{') {
			t.Fatalf("%q: valid %v, object bad %v", raw, valid, bad)
		}
		if _, bad := elements(raw); bad == (valid && first == '[') {
			t.Fatalf("%q: valid %v, array bad %v", raw, valid, bad)
		}
	})
}
