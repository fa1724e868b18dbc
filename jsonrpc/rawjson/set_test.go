package rawjson_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func TestSet(t *testing.T) {
	for _, c := range []struct{ raw, key, val, want string }{
		// add
		{``, "k", "1", `{"k":1}`},
		{`{}`, "k", "1", `{"k":1}`},
		{` { } `, "k", "1", ` {"k":1 } `},
		{`{"a":0}`, "k", "1", `{"a":0,"k":1}`},
		{"{ \"a\" : 0\n}", "k", "{}", "{ \"a\" : 0,\"k\":{}\n}"},
		{`{"a":0}`, "q\"\n", "1", `{"a":0,"q\"\n":1}`},
		// replace
		{`{"k":0}`, "k", "1", `{"k":1}`},
		{"{ \"a\" : 1.0 , \"k\" :\t[1, 2] ,\n\"b\":\"\\u0061\" }", "k", "null", "{ \"a\" : 1.0 , \"k\" :\tnull ,\n\"b\":\"\\u0061\" }"},
		{`{"\u006b":0}`, "k", "1", `{"\u006b":1}`},
		{`{"k":0,"a":1,"k":2,"b":3,"k":4,"c":5}`, "k", "9", `{"a":1,"b":3,"k":9,"c":5}`},
		{`{"k":0,"k":1}`, "k", "9", `{"k":9}`},
		// remove
		{``, "k", "", ``},
		{`{}`, "k", "", `{}`},
		{`{"a":1}`, "k", "", `{"a":1}`},
		{`{"k":0}`, "k", "", `{}`},
		{`{ "k":0 }`, "k", "", `{  }`},
		{`{"k":0, "a":1}`, "k", "", `{"a":1}`},
		{`{"a":1, "k":0}`, "k", "", `{"a":1}`},
		{`{"a":1, "k":0 ,  "b":2}`, "k", "", `{"a":1 ,  "b":2}`},
		{`{"k":0,"k":1,"a":2,"k":3}`, "k", "", `{"a":2}`},
		// no valid object: as it is
		{`[1]`, "k", "1", `[1]`},
		{`null`, "k", "1", `null`},
		{`{"k":0`, "k", "1", `{"k":0`},
		{`{"k":0}}`, "k", "1", `{"k":0}}`},
		{`{"a":tru}`, "k", "1", `{"a":tru}`},
	} {
		if got := rawjson.Set(c.raw, c.key, c.val); got != c.want {
			t.Errorf("Set(%s, %q, %s) = %s, want %s", c.raw, c.key, c.val, got, c.want)
		}
	}
}

// without gives the members of raw but those of one name.
func without(raw, key string) (all []string) {
	o, _ := rawjson.Members(raw)
	for {
		k, v, ok := o.Next()
		if !ok {
			return all
		}
		if k != key {
			all = append(all, k+"="+v)
		}
	}
}

func TestSetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := object(1).Draw(t, "raw")
		key := rapid.SampledFrom([]string{"a", "b", "", "x\"y"}).Draw(t, "key")
		val := value(1).Draw(t, "val")

		set := rawjson.Set(raw, key, val)
		if !rawjson.Valid(set) {
			t.Fatalf("Set(%s, %q, %s) = %s, which is not valid", raw, key, val, set)
		}
		if got, ok := rawjson.Get(set, key); !ok || got != val {
			t.Fatalf("after Set(%s, %q, %s): Get = %s, %v", raw, key, val, got, ok)
		}
		if again := rawjson.Set(set, key, val); again != set {
			t.Fatalf("Set twice: %s, then %s", set, again)
		}
		gone := rawjson.Set(set, key, "")
		if _, ok := rawjson.Get(gone, key); ok || !rawjson.Valid(gone) {
			t.Fatalf("removed from %s: %s", set, gone)
		}
		if direct := rawjson.Set(raw, key, ""); rawjson.Set(direct, key, "") != direct {
			t.Fatalf("removed twice from %s: %s", raw, direct)
		}
		for _, after := range []string{set, gone} {
			got, want := without(after, key), without(raw, key)
			if len(got) != len(want) {
				t.Fatalf("%s became %s", raw, after)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s became %s", raw, after)
				}
			}
		}
		if old, ok := rawjson.Get(raw, key); ok && len(without(raw, key))+1 == count(raw) {
			if same := rawjson.Set(raw, key, old); same != raw {
				t.Fatalf("Set to the old value changed %s to %s", raw, same)
			}
		}
	})
}

func count(raw string) (n int) {
	o, _ := rawjson.Members(raw)
	for {
		if _, _, ok := o.Next(); !ok {
			return n
		}
		n++
	}
}

func TestSetIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := jsonish().Draw(t, "raw")
		got := rawjson.Set(raw, "a", "1")
		if o, ok := rawjson.Members(raw); raw != "" && (!ok || !rawjson.Valid(raw)) && got != raw {
			t.Fatalf("%q, no object (%v), became %q", raw, o, got)
		}
	})
}
