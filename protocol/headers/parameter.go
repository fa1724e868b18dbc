package headers

import "strings"

const (
	maxChallenges = 64 << 10 // bytes that are read of all headers
	maxParameter  = 4096     // bytes of a value
)

// nextChallenge reads one challenge, of whatever scheme: a scheme, followed by blanks and then a token
// or parameters with commas between. The first element without the form of a parameter
// belongs to the challenge after it, or is no challenge at all.
func nextChallenge(s string) (c Challenge, bearer bool, rest string) {
	item, rest := element(s, ',')
	scheme, first := cutToken(item)
	if isParameter(item) {
		scheme = "" // a parameter of nothing
	}
	bearer = strings.EqualFold(scheme, "Bearer")
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

// set takes in a parameter; the first of a name counts.
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

// parameters are those of a challenge that matter, in the order in which they are written.
func (c *Challenge) parameters() [5]challengeParameter {
	return [...]challengeParameter{
		{"realm", &c.Realm},
		{"error", &c.Error},
		{"error_description", &c.ErrorDescription},
		{"scope", &c.Scope},
		{"resource_metadata", &c.ResourceMetadata},
	}
}

// parameter reads name = value, where the value is a quoted string or anything without
// blanks. ok is false for what has another form.
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

// isParameter reports whether an element begins like a parameter: a scheme has no equals sign
// behind it.
func isParameter(item string) bool {
	name, rest := cutToken(item)
	return name != "" && strings.HasPrefix(rest, "=")
}

// cutToken returns the token at the start of s and what follows it, without white space around
// either.
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
	if end := strings.IndexAny(s, `"\`); end < 0 {
		return s
	} else if s[end] == '"' {
		return s[:end]
	}
	var b strings.Builder
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
