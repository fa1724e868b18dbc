package headers_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol/headers"
)

// The most specific range of an Accept header decides, wherever it stands; of equally specific ones, one that
// accepts the type is enough. Every list of up to three ranges, with and without q=0, against that rule.
func TestAcceptOrder(t *testing.T) {
	exact := map[string]int{"application/json": 3, "Application/JSON": 3, "application/*": 2, "*/*": 1, "*": 1, "text/html": 0, "text/*": 0, "application/jsonl": 0, "": 0}
	var ranges []string
	for name := range exact {
		ranges = append(ranges, name, name+";q=0", name+" ; x=\"a,b;q=0\"; Q=0.000", name+";q=0.001")
	}
	check := func(list ...string) {
		best, takes := 0, strings.Trim(strings.Join(list, ","), " ") == ""
		for _, item := range list {
			name, params, _ := strings.Cut(item, ";")
			n := exact[strings.TrimSpace(name)]
			refused := strings.HasSuffix(params, "q=0") || strings.HasSuffix(params, "Q=0.000")
			if n > best {
				best, takes = n, !refused
			} else if n == best && n > 0 {
				takes = takes || !refused
			}
		}
		if accept := strings.Join(list, ", "); headers.Accepts(accept, headers.JSON) != takes {
			t.Errorf("%q: %v", accept, !takes)
		}
	}
	for _, a := range ranges {
		check(a)
		for _, b := range ranges {
			check(a, b)
			for _, c := range ranges {
				check(a, b, c)
			}
		}
	}
}

// A quoted string may end without its second quote, and a backslash at the end is itself.
func TestUnterminated(t *testing.T) {
	for text, want := range map[string]string{
		`"`: "", `"a`: "a", `"a\`: `a\`, `"a\b`: "ab", `"\"`: `"`, `"\\`: `\`, `"a\"b`: `a"b`, `"a"b`: "a", `"a\b"c`: "ab", `"a, b`: "a, b", `"a b"`: "a b",
		`a b`: "a", "a\tb": "a", `a`: "a",
	} {
		if c, ok := headers.ParseChallenge([]string{"Bearer realm=" + text}); !ok || c.Realm != want {
			t.Errorf("%s: %v, %q, want %q", text, ok, c.Realm, want)
		}
	}
	// A text without a value, or the padding of a token, is not a parameter.
	for _, text := range []string{"realm=", "realm==", "realm= =", `"realm"=a`} {
		if c, ok := headers.ParseChallenge([]string{"Bearer " + text + `, scope="s"`}); !ok || c.Realm != "" || c.Scope != "s" {
			t.Errorf("%s: %v, %+v", text, ok, c)
		}
	}
}
