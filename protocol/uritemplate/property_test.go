package uritemplate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/cputime"
	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

var unit = regexp.MustCompile(`%..|.`)

// Match returns what its simple twin returns.
func TestMatchIsItsTwin(t *testing.T) {
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := pieces().Draw(t, "pieces")
		tpl := parse(t, text(pieces))
		for range 20 {
			uri := uris().Draw(t, "uri")
			want := no
			for _, loose := range []bool{false, true} {
				given := unit.FindAllString(uri, -1)
				m := twin{uri: sorted(pieces, given), pieces: pieces, loose: loose, found: map[string]Value{}}
				if !m.match() {
					if m.uri, m.found = given, map[string]Value{}; !m.match() {
						continue
					}
				}
				var values Values
				for _, v := range tpl.Vars() {
					if val, ok := m.found[v.Name]; ok {
						values = append(values, Binding{v.Name, val})
					}
				}
				want = show(values)
				break
			}
			got := no
			if values, ok := tpl.Match(uri); ok {
				got = show(values)
				matched++
			}
			if got != want {
				t.Fatalf("%s reads %q: %s, its twin %s", tpl, uri, got, want)
			}
		}
	})
	if matched == 0 {
		t.Error("nothing matched")
	}
}

// Values that Match finds expand to the URI, and are found again in it.
func TestExpandOfMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := parse(t, templates().Draw(t, "template"))
		check := func(uri string, values Values) {
			again, err := tpl.Expand(values)
			if err != nil {
				t.Fatal(err)
			}
			// Of ;a and ;a= Expand writes only the first, and parameters are in order.
			if uri != again && !Same(uri, again) && !sameParameters(uri, again) && !strings.ContainsRune(tpl.String(), ';') {
				t.Fatalf("%s reads %q as %s, which gives %q", tpl, uri, show(values), again)
			}
			if found, ok := tpl.MatchExact(again); !ok || show(found) != show(values) && !strings.ContainsRune(tpl.String(), ';') {
				t.Fatalf("%s reads %q as %s, which gives %q, which is read as %s", tpl, uri, show(values), again, show(found))
			}
		}
		uri := rapid.OneOf(uris(), rapid.StringN(0, 10, 20)).Draw(t, "uri")
		if values, ok := tpl.MatchExact(uri); ok {
			check(uri, values)
		}
		var values Values
		for _, v := range tpl.Vars() {
			values = append(values, Binding{v.Name, value(v.Prefix > 0).Draw(t, "value")})
		}
		uri, err := tpl.Expand(values)
		if err != nil {
			t.Fatal(err)
		}
		found, ok := tpl.MatchExact(uri)
		if !ok {
			t.Fatalf("%s with %s gives %q, which does not match", tpl, show(values), uri)
		}
		check(uri, found)
	})
}

// sameParameters reports whether two URIs are spelled the same way, apart from the order of
// their parameters.
func sameParameters(a, b string) bool {
	parts := func(uri string) []string {
		head, tail, _ := strings.Cut(uri, "#")
		list := strings.FieldsFunc(head, func(c rune) bool { return c == '?' || c == '&' })
		slices.Sort(list)
		return append(list, tail)
	}
	return slices.EqualFunc(parts(a), parts(b), Same)
}

func value(onlyText bool) *rapid.Generator[Value] {
	s := rapid.OneOf(rapid.String(), uris(), rapid.StringMatching(`[%0-9A-Fa-f\x{80}-\x{ff}]*`))
	return rapid.Custom(func(t *rapid.T) Value {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		switch {
		case kind == 0:
			return Value{}
		case kind == 1 && !onlyText:
			return List(rapid.SliceOfN(s, 0, 3).Draw(t, "list")...)
		case kind == 2 && !onlyText:
			return Pairs(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair { return Pair{s.Draw(t, "name"), s.Draw(t, "value")} }), 0, 3).Draw(t, "pairs")...)
		}
		return Text(s.Draw(t, "text"))
	})
}

