package headers

import "strings"

// Challenge is what a server says about the authorization that it wants: the Bearer challenge of
// a WWW-Authenticate header (RFC 6750, section 3, and RFC 9728, section 5.1).
type Challenge struct {
	ResourceMetadata string // the url of the protected resource metadata (AUTH-013)
	Scope            string // the scopes that are needed, separated by blanks
	Error            string // "invalid_token", "insufficient_scope", "invalid_request", or ""
	ErrorDescription string // for developers
	Realm            string // the protected part of the server (RFC 9110, section 11.5)
}

// ParseChallenge returns the Bearer challenge among the values of WWW-Authenticate headers
// (AUTH-014); ok is false if there is none. Of several, one that names the resource metadata comes
// first. Names compare without regard to case, of a parameter that is given twice the
// first counts, and values may lack the quotes that they need. It reads at most 64 KiB,
// leaves out values of more than 4096 bytes, and copies what it returns.
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

// String returns the value of the header, "Bearer" with the parameters that are not empty.
// Control characters, which a header cannot have, are left out.
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

// Bearer returns the token of an Authorization header (AUTH-025); ok is false if its scheme is
// another one or it has no token. The token shares the memory of the header.
func Bearer(authorization string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(trim(authorization), " ")
	token = trim(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || !all(token, func(c byte) bool { return c > ' ' && c < 0x7F }) {
		return "", false
	}
	return token, token != ""
}
