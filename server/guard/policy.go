package guard

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// defaultLeeway is how long a token stays valid after it has expired.
const defaultLeeway = 30 * time.Second

// Policy says what tokens must have. New copies it.
type Policy struct {
	// Audience are the names that tokens may use for this server, such as its url, or a client id of an
	// authorization server without RFC 8707. A token must have one of them (AUTH-029). In http and
	// https urls the case of scheme and host is ignored, and so is the path /.
	Audience []string
	// AnyAudience accepts tokens for any audience. Set it only if the Verifier checks the audience,
	// such as one with its own authorization server.
	AnyAudience bool
	// Leeway is how long a token is valid after it has expired, for clocks that differ. Zero means
	// 30 s, lifecycle.NoTimeout none.
	Leeway time.Duration

	// Base are the scopes that every request needs.
	Base []string
	// Method are the additional scopes that messages of a method need, by its name.
	Method map[string][]string
	// Tool, if set, returns the scopes that a call of a tool needs in addition to Base and Method. It is
	// called before the arguments are checked: they are "", or any JSON value. It must not block.
	Tool func(name string, args jsonrpc.Raw) []string
	// Implies are the scopes that a broader one includes, such as {"admin": {"read", "write"}},
	// transitively (AUTH-221).
	Implies map[string][]string
}

// Guard is a Policy that was checked. The zero Guard allows nothing.
type Guard struct{ p *policy }

type policy struct {
	Policy
	broader map[string][]string // for each scope, those that imply it
}

// New returns the Guard of a Policy. Errors are *lifecycle.ConfigError: no Audience without
// AnyAudience or both, an empty name, a scope that Offerable refuses, a circle in Implies, a negative
// Leeway.
func New(p Policy) (Guard, error) {
	var f lifecycle.Filler
	f.Time("Leeway", &p.Leeway, defaultLeeway, lifecycle.MayBeNone)
	switch {
	case len(p.Audience) == 0 && !p.AnyAudience:
		f.Wrong("Audience", "empty", "want what tokens call this server, such as its url, or AnyAudience")
	case len(p.Audience) > 0 && p.AnyAudience:
		f.Wrong("AnyAudience", "true", "want false with Audience")
	case slices.Contains(p.Audience, ""):
		f.Wrong("Audience", strconv.Quote(""), "want no empty name")
	}
	own := &policy{Policy: p, broader: map[string][]string{}}
	own.Audience = nil
	for _, name := range p.Audience {
		own.Audience = append(own.Audience, canonical(name))
	}
	own.Base = scopes(&f, "Base", p.Base)
	own.Method = lists(&f, "Method", p.Method)
	own.Implies = lists(&f, "Implies", p.Implies)
	for _, scope := range slices.Sorted(maps.Keys(own.Implies)) {
		scopes(&f, "Implies", []string{scope})
		seen := map[string]bool{}
		if !own.reach(scope, scope, seen) {
			f.Wrong("Implies["+strconv.Quote(scope)+"]", "itself", "want no circle")
		}
		for _, narrow := range slices.Sorted(maps.Keys(seen)) {
			own.broader[narrow] = append(own.broader[narrow], scope)
		}
	}
	if err := f.Err("guard"); err != nil {
		return Guard{}, err
	}
	return Guard{own}, nil
}

// reach adds the scopes that a scope implies. It returns false if first is among them.
func (p *policy) reach(scope, first string, seen map[string]bool) bool {
	for _, next := range p.Implies[scope] {
		if next == first {
			return false
		}
		if !seen[next] {
			if seen[next] = true; !p.reach(next, first, seen) {
				return false
			}
		}
	}
	return true
}

// lists returns a copy of lists of scopes, and reports invalid ones.
func lists(f *lifecycle.Filler, field string, m map[string][]string) map[string][]string {
	own := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name == "" {
			f.Wrong(field, strconv.Quote(""), "want no empty name")
		}
		own[name] = scopes(f, field+"["+strconv.Quote(name)+"]", m[name])
	}
	return own
}

// scopes returns a copy of a list of scopes, and reports invalid ones.
func scopes(f *lifecycle.Filler, field string, list []string) []string {
	for _, s := range list {
		if !Offerable(s) {
			f.Wrong(field, strconv.Quote(s), "want a scope as of RFC 6749, without blanks and quotes, other than offline_access")
		}
	}
	return slices.Clone(list)
}

// Offerable reports whether a server may name a scope in challenges and metadata: it has the form of
// RFC 6749, section 3.3, and is not offline_access, which is between a client and its authorization
// server (AUTH-217).
func Offerable(scope string) bool {
	for i := range len(scope) {
		if c := scope[i]; c <= ' ' || c >= 0x7F || c == '"' || c == '\\' {
			return false
		}
	}
	return scope != "" && scope != "offline_access"
}

// canonical returns the name of a server in the form that is compared: for http and https urls with
// scheme and host in lower case, without a path that is only / (AUTH-021, AUTH-022).
func canonical(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok || !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		return name
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	path := rest[end:]
	if path == "/" {
		path = ""
	}
	return strings.ToLower(scheme+"://"+rest[:end]) + path
}
