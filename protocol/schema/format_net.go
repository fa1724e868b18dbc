package schema

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// atext are the characters in the parts of an address other than letters and digits.
const atext = "!#$%&'*+-/=?^_`{|}~"

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// isEmail says whether s is a mailbox: a local part of atoms, or in quotes, and a host or an
// address in brackets.
func isEmail(s string) verdict {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 {
		return no
	}
	local, domain := s[:at], s[at+1:]
	if local[0] == '"' {
		if !quoted(local) {
			return no
		}
	} else {
		for atom := range strings.SplitSeq(local, ".") {
			if atom == "" || !only(atom, func(c byte) bool { return alphanumeric(c) || strings.IndexByte(atext, c) >= 0 }) {
				return no
			}
		}
	}
	if literal, ok := strings.CutPrefix(domain, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		six, is6 := strings.CutPrefix(literal, "IPv6:")
		if ok && (isIPv4(literal) || is6 && isIPv6(six)) {
			return yes
		}
		return no
	}
	return isHostname(domain)
}

// quoted reports whether s is a quoted string (RFC 5321, 4.1.2).
func quoted(s string) bool {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i == len(s)-1
		case c == '\\':
			if i++; i == len(s) || s[i] < ' ' || s[i] > '~' {
				return false
			}
		case c < ' ' || c > '~':
			return false
		}
	}
	return false
}

// isHostname says whether s is the name of a host. Names for other scripts than Latin, as
// xn--… has them, are of rules that are not known here.
func isHostname(s string) verdict {
	if s == "" || len(s) > 253 {
		return no
	}
	out := yes
	for label := range strings.SplitSeq(s, ".") {
		n := len(label)
		if n == 0 || n > 63 || label[0] == '-' || label[n-1] == '-' || !only(label, func(c byte) bool { return alphanumeric(c) || c == '-' }) {
			return no
		}
		if n > 3 && label[2:4] == "--" {
			out = maybe
		}
	}
	return out
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isURI reports whether s is a URI, or without absolute a reference to one, and with
// international an IRI.
func isURI(s string, absolute, international bool) bool {
	if scheme, _, ok := strings.Cut(s, ":"); ok && isScheme(scheme) {
		s = s[len(scheme)+1:]
	} else if absolute || ok && !strings.ContainsAny(scheme, "/?#") { // a colon in the first segment
		return false
	}
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	if !consistsOf(fragment, "/?:@", international) || !consistsOf(query, "/?:@", international) {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		authority := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, s = rest[:i], rest[i:]
		} else {
			s = ""
		}
		if !isAuthority(authority, international) {
			return false
		}
	}
	return consistsOf(s, "/:@", international)
}

func isScheme(s string) bool {
	return s != "" && s[0] > '9' && only(s[:1], alphanumeric) &&
		only(s, func(c byte) bool { return alphanumeric(c) || c == '+' || c == '-' || c == '.' })
}

func isAuthority(s string, international bool) bool {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if !consistsOf(s[:i], ":", international) {
			return false
		}
		s = s[i+1:]
	}
	if rest, ok := strings.CutPrefix(s, "["); ok {
		address, port, ok := strings.Cut(rest, "]")
		return ok && isPort(port) && (isIPv6(address) || isFuture(address))
	}
	host, port, ok := strings.Cut(s, ":")
	return consistsOf(host, "", international) && (!ok || isPort(":"+port))
}

func isPort(s string) bool {
	if s == "" {
		return true
	}
	_, end := digits(s, 1)
	return s[0] == ':' && end == len(s)
}

// isFuture reports whether s is an address of a version to come (RFC 3986, 3.2.2).
func isFuture(s string) bool {
	version, rest, ok := strings.Cut(s, ".")
	return ok && len(version) > 1 && version[0]|0x20 == 'v' && only(version[1:], hexadecimal) &&
		rest != "" && strings.IndexByte(rest, '%') < 0 && consistsOf(rest, ":", false)
}

// consistsOf reports whether s is of unreserved characters, sub-delimiters, what is
// percent-encoded, and the characters in more.
func consistsOf(s, more string, international bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case alphanumeric(c), strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
		case c == '%':
			if i+2 >= len(s) || !hexadecimal(s[i+1]) || !hexadecimal(s[i+2]) {
				return false
			}
			i += 2
		case c >= utf8.RuneSelf && international:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r < 0xa0 || r == utf8.RuneError {
				return false
			}
			i += size - 1
		default:
			return false
		}
	}
	return true
}