// Where the URI tells the values apart, Match returns what Expand got.
func TestMatchOfExpand(t *testing.T) {
	str := rapid.String()
	full := rapid.StringN(1, -1, -1)
	free := rapid.Map(full, func(s string) string { return strings.NewReplacer("%", "", ",", "").Replace(s) + "x" })
	nodot := rapid.Map(str, func(s string) string { return strings.ReplaceAll(s, ".", "") })
	list := func(item *rapid.Generator[string]) *rapid.Generator[Value] {
		return rapid.Map(rapid.SliceOfN(item, 2, 4), func(s []string) Value { return List(s...) })
	}
	texts := func(s *rapid.Generator[string]) *rapid.Generator[Value] { return rapid.Map(s, Text) }
	either := rapid.OneOf(texts(str), list(str), rapid.Just(Value{}))
	pairs := rapid.Map(rapid.SliceOfN(str, 1, 3), func(s []string) Value {
		ps := []Pair{{"name that no variable has", ""}}
		for _, s := range s {
			ps = append(ps, Pair{"name " + s, s})
		}
		return Pairs(ps...)
	})
	for template, values := range map[string][]*rapid.Generator[Value]{
		"f:///{a}/{b}":             {texts(full), rapid.OneOf(texts(full), list(str))},
		"f:///{a,b}/{c*}":          {texts(full), either, rapid.OneOf(texts(full), list(str), pairs)},
		"f:{+a}":                   {texts(free)},
		"f:{+a}{?b}{#c}":           {texts(rapid.Map(free, func(s string) string { return strings.NewReplacer("?", "", "#", "").Replace(s) })), either, texts(free)},
		"f:{+a,b}{#c}":             {texts(free), texts(rapid.Map(free, func(s string) string { return strings.ReplaceAll(s, "#", "") })), texts(free)},
		"f:{+a*}":                  {list(rapid.Map(free, func(s string) string { return strings.ReplaceAll(s, "=", "") }))},
		"f{.a,b}":                  {texts(nodot), texts(str)},
		"f{.a*}":                   {list(nodot)},
		"f:{/a,b}/x":               {rapid.OneOf(texts(str), list(str)), rapid.OneOf(texts(str), list(str))},
		"f:{/a*}":                  {rapid.OneOf(list(str), pairs, texts(str))},
		"f{;a,b}":                  {either, either},
		"f{?a,b}":                  {either, either},
		"f?x=1{&a,b}{#c}":          {either, either, texts(free)},
		"f{?a,b*}":                 {either, pairs},
		"f{?a*}":                   {rapid.OneOf(list(str), texts(str), pairs)},
		"f{;a*}":                   {rapid.OneOf(list(str), texts(str), pairs)},
		"f:///{a:1}/{a}":           {texts(full)},
		"f:{+a:3,a}/{b}{?a}":       {texts(rapid.StringMatching(`[a-z/]{1,9}`)), texts(full)},
		"ü:{a}%2f/{b}'{?%61,c:40}": {texts(full), texts(full), either, texts(rapid.StringN(0, 40, -1))},
	} {
		tpl := parse(t, template)
		rapid.Check(t, func(t *rapid.T) {
			var want, given Values
			seen := map[string]bool{}
			k := 0
			for _, v := range tpl.Vars() {
				if seen[v.Name] {
					continue
				}
				seen[v.Name] = true
				val := values[k].Draw(t, v.Name)
				if k++; val.Defined() {
					want = append(want, Binding{v.Name, val})
				}
				given = append(Values{{v.Name, val}}, given...)
			}
			uri, err := tpl.Expand(given)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := tpl.Match(uri); !ok || show(got) != show(want) {
				t.Fatalf("%s with %q gives %q, which is read as %q", tpl, show(want), uri, show(got))
			}
		})
	}
}

// All functions accept any text.
func TestAnyInput(t *testing.T) {
	junk := rapid.OneOf(rapid.String(), rapid.StringMatching(`([{}+#./;?&=,!|:*%a-c0-9]|%[0-9a-f]{2}|\{[a-c]\*?\})*`))
	rapid.Check(t, func(t *rapid.T) {
		template, uri := junk.Draw(t, "template"), junk.Draw(t, "uri")
		tpl, err := Parse(template)
		if e := fault(err); err != nil && (e.Reason == 0 || e.Offset < 0 || e.Offset > len(template)) {
			t.Fatalf("%q: %v", template, err)
		}
		if err == nil && tpl.String() != template {
			t.Fatalf("%q became %q", template, tpl)
		}
		tpl.Match(uri)
		var values Values
		for _, v := range tpl.Vars() {
			values = append(values, Binding{v.Name, value(false).Draw(t, "value")})
		}
		if s, err := tpl.Expand(values); err == nil && len(s) <= MaxURI {
			if tpl.Match(s); strings.ContainsAny(s, " \"<>\\^`{|}") {
				t.Fatalf("%q gives %q", template, s)
			}
		}
	})
}

// Eight times the uri costs about eight times the time, and not 64 times.
func TestMatchIsLinear(t *testing.T) {
	for _, c := range []struct{ template, uri, end string }{
		{"{+a}{+b}{+c}", "a", ""}, {"{+a}{+b}{+c}x", "a", "y"}, {"{a}{b}{c}{d}{e}/x", "a", "/y"}, {"{a*}{b*}{c*}", "a=,", "/"},
		{"{?a*,b*}{&c*}{&d*}", "&a=a", "#"}, {"{+a:9999}{+b:9999}{+c:9999}", "a", ""}, {"{/a*,b*,c*}", "/", "?"}, {"{+a}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a", ""},
		{"{a,b}{a,b}{a,b}", ",", "/"}, {"{;a*}{;a*}", ";a", "/"}, {"{a:2}{/b*}", "%C3/", "ü"}, {"{.a*}{.b*}{.c*}", ".", "=/"}, {"{.a*}", ".a=a", ""}, {"{.a*,b*}", ".a=a!", ""}, {"{+a,b}{?c}{#d}", "?,#", ""},
	} {
		tpl := parse(t, c.template)
		once := func(n int) time.Duration {
			uri := strings.Repeat(c.uri, n/len(c.uri)) + c.end
			start := cputime.Now()
			tpl.Match(uri)
			return cputime.Now() - start
		}
		n := 1250
		if testing.Short() {
			n = 500
		}
		// A busy machine only ever adds time: the least of several rounds counts.
		short, long := time.Hour, time.Hour
		for range 20 {
			short, long = min(short, once(n)), min(long, once(8*n))
			if long <= 24*short {
				break
			}
		}
		if long > 32*short+time.Millisecond {
			t.Errorf("%s: %d bytes take %v, %d take %v", c.template, n, short, 8*n, long)
		}
	}
}
