package uritemplate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

// show writes values in a form that tells the kinds apart.
func show(values Values) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(v.Name + "=")
		switch v.Value.Kind() {
		case KindText:
			b.WriteString(v.Value.String())
		case KindList:
			b.WriteString("[" + strings.Join(v.Value.List(), "|") + "]")
		case KindPairs:
			b.WriteString("(")
			for _, p := range v.Value.Pairs() {
				b.WriteString(p.Name + ":" + p.Value + "|")
			}
			b.WriteString(")")
		default:
			b.WriteString("?")
		}
		b.WriteString(" ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

const no = "does not match"

var matchCases = []struct{ template, uri, want string }{
	{"", "", ""}, {"", "a", no}, {"a", "", no}, {"f:///a", "f:///a", ""}, {"f:///a", "f:///a/", no},
	{"f:///{a}", "f:///x", "a=x"}, {"f:///{a}", "f:///x/b", no}, {"f:///{a}/b", "f:///x/b", "a=x"}, {"f:///{a}", "f:///", ""},
	{"f:///{a}", "g:///x", no}, {"f:///{a}", "f:///x?y", no}, {"f:///{a}", "f:///x#y", no}, {"f:///{a}", "f:///[x]", no},

	// spelling
	{"~ü/{a}", "%7e%c3%bc/%61%2f", "a=a/"}, {"~ü/{a}", "%7Eü/ü b\x00", "a=ü b\x00"}, {"a%2fb", "a%2Fb", ""}, {"a%2fb", "a/b", no},
	{"%41", "A", ""}, {"a.b", "a%2Eb", ""}, {"{a}", "%", no}, {"{a}", "%4", no}, {"{a}", "%zz", no}, {"{+a}", "%%41", no}, {"{a}", "%ff%00", "a=\xff\x00"},
	{"{+a}", "a%2Fb/%20%25", "a=a%2Fb/ %"}, {"{+a}", "%2541%254%25%7a%25%25%32%46", "a=%2541%4%z%%252F"}, {"{#a}", "#%23#", "a=%23#"},

	// loose
	{"{a}", "it's%20(ok)!*", "a=it's (ok)!*"}, {"u:{a}", "u:bob@x.org:1", "a=bob@x.org:1"}, {"{a}!{+b}", "x!y!z", "a=x b=y!z"},
	{"{a}!{b}", "x!y!z", "a=x!y b=z"}, {"{a}", "x&y=z;", "a=x&y=z;"}, {"{?q}", "?q=/a?b=c:d", "q=/a?b=c:d"}, {"{?q,r}", "?q=a=b&r=(1)", "q=a=b r=(1)"},
	{"{;q}", ";q=a/b", no}, {"{/a*}", "/a,b!/c", "a=[a,b!|c]"}, {"{a*}", "a=b,c", "a=[a=b|c]"}, {"{?a*}", "?x=(1)&y=a=b", "a=(x:(1)|y:a=b|)"},
	{"{?q}", "?q=#", no}, {"{?q}", "?q=[]", no}, {"{/a}", "/a!;", "a=a!;"},

	// several variables
	{"{x,y}", "1,2", "x=1 y=2"}, {"{x,y}", "1", "x=1"}, {"{x,y}", "1,", "x=1 y="}, {"{x,y}", ",2", "x= y=2"}, {"{x,y}", "", ""},
	{"{x,y}", ",", "x= y="}, {"{x,y}", "1,2,3", "x=1 y=[2|3]"}, {"{+x,y}", "1,2,3", "x=1 y=2,3"}, {"{#x,y}", "#1,2,3", "x=1 y=2,3"},
	{"{.x,y}", ".1.2.3", "x=1 y=2.3"}, {"a{.x}", "a.tar.gz", "x=tar.gz"}, {"a{.x}", "a", ""}, {"a{.x}", "a.", "x="}, {"{.x}", ".1,2", "x=[1|2]"},
	{"{/x,y}", "/1", "x=1"}, {"{/x,y}", "/1/2", "x=1 y=2"}, {"{/x,y}", "/1/2/3", no}, {"{/x,y}", "/1,2/3,4", "x=[1|2] y=[3|4]"},
	{"{/x:1,y}", "/12", "y=12"}, {"{a}{b}", "xyz", "a=xyz"}, {"{a}{/b}{?c}", "x", "a=x"},
	{"{a}{/b}{?c}", "x/y?c=z", "a=x b=y c=z"}, {"{a}b{c}", "xbybz", "a=xby c=z"}, {"{+a}/{b}", "x/y/z", "a=x/y b=z"},

	// The last variable of an expression takes as much as it can, even of a list.
	{"{x},{y}", "1,2,3", "x=[1|2] y=3"}, {"{x,y},{z}", "1,2,3,4", "x=1 y=[2|3] z=4"}, {"{x,y},{z,w}", "1,2,3,4,5", "x=1 y=[2|3|4] z=5"}, {"{+x},{+y}", "1,2,3", "x=1,2 y=3"}, {"{x:1},{y}", "1,2,3", "x=1 y=[2|3]"},
	{"{.x}.{y}", ".1.2.3", "x=1.2 y=3"}, {"{.x,y}.{z}", ".1.2.3.4", "x=1 y=2.3 z=4"}, {"{/x}/{y}", "/1/2/3", no}, {"{/x,y},{z}", "/1,2/3,4,5", "x=[1|2] y=[3|4] z=5"}, {"{;x},{y}", ";x=1,2,3", "x=[1|2] y=3"}, {"{?x},{y}", "?x=1,2,3", "x=[1|2] y=3"}, {"{?x,y},{z}", "?x=1,2&y=3,4,5", "x=[1|2] y=[3|4] z=5"},

	// what sets expressions off
	{"f:{+a}{?b}", "f:x/y?b=1", "a=x/y b=1"}, {"f:{+a}{?b}", "f:x/y?c=1", "a=x/y?c=1"}, {"f:{+a}{?b*}{#c}", "f:x?y=1&z=2#a#?", "a=x b=(y:1|z:2|) c=a#?"},
	{"f:{+a}{?b}{#c}", "f:x#c", "a=x c=c"}, {"f:{+a}{&b}", "f:?x=1&y=2&b=3", "a=?x=1&y=2 b=3"}, {"{+a,b}{;c}", "x,y;z;c=1", "a=x b=y;z c=1"},
	{"{+a*}{?b}", "x=1,y=2?b=", "a=(x:1|y:2|) b="}, {"{a}{;b}", "(x);b=1", "a=(x) b=1"}, {"{+a}x{?b}", "?b=1x?b=2", "a=?b=1 b=2"},
	{"{+a}{/b}{?c}", "x/y?c=1", "a=x/y?c=1"}, {"{+a:3}{#b}", "xy#z", "a=xy b=z"}, {"{a}{?q}{b}", "xyz", "a=xyz"},

	// names
	{"{?a,b}", "?a=1&b=2", "a=1 b=2"}, {"{?a,b}", "?b=2", "b=2"}, {"{?a,b}", "", ""}, {"{?a,b}", "?", no}, {"{?a,b}", "?b=2&a=1", "a=1 b=2"},
	{"{?a,b}", "?a=1&c=2", no}, {"{?a}", "?a", no}, {"{?a}", "?a=", "a="}, {"{?a}", "?a=x,y", "a=[x|y]"}, {"{?a}", "?a=x%2Cy", "a=x,y"},
	{"?f=1{&a,b}", "?f=1", ""}, {"?f=1{&a,b}", "?f=1&b=%26", "b=&"}, {"{;a,b}", ";a;b", "a= b="}, {"{;a,b}", ";a=1;b=2", "a=1 b=2"},
	{"{;a}", ";a=", "a="}, {"{;a}", ";a=1,2", "a=[1|2]"}, {"{;a}", ";ab", no}, {"{?a%20b}", "?a%20b=1", "a%20b=1"},

	// Parameters have no order.
	{"dom://{p}{?selector,includeText}", "dom://x?includeText=true&selector=body", "p=x selector=body includeText=true"},
	{"dom://{p}{?selector,includeText}", "dom://x?selector=body&includeText=true", "p=x selector=body includeText=true"},
	{"dom://{p}{?selector,includeText}", "dom://x?includeText=true", "p=x includeText=true"}, {"dom://{p}{?selector,includeText}", "dom://x?other=1&selector=body", no},
	{"{?a,b,c}", "?c=3&a=1&b=2", "a=1 b=2 c=3"}, {"{?a,b,c}", "?c=3&b=2", "b=2 c=3"}, {"{?a,b}", "?b=2&a=1&b=3", no}, {"{?a,b}", "?b=2&b=3", no}, {"{?a,b}", "?b=2&&a=1", no}, {"{?a,b}", "?b=2&a=1&", no},
	{"{?a,b}", "?b=2&A=1", no}, {"{?a,b}", "?%62=2&%61=1", "a=1 b=2"}, {"{?a,b}", "?b=%26a%3D3&a=1", "a=1 b=&a=3"}, {"{?a,b}", "?b=/x?y&a=(1)", "a=(1) b=/x?y"}, {"{?a,b}", "?b=x,y&a=1", "a=1 b=[x|y]"},
	{"{?a,%62%2F}", "?b%2f=2&a=1", "a=1 %62%2F=2"}, {"{?a:2,b}", "?b=1&a=xyz", no}, {"{?a:2,b}", "?b=1&a=xy", "a=xy b=1"}, {"{?a,b}#x", "?b=2&a=1#x", "a=1 b=2"}, {"{?a,b}{#f}", "?b=2&a=1#?&", "a=1 b=2 f=?&"},
	{"{?a}{&b}", "?b=2&a=1", "a=1 b=2"}, {"{?a}{&b}", "?b=2", no}, {"{?a}{&b*}{&c}", "?c=3&y=2&a=1&x=4", "a=1 b=(y:2|x:4|c:3|)"},
	{"?f=1{&a,b}", "?f=1&b=2&a=1", "a=1 b=2"}, {"?f=1{&a,b}", "?b=2&f=1&a=1", "a=1 b=2"}, {"?f=1{&a}", "?a=1&f=1", "a=1"}, {"?f=1&g=2{&a,b}", "?b=2&f=1&a=1&g=2", "a=1 b=2"}, {"?f=1&g=2{&a,b}", "?g=2&f=1", ""},
	{"x{&a,b}", "x&b=2&a=1", "a=1 b=2"}, {"{?a,b}&f=1", "?b=2&f=1&a=1", "a=1 b=2"}, {"{?a,b}&f=1", "?b=2&a=1", no}, {"?a={&a}{+b*}", "?a=&a=,", "a=[|]"}, {"{?a}&f=1#x", "?f=1&a=1#x", "a=1"}, {"{?a}&f=1#x", "?f=2&a=1#x", no}, {"?f={x}{&a,b}", "?f=1&b=2&a=1", "x=1 a=1 b=2"}, {"{?a,b}&f=1", "?a=1&b=2&f=1", "a=1 b=2"}, {"{?a}/{?b}", "?b=1/?a=2", no},
	{"{?q,r*}", "?x=2&q=1&y=3", "q=1 r=(x:2|y:3|)"}, {"{?r*,q}", "?q=1&x=2", "r=(x:2|q:1|)"}, {"{?r*,q}", "?r=1&q=2&r=3", "r=[1|3] q=2"}, {"{?q,r*}", "?r=1&q=2&r=3", "q=2 r=[1|3]"}, {"{?q,r*}", "?r=1&q=2&x=3", "q=2 r=(r:1|x:3|)"}, {"{?q,r*}", "?q=1&q=2", "q=1 r=(q:2|)"},
	{"{?a,b}{&a}", "?a=1&b=2&a=1", "a=1 b=2"}, {"{?a,b}{&a}", "?a=1&a=1&b=2", "a=1 b=2"}, {"{?a,b}{&a}", "?a=1&a=2&b=2", no}, {"{+p}{?a,b}", "x?b=2&a=1", "p=x a=1 b=2"}, {"{+p}{?a,b}", "x?y?a=1", "p=x?y a=1"}, {"{;a,b}", ";b=2;a=1", no},
	{"{?a*,b*}", "?b=1&a=2&b=3", "a=2 b=[1|3]"}, {"{?a*,b*}", "?x=1&a=2", "a=(x:1|a:2|)"}, {"{?b%2F,r*}", "?x=1&b/=2", "r=(x:1|b/:2|)"}, {"{?b%2F,r*}", "?x=1&b%2f=2", "b%2F=2 r=(x:1|)"}, {"{?a}/x{&b}", "?b=1&a=2/x", no},

	// explode
	{"{a*}", "", ""}, {"{a*}", "x", "a=x"}, {"{a*}", "x,y", "a=[x|y]"}, {"{a*}", "x=1,y=", "a=(x:1|y:|)"}, {"{a*}", "=", "a=(:|)"},
	{"{+a*}", "x=1=2,y=/", "a=(x:1=2|y:/|)"}, {"{+a*}", "x=1,y", "a=[x=1|y]"}, {"{#a*}", "#x/,y", "a=[x/|y]"},
	{"{.a*}", ".x.y", "a=[x|y]"}, {"{.a*}", ".x=1.y=2", "a=(x:1|y:2|)"}, {"{.a*}", ".x=1.5.y=..", "a=(x:1.5|y:..|)"}, {"{.a*,b}", ".x=1.y", "a=(x:1.y|)"}, {"{.a*}", ".k.1=v", "a=(k.1:v|)"}, {"{.a*}", ".x=1.y=(2)", "a=(x:1|y:(2)|)"}, {"{/a*}", "/", "a="}, {"{/a*}", "", ""}, {"{/a*}", "/x//y", "a=[x||y]"},
	{"{/a*,b}", "/x/y", "a=[x|y]"}, {"f://{/a*}/end", "f:///x/y/end", "a=[x|y]"}, {"{;a*}", ";a;a=1", "a=[|1]"}, {"{;a*}", ";x;y=1", "a=(x:|y:1|)"},
	{"{?a*}", "?a=1&a=2", "a=[1|2]"}, {"{?a*}", "?a=1", "a=1"}, {"{?a*}", "?a=1&b=2", "a=(a:1|b:2|)"}, {"{?a*}", "?x", no}, {"{?a*}", "?", no},
	{"{?q,a*}", "?q=1&x=2&y=3", "q=1 a=(x:2|y:3|)"}, {"{?q,a*}", "?x=2", "a=(x:2|)"}, {"{?q}{&a*}", "?q=1&x=2", "q=1 a=(x:2|)"},

	// prefix
	{"{a:3}", "abc", "a=abc"}, {"{a:3}", "ab", "a=ab"}, {"{a:3}", "abcd", no}, {"{a:3}", "%C3%BCbc", "a=übc"}, {"{a:3}", "%C3%BCbcd", no},
	{"{a:2}{b}", "xyz", "a=xy b=z"}, {"{a:2}{b:2}{c:2}", "vwxyz", "a=vw b=xy c=z"}, {"{a:2}z", "xyz", "a=xy"}, {"{a:2}{b}z", "xyzz", "a=xy b=z"},
	{"{a:2}", "%FF%FF", "a=\xff\xff"}, {"{a:2}", "%FF%FF%FF", no}, {"{+a:3}", "/a/", "a=/a/"}, {"{+a:3}", "%2F/%2F/", no}, {"{a:3}", "a,b", "a=a,b"},
	{"{a:2}{b:3}c", "xxxxxxc", no}, {"{a:3}/{b}", "abcd/", no},

	// one name, several times
	{"{a}/{a}", "x/x", "a=x"}, {"{a}/{a}", "x/y", no}, {"{/a:1,a}", "/v/value", "a=value"}, {"{/a:1,a}", "/w/value", no}, {"{a}/{a:2}", "xyz/xy", "a=xyz"},
	{"{a:2}/{a:3}", "xy/xyz", "a=xyz"}, {"{a:3}/{a:2}", "xyz/xy", "a=xyz"}, {"{a:2}/{a:3}", "xy/abc", no}, {"{a}{?a}", "x?a=x", "a=x"}, {"{a}{?a}", "x", no},
	{"/{a}{?a}", "/?a=", "a="}, {"/{a}{?a}", "/?a=x", no}, {"{a}/{a}", "/", ""}, {"{a}{a}", "x", no}, {"{a:1}/{a}", "x,/x,y", no}, {"{/a*}{?a*}", "/x/y?a=x&a=y", "a=[x|y]"},
	{"{a}/{b}/{a}", "x/y/x", "a=x b=y"}, {"{a}/{a}/{b}", "x/y/z", no}, {"{?a}{#a}", "#", no}, {"{?a:2}{#a:3}", "?a=#", "a="}, {"{?a}/{a}", "?a=/", "a="}, {"{a:2}/{b}{?a}", "/y?a=", "a= b=y"},
}

func TestMatch(t *testing.T) {
	for _, c := range matchCases {
		got := no
		if values, ok := parse(t, c.template).Match(c.uri); ok {
			got = show(values)
		}
		if got != c.want {
			t.Errorf("%s reads %q: %s, want %s", c.template, c.uri, got, c.want)
		}
	}
}

func TestMatchLimits(t *testing.T) {
	all := parse(t, "{a}")
	if v, ok := all.Match(strings.Repeat("a", MaxURI)); !ok || len(v.Get("a").String()) != MaxURI {
		t.Error("a uri of MaxURI bytes does not match")
	}
	if _, ok := all.Match(strings.Repeat("a", MaxURI+1)); ok {
		t.Error("a longer uri matches")
	}
	// The product of the lengths is limited too: it matches at the limit, and not beyond.
	for _, text := range []string{"{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}{q}{r}{s}{t}{u}{v}{w}{x}", "{?a,b,c}" + strings.Repeat("{&x*,y}", 100)} {
		tpl := parse(t, text)
		most := MaxWork/Size(tpl) - 1 // characters
		prefix := "x"
		if text[:2] == "{?" {
			prefix = "?a="
		}
		for n := most - 1; n <= most+1; n++ {
			uri := prefix + strings.Repeat("a", n-len(prefix))
			if values, ok := tpl.Match(uri); ok != (n <= most) {
				t.Errorf("%.40s with %d characters: %v %.40v, want %v", text, n, ok, values, n <= most)
			}
			if _, ok := NewSet(tpl).Find(uri); ok != (n <= most) {
				t.Errorf("%.40s with %d characters is found: %v", text, n, ok)
			}
		}
	}
	if fewer := parse(t, "{a,b,c,d,e}{?f,g,h,i,j}{#k,l,m,n}"); Size(fewer)*(MaxURI+1) > MaxWork {
		t.Errorf("14 variables have the size %d", Size(fewer))
	}
	var none Template
	if v, ok := none.Match(""); !ok || len(v) > 0 || none.String() != "" || len(none.Vars()) > 0 {
		t.Error("the zero Template is not the empty one")
	}
	if s, err := none.Expand(rfcValues); s != "" || err != nil {
		t.Error(s, err)
	}
}

// What a match returns belongs to the caller.
func TestMatchShares(t *testing.T) {
	tpl := parse(t, "{a,b*}")
	one, _ := tpl.Match("1,2,3")
	one[0] = Binding{}
	one[1].Value.List()[0] = "changed"
	two, _ := tpl.Match("1,2,3")
	if diff := cmp.Diff("a=1 b=[2|3]", show(two)); diff != "" {
		t.Error(diff)
	}
}

// No match looks at more than its product allows: twice exactly and twice loosely,
// for any template and URI.
func TestMatchWork(t *testing.T) {
	uris := []string{strings.Repeat("a", MaxURI), strings.Repeat("&a=1", MaxURI/4), "?" + strings.Repeat("b=2&a=1&", MaxURI/8-1), strings.Repeat(",", MaxURI), strings.Repeat("/a", 800), "?b=1&a=2"}
	for _, unit := range []string{"{+a}", "{a,b}", "{a*}", "{?a*}", "{&a,b}", "{?b,a}", "{/a*}", "{.a,b*}", "{;a*}", "{a:9}"} {
		for _, n := range []int{1, 20, MaxTemplate / len(unit)} {
			tpl := parse(t, strings.Repeat(unit, n))
			for _, uri := range uris {
				most := 4 * Size(tpl) * (len(uri) + 1)
				if most > 4*MaxWork {
					most = 0
				}
				if work := Work(tpl, uri); work > most {
					t.Errorf("%d times %s looks at %d instructions for %.10s…, want at most %d", n, unit, work, uri, most)
				}
			}
		}
	}
}
