package uritemplate_test

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

func parseAll(t *testing.T, texts ...string) []Template {
	t.Helper()
	var all []Template
	for _, s := range texts {
		all = append(all, parse(t, s))
	}
	return all
}

// specific lists templates in the order of Compare.
var specific = []string{
	"f:///{a}/b/", "f:///x/{b}", "f:///{a}/b", "f:///x{?q}", "f:///%78{a,b}", "f:///{a}/{b}", "f:///x{/b*}", "f:///{a}/{b}{+c}", "f:///",
	"f:///{b:3}", "f:///{a}", "f:///{c}", "f:///{a:3}{b}", "f:///{a}{b}", "f:///{+a}", "f:///{+a}{b}", "f:///{+a}{/b*}", "{a}", "{/a*}",
}

func TestCompare(t *testing.T) {
	all := parseAll(t, specific...)
	for i, a := range all {
		for j, b := range all {
			if got := Compare(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s and %s compare as %d", a, b, got)
			}
		}
	}
	if Compare(parse(t, "a{b}"), parse(t, "a{b}")) != 0 {
		t.Error("a template is not equal to itself")
	}
}

// Which template is found does not depend on chance or on the order of the templates.
func TestFindIsDeterministic(t *testing.T) {
	for range 1000 {
		for _, texts := range [][]string{{"f:///{a}", "f:///{a}/b"}, {"f:///{a}/b", "f:///{a}"}, {"f:///{+a}", "f:///{a}/b"}} {
			found, ok := NewSet(parseAll(t, texts...)...).Find("f:///x/b")
			if !ok || found.Template.String() != "f:///{a}/b" || texts[found.Index] != "f:///{a}/b" || show(found.Values) != "a=x" {
				t.Fatalf("%v: found %v %v", texts, found, ok)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(templates(), 1, 6).Draw(t, "templates")
		uri := rapid.OneOf(uris(), rapid.Just("f:///x/b")).Draw(t, "uri")
		other := rapid.Permutation(texts).Draw(t, "permutation")
		var one, two []Template
		for i := range texts {
			one, two = append(one, parse(t, texts[i])), append(two, parse(t, other[i]))
		}
		f, ok := NewSet(one...).Find(uri)
		g, ok2 := NewSet(two...).Find(uri)
		if ok != ok2 || f.Template.String() != g.Template.String() || show(f.Values) != show(g.Values) {
			t.Fatalf("%v %v", f, g)
		}
		matching := slices.DeleteFunc(slices.Clone(one), func(tpl Template) bool { _, ok := tpl.Match(uri); return !ok })
		exact := slices.DeleteFunc(slices.Clone(one), func(tpl Template) bool { _, ok := tpl.MatchExact(uri); return !ok })
		if len(exact) > 0 {
			matching = exact
		}
		if ok != (len(matching) > 0) || ok && f.Template.String() != slices.MinFunc(matching, Compare).String() {
			t.Fatalf("found %v in %v", f, matching)
		}
	})
}

func TestFind(t *testing.T) {
	texts := []string{"f:///{a}", "f:///{+a}", "f:///x", "f:///{a}/b", "f:///{a}:{b}{c}", "f:///x{y}", "f:///x", "g:{?q}", "g:{?q}{&r*}"}
	set := NewSet(parseAll(t, texts...)...)
	for _, c := range []struct {
		uri   string
		index int
		want  string
	}{
		{"f:///x", 2, ""}, {"f:///y", 0, "a=y"}, {"f:///y/c", 1, "a=y/c"}, {"f:///x/b", 3, "a=x"}, {"f:///xy", 5, "y=y"}, {"f:///", 0, ""},
		{"f:///a:b", 4, "a=a b=b"}, {"f:///a(", 1, "a=a("}, {"g:?q=1", 7, "q=1"}, {"g:?q=1&x=2", 8, "q=1 r=(x:2|)"}, {"g:?x=1", -1, ""}, {"h:", -1, ""}, {"f:///%", -1, ""},
	} {
		found, ok := set.Find(c.uri)
		if ok != (c.index >= 0) || ok && (found.Index != c.index || found.Template.String() != texts[c.index]) || show(found.Values) != c.want {
			t.Errorf("%s: found %v, %v", c.uri, found, ok)
		}
	}
	if _, ok := (Set{}).Find(""); ok {
		t.Error("the zero Set is not empty")
	}
	sorted := set.Templates()
	if !slices.IsSortedFunc(sorted, Compare) || len(sorted) != len(texts) {
		t.Error(sorted)
	}
}

// A set built one by one equals the set built at once, and the sets on the way do not change.
func TestWith(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(templates(), 0, 40).Draw(t, "templates")
		var all []Template
		var set Set
		sets := []Set{set}
		if cut := rapid.IntRange(0, len(texts)).Draw(t, "at once"); rapid.Bool().Draw(t, "some at once") {
			for _, s := range texts[:cut] {
				all = append(all, parse(t, s))
			}
			set, texts = NewSet(all...), texts[cut:]
			sets = []Set{set}
		}
		start := len(all)
		for _, s := range texts {
			tpl := parse(t, s)
			if rapid.Bool().Draw(t, "branch") {
				set.With(parse(t, "branch{x}"))
			}
			set, all = set.With(tpl), append(all, tpl)
			sets = append(sets, set)
		}
		for i, s := range sets {
			want := NewSet(all[:start+i]...)
			if got := s.Templates(); !slices.EqualFunc(got, want.Templates(), func(a, b Template) bool { return Compare(a, b) == 0 }) {
				t.Fatalf("%v, want %v", got, want.Templates())
			}
			uri := uris().Draw(t, "uri")
			f, ok := s.Find(uri)
			g, ok2 := want.Find(uri)
			if ok != ok2 || f.Index != g.Index || show(f.Values) != show(g.Values) {
				t.Fatalf("%s: %v, want %v", uri, f, g)
			}
		}
	})
}

