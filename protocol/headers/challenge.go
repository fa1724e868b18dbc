package headers

import "strings"

const (
	maxChallenges = 64 << 10 // bytes that are read of all headers
	maxParameter  = 4096     // bytes of a value
)

// Challenge is what a server says about the authorization that it requires: the Bearer challenge of
// a WWW-Authenticate header (RFC 6750, section 3, and RFC 9728, section 5.1), or the DPoP challenge
// (RFC 9449, section 7.1), which has the same parameters.
type Challenge struct {
	ResourceMetadata string // the url of the protected resource metadata (AUTH-013)
	Scope            string // the required scopes, separated by spaces
	Error            string // "invalid_token", "insufficient_scope", "invalid_request", or ""
	ErrorDescription string // for developers
	Realm            string // the protected part of the server (RFC 9110, section 11.5)
}

// ParseChallenge returns the Bearer or DPoP challenge in the values of WWW-Authenticate headers
// (AUTH-014); ok is false without one. Of several, it prefers one that names the resource metadata.
// Names compare without regard to case, the first of a repeated parameter counts, and values may
// lack required quotes. It reads at most 64 KiB, drops values of more than 4096 bytes, and copies
// what it returns.
func ParseChallenge(values []string) (c Challenge, ok bool) {
	room := maxChallenges
	for _, v := range values {
		v = v[:min(len(v), room)]
		room -= len(v)
		for v != "" {
			var next Challenge
			var bearer bool
			next, bearer, v = nextChallenge(v)
			if bearer && (!ok || c.ResourceMetadata == "" && next.ResourceMetadata != "") {
				c, ok = next, true
			}
		}
	}
	return c, ok
}

// String returns the value of the header, "Bearer" with the parameters that are not empty,
// without control characters, which a header cannot contain.
func (c Challenge) String() string {
	var b strings.Builder
	b.WriteString("Bearer")
	separator := " "
	for _, p := range c.parameters() {
		if *p.value == "" {
			continue
		}
		b.WriteString(separator + p.name + `="`)
		separator = ", "
		for i := range len(*p.value) {
			switch c := (*p.value)[i]; {
			case c == '"' || c == '\\':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c >= ' ' && c != 0x7F:
				b.WriteByte(c)
			}
		}
		b.WriteByte('"')
	}
	return b.String()
}

// Bearer returns the token of an Authorization header (AUTH-025); ok is false for another
// scheme or without a token. The token shares the memory of the header.
func Bearer(authorization string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(trim(authorization), " ")
	token = trim(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || !all(token, visible) {
		return "", false
	}
	return token, token != ""
}

// nextChallenge reads one challenge of any scheme: the scheme, spaces, and a token
// or parameters separated by commas. The first element without the form of a parameter
// begins the next challenge, or is not part of any.
func nextChallenge(s string) (c Challenge, bearer bool, rest string) {
	item, rest := element(s, ',')
	scheme, first := cutToken(item)
	if isParameter(item) {
		scheme = "" // a parameter of nothing
	}
	bearer = strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "DPoP")
	item = first
	for {
		if name, value, ok := parameter(item); ok {
			c.set(name, value)
		}
		if rest == "" {
			return c, bearer, ""
		}
		var after string
		item, after = element(rest, ',')
		if !isParameter(item) && trim(item) != "" {
			return c, bearer, rest
		}
		rest = after
	}
}

// set sets a parameter; the first of a name counts.
func (c *Challenge) set(name, value string) {
	if len(value) > maxParameter {
		return
	}
	for _, p := range c.parameters() {
		if strings.EqualFold(p.name, name) && *p.value == "" {
			*p.value = strings.Clone(value)
		}
	}
}

type challengeParameter struct {
	name  string
	value *string
}

// parameters returns the parameters that matter, in the order in which they are written.
func (c *Challenge) parameters() [5]challengeParameter {
	return [...]challengeParameter{
		{"realm", &c.Realm},
		{"error", &c.Error},
		{"error_description", &c.ErrorDescription},
		{"scope", &c.Scope},
		{"resource_metadata", &c.ResourceMetadata},
	}
}

// parameter reads name = value, where the value is a quoted string or has no
// spaces. ok is false for another form.
func parameter(item string) (name, value string, ok bool) {
	name, rest := cutToken(item)
	if !isParameter(item) {
		return "", "", false
	}
	value = trim(rest[1:])
	if strings.HasPrefix(value, `"`) {
		return name, unquote(value[1:]), true
	}
	if value == "" || value[0] == '=' { // the padding of a token68
		return "", "", false
	}
	if end := strings.IndexAny(value, " \t"); end >= 0 {
		value = value[:end]
	}
	return name, value, true
}

// isParameter reports whether an element begins like a parameter: no equals sign follows a
// scheme.
func isParameter(item string) bool {
	name, rest := cutToken(item)
	return name != "" && strings.HasPrefix(rest, "=")
}

// cutToken returns the token at the start of s and the rest, both without surrounding white
// space.
func cutToken(s string) (token, rest string) {
	s = trim(s)
	end := 0
	for end < len(s) && tokenByte(s[end]) {
		end++
	}
	return s[:end], trim(s[end:])
}

func tokenByte(c byte) bool {
	return digit(c) || letter(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// unquote reads a quoted string behind its first quote, up to the second if there is one.
func unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
