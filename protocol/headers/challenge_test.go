package headers_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/protocol/headers"
)

// ParseChallenge finds the Bearer challenge among others, with its parameters, in any
// spelling.
//
// rows: AUTH-014
func TestParseChallenge(t *testing.T) {
	const url = "https://a.example/.well-known/oauth-protected-resource?x=1,2"
	full := headers.Challenge{Realm: "r", Error: "invalid_token", ErrorDescription: `say "no", \ or, yes`, Scope: "a b:c", ResourceMetadata: url}
	meta := headers.Challenge{ResourceMetadata: url}
	for _, c := range []struct {
		name   string
		values []string
		want   headers.Challenge
		ok     bool
	}{
		{"nothing", nil, headers.Challenge{}, false},
		{"empty", []string{"", " ", ",", ",,, ,"}, headers.Challenge{}, false},
		{"alone", []string{"Bearer"}, headers.Challenge{}, true},
		{"in any case", []string{`bEARER Resource_Metadata="` + url + `"`}, meta, true},
		{"what String writes", []string{full.String()}, full, true},
		{"blanks", []string{"  Bearer \t realm = \"r\" ,, scope= \"a b\"\t,"}, headers.Challenge{Realm: "r", Scope: "a b"}, true},
		{"tokens", []string{"Bearer error=invalid_token, realm=r"}, headers.Challenge{Error: "invalid_token", Realm: "r"}, true},
		{"a url without quotes", []string{"Bearer resource_metadata=https://a.example/x, scope=a"}, headers.Challenge{ResourceMetadata: "https://a.example/x", Scope: "a"}, true},
		{"a blank within", []string{"Bearer scope=a b, realm=r"}, headers.Challenge{Scope: "a", Realm: "r"}, true},
		{"behind others", []string{`Basic realm="x", Digest qop="a, b", nonce=abc==, Bearer realm="r"`}, headers.Challenge{Realm: "r"}, true},
		{"behind a token68", []string{`Negotiate YWJj/+x==, Bearer realm="r", NTLM`}, headers.Challenge{Realm: "r"}, true},
		{"before others", []string{`Bearer realm="r", Basic realm="x", error="y"`}, headers.Challenge{Realm: "r"}, true},
		{"in another header", []string{`Basic realm="x"`, `Bearer realm="r"`}, headers.Challenge{Realm: "r"}, true},
		{"within a quoted string", []string{`Basic realm="x, Bearer realm=\"r\""`}, headers.Challenge{}, false},
		{"two", []string{`Bearer realm="r", Bearer realm="s"`}, headers.Challenge{Realm: "r"}, true},
		{"two, the second with metadata", []string{`Bearer realm="r"`, `Bearer resource_metadata="` + url + `"`}, meta, true},
		{"two, both with metadata", []string{`Bearer resource_metadata="` + url + `"`, `Bearer resource_metadata="b"`}, meta, true},
		{"a parameter twice", []string{`Bearer scope="a", SCOPE="b"`}, headers.Challenge{Scope: "a"}, true},
		{"of DPoP", []string{`DPoP algs="ES256", error="insufficient_scope", scope=a`}, headers.Challenge{Error: "insufficient_scope", Scope: "a"}, true},
		{"unknown parameters", []string{`Bearer x="y", max_age=5, realm="r"`}, headers.Challenge{Realm: "r"}, true},
		{"an empty value", []string{`Bearer realm="", scope=, error=`, ""}, headers.Challenge{}, true},
		{"an empty value before others", []string{`Bearer scope=, resource_metadata="` + url + `"`}, meta, true},
		{"no end quote", []string{`Bearer realm="r, scope=x`}, headers.Challenge{Realm: "r, scope=x"}, true},
		{"a backslash at the end", []string{`Bearer realm="r\`}, headers.Challenge{Realm: `r\`}, true},
		{"parameters of nothing", []string{`realm="r", Bearer scope=a`}, headers.Challenge{Scope: "a"}, true},
		{"a parameter of that name", []string{`Bearer=x, realm=r`, `Bearer = "x"`}, headers.Challenge{}, false},
		{"an equals sign of nothing", []string{`=x, "y", Bearer scope=a`}, headers.Challenge{Scope: "a"}, true},
		{"another scheme that begins so", []string{`BearerX realm="r"`}, headers.Challenge{}, false},
		{"a long value", []string{`Bearer realm="` + strings.Repeat("x", 4097) + `", scope=a, error="` + strings.Repeat("y", 4096) + `"`}, headers.Challenge{Scope: "a", Error: strings.Repeat("y", 4096)}, true},
		{"behind 64 KiB", []string{"Basic x=\"" + strings.Repeat("x", 64<<10) + "\"", `Bearer scope=a`}, headers.Challenge{}, false},
	} {
		got, ok := headers.ParseChallenge(c.values)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %.200q\ngot  %+v, %v\nwant %+v, %v", c.name, c.values, got, ok, c.want, c.ok)
		}
	}
	if got, want := full.String(), `Bearer realm="r", error="invalid_token", error_description="say \"no\", \\ or, yes", scope="a b:c", resource_metadata="`+url+`"`; got != want {
		t.Errorf("%s", got)
	}
	if got := (headers.Challenge{Realm: "a\r\nX: y\x00\x7f"}).String(); got != `Bearer realm="aX: y"` {
		t.Errorf("%q", got)
	}
}

// A written challenge is read again, before and after challenges of other schemes, and
// reading takes time linear in the input.
func TestChallengeRoundTrip(t *testing.T) {
	text := rapid.StringMatching(`[ -~é]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		c := headers.Challenge{ResourceMetadata: text.Draw(t, "url"), Scope: text.Draw(t, "scope"), Error: text.Draw(t, "error"), ErrorDescription: text.Draw(t, "description"), Realm: text.Draw(t, "realm")}
		around := rapid.SampledFrom([]string{"", "Basic", `Basic realm="\"x, y"`, "Negotiate abc==", `Digest a=b, c="d"`})
		list := around.Draw(t, "before") + ", " + c.String() + " , " + around.Draw(t, "after")
		if got, ok := headers.ParseChallenge([]string{list}); !ok || got != c {
			t.Fatalf("%s\ngot  %+v, %v\nwant %+v", list, got, ok, c)
		}
	})
}

func TestHostileChallenges(t *testing.T) {
	for _, piece := range []string{",", `"`, `\`, `a=`, `a=",`, `Bearer `, `Bearer a=b,`, ` `, `=`, "\xff"} {
		value := strings.Repeat(piece, (1<<18)/len(piece))
		start := time.Now()
		headers.ParseChallenge([]string{value, value})
		headers.Accepts(value, headers.JSON)
		headers.IsJSON(value)
		headers.Bearer(value)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%q: %v", piece, took)
		}
	}
	// What is kept of a long header does not share its memory.
	value := `Bearer realm="r", x="` + strings.Repeat("x", 60<<10) + `"`
	c, _ := headers.ParseChallenge([]string{value})
	if unsafe.StringData(c.Realm) == unsafe.StringData(value[len(`Bearer realm="`):]) {
		t.Error("the challenge keeps the header")
	}
	runtime.KeepAlive(value)
}

// Bearer reads the token only from the Authorization header.
//
// rows: AUTH-025
func TestBearer(t *testing.T) {
	for value, want := range map[string]string{
		"Bearer abc": "abc", "bearer  a.b-c_d~e+f/g== ": "a.b-c_d~e+f/g==", "BEARER x": "x",
		"": "", "Bearer": "", "Bearer ": "", "Basic abc": "", "Bearerabc": "", "Bearer a b": "", "Bearer a\x00b": "", "Bearer a\x7f": "", "Bearer \x21~": "!~", "Bearer é": "", "Bearer=abc": "", " abc": "",
	} {
		if got, ok := headers.Bearer(value); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", value, got, ok)
		}
	}
}