// Building a set one by one takes time almost linear in its size.
func TestWithIsLinear(t *testing.T) {
	cost := func(n int) uint64 {
		var all []Template
		for i := range n {
			all = append(all, parse(t, "f:///"+strconv.Itoa(i*7919%n)+"/{a}"))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var set Set
		for _, tpl := range all {
			set = set.With(tpl)
		}
		runtime.ReadMemStats(&after)
		if found, ok := set.Find("f:///7/x"); !ok || found.Values.Get("a").String() != "x" || all[found.Index].String() != "f:///7/{a}" {
			t.Fatal(found, ok)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(500), cost(4000); many > 16*few {
		t.Errorf("500 take %d bytes, 4000 take %d", few, many)
	}
}

// Zero values, and values without content.
func TestZeroValues(t *testing.T) {
	for name, set := range map[string]Set{"zero": {}, "empty": NewSet(), "nil": NewSet([]Template(nil)...)} {
		if _, ok := set.Find(""); ok || len(set.Templates()) > 0 {
			t.Errorf("the %s Set is not empty", name)
		}
		with := set.With(Template{})
		if found, ok := with.Find(""); !ok || found.Index != 0 || len(with.Templates()) != 1 {
			t.Errorf("the %s Set with the zero Template: %v %v", name, found, ok)
		}
		if _, ok := with.Find("a"); ok {
			t.Errorf("the %s Set with the zero Template finds a", name)
		}
	}
	var zero Template
	empty := parse(t, "")
	if Compare(zero, empty) != 0 || Compare(zero, parse(t, "a")) <= 0 {
		t.Error("the zero Template is not the empty one")
	}
	for name, v := range map[string]Value{"zero": {}, "no items": List(), "no pairs": Pairs()} {
		if v.Kind() != KindUndefined || v.Defined() || v.String() != "" || v.List() != nil || v.Pairs() != nil || !v.Equal(Value{}) || v.Equal(Text("")) {
			t.Errorf("the %s Value is %v", name, v)
		}
	}
	if v := Values(nil).Get("a"); v.Defined() {
		t.Error("no Values have", v)
	}
	if s, err := parse(t, "x{a,b}{?c*}{#d:3}").Expand(nil); s != "x" || err != nil {
		t.Error(s, err)
	}
	if got := (&Error{}).Error() + "; " + Reason(99).String(); got != "uritemplate: unknown reason at 0; unknown reason" {
		t.Error(got)
	}
	if found := (Found{}); found.Template.String() != "" || found.Values.Get("x").Defined() {
		t.Error(found)
	}
}

// However many templates a peer lists, one Find has a limit. Templates with another start
// do not count toward it.
func TestFindWork(t *testing.T) {
	var variables string
	for i := range 60 {
		variables += "{+v" + strconv.Itoa(i) + "}"
	}
	var list []Template
	for i := range 200 {
		list = append(list, parse(t, variables+"z"+strconv.Itoa(i)))
	}
	long := "x://" + strings.Repeat("a", 4000)
	for _, c := range []struct {
		more, uri string
		found     bool
	}{
		{"y", long, false}, {"x://aaaaaaaa{b}", long, true}, {"y", "x://a-z199", true}, {"y", "x://a-z200", false}, {"{a}", long, false},
	} {
		work, found := FindWork(NewSet(append(slices.Clone(list), parse(t, c.more))...), c.uri)
		if found != c.found || work > 18*MaxWork {
			t.Errorf("%s and %.20s: found %v in %d", c.more, c.uri, found, work)
		}
	}
	list = nil
	for i := range 5000 {
		list = append(list, parse(t, "y://"+strconv.Itoa(i)+variables))
	}
	if work, found := FindWork(NewSet(list...), long); found || work != 0 {
		t.Errorf("templates of another scheme: %v, %d", found, work)
	}
}
