package uritemplate_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

// rfcValues are the definitions of RFC 6570, section 3.2. undef is not one of them.
var rfcValues = Values{
	{"count", List("one", "two", "three")},
	{"dom", List("example", "com")},
	{"dub", Text("me/too")},
	{"hello", Text("Hello World!")},
	{"half", Text("50%")},
	{"var", Text("value")},
	{"who", Text("fred")},
	{"base", Text("http://example.com/home/")},
	{"path", Text("/foo/bar")},
	{"list", List("red", "green", "blue")},
	{"keys", Pairs(Pair{"semi", ";"}, Pair{"dot", "."}, Pair{"comma", ","})},
	{"v", Text("6")},
	{"x", Text("1024")},
	{"y", Text("768")},
	{"empty", Text("")},
	{"empty_keys", Pairs()},
	{"undef", Value{}},
}

type example struct{ template, uri string }

// rfcExamples are those of sections 1.2 and 3.2 of RFC 6570. The former use a
// subset of the values of the latter.
var rfcExamples = map[string][]example{
	"1.2 level 1": {{"{var}", "value"}, {"{hello}", "Hello%20World%21"}},
	"1.2 level 2": {
		{"{+var}", "value"}, {"{+hello}", "Hello%20World!"}, {"{+path}/here", "/foo/bar/here"}, {"here?ref={+path}", "here?ref=/foo/bar"},
		{"X{#var}", "X#value"}, {"X{#hello}", "X#Hello%20World!"},
	},
	"1.2 level 3": {
		{"map?{x,y}", "map?1024,768"}, {"{x,hello,y}", "1024,Hello%20World%21,768"},
		{"{+x,hello,y}", "1024,Hello%20World!,768"}, {"{+path,x}/here", "/foo/bar,1024/here"},
		{"{#x,hello,y}", "#1024,Hello%20World!,768"}, {"{#path,x}/here", "#/foo/bar,1024/here"},
		{"X{.var}", "X.value"}, {"X{.x,y}", "X.1024.768"},
		{"{/var}", "/value"}, {"{/var,x}/here", "/value/1024/here"},
		{"{;x,y}", ";x=1024;y=768"}, {"{;x,y,empty}", ";x=1024;y=768;empty"},
		{"{?x,y}", "?x=1024&y=768"}, {"{?x,y,empty}", "?x=1024&y=768&empty="},
		{"?fixed=yes{&x}", "?fixed=yes&x=1024"}, {"{&x,y,empty}", "&x=1024&y=768&empty="},
	},
	"1.2 level 4": {
		{"{var:3}", "val"}, {"{var:30}", "value"}, {"{list}", "red,green,blue"}, {"{list*}", "red,green,blue"},
		{"{keys}", "semi,%3B,dot,.,comma,%2C"}, {"{keys*}", "semi=%3B,dot=.,comma=%2C"},
		{"{+path:6}/here", "/foo/b/here"}, {"{+list}", "red,green,blue"}, {"{+list*}", "red,green,blue"},
		{"{+keys}", "semi,;,dot,.,comma,,"}, {"{+keys*}", "semi=;,dot=.,comma=,"},
		{"{#path:6}/here", "#/foo/b/here"}, {"{#list}", "#red,green,blue"}, {"{#list*}", "#red,green,blue"},
		{"{#keys}", "#semi,;,dot,.,comma,,"}, {"{#keys*}", "#semi=;,dot=.,comma=,"},
		{"X{.var:3}", "X.val"}, {"X{.list}", "X.red,green,blue"}, {"X{.list*}", "X.red.green.blue"},
		{"X{.keys}", "X.semi,%3B,dot,.,comma,%2C"}, {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C"},
		{"{/var:1,var}", "/v/value"}, {"{/list}", "/red,green,blue"}, {"{/list*}", "/red/green/blue"}, {"{/list*,path:4}", "/red/green/blue/%2Ffoo"},
		{"{/keys}", "/semi,%3B,dot,.,comma,%2C"}, {"{/keys*}", "/semi=%3B/dot=./comma=%2C"},
		{"{;hello:5}", ";hello=Hello"}, {"{;list}", ";list=red,green,blue"}, {"{;list*}", ";list=red;list=green;list=blue"},
		{"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"}, {"{;keys*}", ";semi=%3B;dot=.;comma=%2C"},
		{"{?var:3}", "?var=val"}, {"{?list}", "?list=red,green,blue"}, {"{?list*}", "?list=red&list=green&list=blue"},
		{"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"}, {"{?keys*}", "?semi=%3B&dot=.&comma=%2C"},
		{"{&var:3}", "&var=val"}, {"{&list}", "&list=red,green,blue"}, {"{&list*}", "&list=red&list=green&list=blue"},
		{"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"}, {"{&keys*}", "&semi=%3B&dot=.&comma=%2C"},
	},
	"3.2.1": {
		{"{count}", "one,two,three"}, {"{count*}", "one,two,three"}, {"{/count}", "/one,two,three"}, {"{/count*}", "/one/two/three"},
		{"{;count}", ";count=one,two,three"}, {"{;count*}", ";count=one;count=two;count=three"},
		{"{?count}", "?count=one,two,three"}, {"{?count*}", "?count=one&count=two&count=three"}, {"{&count*}", "&count=one&count=two&count=three"},
	},
	"3.2.2": {
		{"{var}", "value"}, {"{hello}", "Hello%20World%21"}, {"{half}", "50%25"}, {"O{empty}X", "OX"}, {"O{undef}X", "OX"},
		{"{x,y}", "1024,768"}, {"{x,hello,y}", "1024,Hello%20World%21,768"}, {"?{x,empty}", "?1024,"}, {"?{x,undef}", "?1024"},
		{"?{undef,y}", "?768"}, {"{var:3}", "val"}, {"{var:30}", "value"}, {"{list}", "red,green,blue"}, {"{list*}", "red,green,blue"},
		{"{keys}", "semi,%3B,dot,.,comma,%2C"}, {"{keys*}", "semi=%3B,dot=.,comma=%2C"},
	},
	"3.2.3": {
		{"{+var}", "value"}, {"{+hello}", "Hello%20World!"}, {"{+half}", "50%25"}, {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"},
		{"{+base}index", "http://example.com/home/index"}, {"O{+empty}X", "OX"}, {"O{+undef}X", "OX"}, {"{+path}/here", "/foo/bar/here"},
		{"here?ref={+path}", "here?ref=/foo/bar"}, {"up{+path}{var}/here", "up/foo/barvalue/here"}, {"{+x,hello,y}", "1024,Hello%20World!,768"},
		{"{+path,x}/here", "/foo/bar,1024/here"}, {"{+path:6}/here", "/foo/b/here"}, {"{+list}", "red,green,blue"}, {"{+list*}", "red,green,blue"},
		{"{+keys}", "semi,;,dot,.,comma,,"}, {"{+keys*}", "semi=;,dot=.,comma=,"},
	},
	"3.2.4": {
		{"{#var}", "#value"}, {"{#hello}", "#Hello%20World!"}, {"{#half}", "#50%25"}, {"foo{#empty}", "foo#"}, {"foo{#undef}", "foo"},
		{"{#x,hello,y}", "#1024,Hello%20World!,768"}, {"{#path,x}/here", "#/foo/bar,1024/here"}, {"{#path:6}/here", "#/foo/b/here"},
		{"{#list}", "#red,green,blue"}, {"{#list*}", "#red,green,blue"}, {"{#keys}", "#semi,;,dot,.,comma,,"}, {"{#keys*}", "#semi=;,dot=.,comma=,"},
	},
	"3.2.5": {
		{"{.who}", ".fred"}, {"{.who,who}", ".fred.fred"}, {"{.half,who}", ".50%25.fred"}, {"www{.dom*}", "www.example.com"},
		{"X{.var}", "X.value"}, {"X{.empty}", "X."}, {"X{.undef}", "X"}, {"X{.var:3}", "X.val"}, {"X{.list}", "X.red,green,blue"},
		{"X{.list*}", "X.red.green.blue"}, {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C"}, {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C"},
		{"X{.empty_keys}", "X"}, {"X{.empty_keys*}", "X"},
	},
	"3.2.6": {
		{"{/who}", "/fred"}, {"{/who,who}", "/fred/fred"}, {"{/half,who}", "/50%25/fred"}, {"{/who,dub}", "/fred/me%2Ftoo"},
		{"{/var}", "/value"}, {"{/var,empty}", "/value/"}, {"{/var,undef}", "/value"}, {"{/var,x}/here", "/value/1024/here"},
		{"{/var:1,var}", "/v/value"}, {"{/list}", "/red,green,blue"}, {"{/list*}", "/red/green/blue"}, {"{/list*,path:4}", "/red/green/blue/%2Ffoo"},
		{"{/keys}", "/semi,%3B,dot,.,comma,%2C"}, {"{/keys*}", "/semi=%3B/dot=./comma=%2C"},
	},
	"3.2.7": {
		{"{;who}", ";who=fred"}, {"{;half}", ";half=50%25"}, {"{;empty}", ";empty"}, {"{;v,empty,who}", ";v=6;empty;who=fred"},
		{"{;v,bar,who}", ";v=6;who=fred"}, {"{;x,y}", ";x=1024;y=768"}, {"{;x,y,empty}", ";x=1024;y=768;empty"},
		{"{;x,y,undef}", ";x=1024;y=768"}, {"{;hello:5}", ";hello=Hello"}, {"{;list}", ";list=red,green,blue"},
		{"{;list*}", ";list=red;list=green;list=blue"}, {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"}, {"{;keys*}", ";semi=%3B;dot=.;comma=%2C"},
	},
	"3.2.8": {
		{"{?who}", "?who=fred"}, {"{?half}", "?half=50%25"}, {"{?x,y}", "?x=1024&y=768"}, {"{?x,y,empty}", "?x=1024&y=768&empty="},
		{"{?x,y,undef}", "?x=1024&y=768"}, {"{?var:3}", "?var=val"}, {"{?list}", "?list=red,green,blue"},
		{"{?list*}", "?list=red&list=green&list=blue"}, {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"}, {"{?keys*}", "?semi=%3B&dot=.&comma=%2C"},
	},
	"3.2.9": {
		{"{&who}", "&who=fred"}, {"{&half}", "&half=50%25"}, {"?fixed=yes{&x}", "?fixed=yes&x=1024"}, {"{&x,y,empty}", "&x=1024&y=768&empty="},
		{"{&x,y,undef}", "&x=1024&y=768"}, {"{&var:3}", "&var=val"}, {"{&list}", "&list=red,green,blue"},
		{"{&list*}", "&list=red&list=green&list=blue"}, {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"}, {"{&keys*}", "&semi=%3B&dot=.&comma=%2C"},
	},
}

// Every example expands as the RFC says. Every result matches its template, and the
// values found expand to the same URI.
func TestExamplesOfTheRFC(t *testing.T) {
	for section, examples := range rfcExamples {
		for _, e := range examples {
			tpl := parse(t, e.template)
			if got, err := tpl.Expand(rfcValues); got != e.uri || err != nil {
				t.Errorf("%s: %s gives %q, %v, want %q", section, e.template, got, err, e.uri)
			}
			values, ok := tpl.MatchExact(e.uri)
			if !ok {
				t.Errorf("%s: %s does not match %q", section, e.template, e.uri)
			}
			if again, err := tpl.Expand(values); again != e.uri || err != nil {
				t.Errorf("%s: %s reads %q as %v, which gives %q, %v", section, e.template, e.uri, values, again, err)
			}
		}
	}
}

// Expansion where the examples of the RFC do not show it.
func TestExpand(t *testing.T) {
	for _, c := range []struct {
		template string
		v        Value
		want     string
	}{
		{"", Text("a"), ""},
		{"ü%c3%bc'{v}", Text("a"), "%C3%BC%c3%bc'a"},
		{"{v}", Text("\xff\x00ü"), "%FF%00%C3%BC"},
		{"{v}", Text("%41"), "%2541"},
		{"{+v}", Text("%41%4%%zz%"), "%41%254%25%25zz%25"},
		{"{v:2}", Text("üüü"), "%C3%BC%C3%BC"},
		{"{v:2}", Text("\xffü\xff"), "%FF%C3%BC"},
		{"{v:2}", Text("%41"), "%254"},
		{"{+v:2}", Text("%41%C3%BC%41"), "%41%C3%BC"},
		{"{+v:2}", Text("/%4"), "/%25"},
		{"{v:9999}", Text(""), ""},
		{"{?v%20w.x}", Text("a"), ""},
		{"{v*}", Text("a,b"), "a%2Cb"},
		{"{;v*}", Text(""), ";v"},
		{"{;v*}", List("", "a"), ";v;v=a"},
		{"{;v*}", Pairs(Pair{"a;b=", ""}, Pair{"", "c"}), ";a%3Bb%3D;=c"},
		{"{?v*}", Pairs(Pair{"a&b=", ""}), "?a%26b%3D="},
		{"{v}", List(), ""},
		{"{?v}", List(""), "?v="},
	} {
		got, err := parse(t, c.template).Expand(Values{{"v", c.v}})
		if got != c.want || err != nil {
			t.Errorf("%s with %v gives %q, %v, want %q", c.template, c.v, got, err, c.want)
		}
	}
	got, err := parse(t, "{?v%20w.x}").Expand(Values{{"v%20w.x", Text("a")}, {"v%20w.x", Text("b")}})
	if got != "?v%20w.x=a" || err != nil {
		t.Errorf("a name with a triplet gives %q, %v", got, err)
	}
	for _, v := range []Value{List("a"), Pairs(Pair{"a", "b"})} {
		got, err := parse(t, "x{a,v:3}").Expand(Values{{"v", v}})
		if e := fault(err); got != "" || e != (Error{4, ReasonComposite}) {
			t.Errorf("a prefix of %v gives %q, %v", v, got, err)
		}
	}
}
