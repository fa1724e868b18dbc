package headers

import "strings"

const maxAccept = 8 << 10 // bytes that are read of an Accept header

// Accepts reports whether an Accept header accepts a media type such as "application/json".
// The most specific range counts, so that "*/*" does not include a type with q=0. An empty or absent
// header accepts everything (RFC 9110, section 12.5.1). An invalid q is 1, and other parameters
// are ignored. Accepts reads at most 8 KiB.
func Accepts(accept, mediaType string) bool {
	accept = accept[:min(len(accept), maxAccept)]
	if trim(accept) == "" {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	exact, takes := 0, false
	for item, rest := element(accept, ','); ; item, rest = element(rest, ',') {
		name, params := element(item, ';')
		n := 0
		switch name = trim(name); {
		case strings.EqualFold(name, mediaType):
			n = 3
		case strings.EqualFold(name, kind+"/*"):
			n = 2
		case name == "*/*" || name == "*":
			n = 1
		}
		if n > exact {
			exact, takes = n, !refused(params)
		} else if n == exact && n > 0 {
			takes = takes || !refused(params)
		}
		if rest == "" {
			return takes
		}
	}
}

// refused reports whether the parameters of a media range have q=0.
func refused(params string) bool {
	for params != "" {
		var p string
		p, params = element(params, ';')
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(trim(name), "q") {
			value = trim(value)
			return strings.HasPrefix(value, "0") && strings.Trim(value[1:], "0.") == ""
		}
	}
	return false
}

// IsJSON reports whether a Content-Type is application/json, with any parameters.
func IsJSON(contentType string) bool { return isType(contentType, JSON) }

// IsEventStream reports whether a Content-Type is text/event-stream, with any parameters.
func IsEventStream(contentType string) bool { return isType(contentType, EventStream) }

func isType(contentType, want string) bool {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(trim(name), want)
}

// element returns the part of s before the first separator outside of quoted strings,
// and what comes after it.
func element(s string, separator byte) (item, rest string) {
	at := strings.IndexByte(s, separator)
	if at < 0 {
		return s, ""
	}
	if strings.IndexByte(s[:at], '"') < 0 { // as almost always
		return s[:at], s[at+1:]
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
