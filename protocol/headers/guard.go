package headers

import (
	"strconv"
	"strings"
)

// host reports whether the Host header is allowed.
func (r Rules) host(host string) bool {
	if !r.Local && len(r.Hosts) == 0 {
		return true
	}
	have, ok := parseAuthority(host)
	if !ok {
		return false
	}
	if r.Local && have.loopback() {
		return true
	}
	for _, allowed := range r.Hosts {
		want, ok := parseAuthority(allowed)
		if ok && want.name == have.name && (want.port == "" || want.port == have.port) {
			return true
		}
	}
	return false
}

// origin reports whether a page of that origin may use the server. "null" stands for many
// unrelated origins and is refused, unless it is one of Origins.
func (r Rules) origin(h Head) bool {
	if r.Shares(h) {
		return true
	}
	scheme, from, ok := parseOrigin(h.Origin)
	if !ok {
		return false
	}
	if r.Local && from.loopback() {
		return true
	}
	to, ok := parseAuthority(h.Host)
	return ok && to.name == from.name && to.at(scheme) == from.at(scheme)
}

// Unmatched returns the first of Hosts and Origins that no header can match: the field, the quoted
// value, and what is wanted instead. field is "" if all can match.
func (r Rules) Unmatched() (field, value, want string) {
	for i, host := range r.Hosts {
		if _, ok := parseAuthority(host); !ok {
			return "Hosts[" + strconv.Itoa(i) + "]", strconv.Quote(host), "want a name, with a port or without, as mcp.example.com"
		}
	}
	for i, origin := range r.Origins {
		if !canMatch(origin) {
			return "Origins[" + strconv.Itoa(i) + "]", strconv.Quote(origin), "want a scheme and a host, as https://app.example"
		}
	}
	return "", "", ""
}

// canMatch reports whether a browser may send such an origin: null, or a scheme and a host, without a path.
// Schemes other than http and https are compared as text.
func canMatch(origin string) bool {
	scheme, host, ok := strings.Cut(strings.TrimSuffix(origin, "/"), "://")
	switch strings.ToLower(scheme) {
	case "null":
		return !ok
	case "http", "https":
		_, ok = parseAuthority(host)
		return ok
	}
	return scheme != "" && host != "" && !strings.ContainsAny(host, "/ ")
}

// Shares reports whether the Origin of a request is one of Origins: browsers of such pages
// need the headers of CORS before the page may read the answers.
func (r Rules) Shares(h Head) bool {
	if !h.HasOrigin {
		return false
	}
	for _, allowed := range r.Origins {
		if sameOrigin(strings.TrimSuffix(allowed, "/"), h.Origin) {
			return true
		}
	}
	return false
}

// foreign reports whether a list of values of Sec-Fetch-Site contains one for pages of
// another origin. The other values are same-origin, none for a user's own request, and those that
// browsers may add.
func foreign(list string) bool {
	for more := list != ""; more; {
		var site string
		site, list, more = strings.Cut(list, ",")
		if site = trim(site); site == "cross-site" || site == "same-site" {
			return true
		}
	}
	return false
}

// sameOrigin compares two origins: by scheme, name and port if both can be parsed, otherwise as
// text.
func sameOrigin(a, b string) bool {
	schemeA, hostA, ok := parseOrigin(a)
	schemeB, hostB, fine := parseOrigin(b)
	if !ok || !fine {
		return a == b
	}
	return schemeA == schemeB && hostA.name == hostB.name && hostA.at(schemeA) == hostB.at(schemeB)
}

// authority is the host of a URL with its port.
type authority struct {
	name string // in lower case; an IPv6 address without its brackets
	port string // digits, or "" if absent
}

// loopback reports whether the name always means the local machine, whatever name servers say.
func (a authority) loopback() bool { return Loopback(a.name) }

// Loopback reports whether a name or address, without port and brackets, means the local machine:
// localhost, with or without a final dot, 127.0.0.0/8, ::1, and these IPv4 addresses
// mapped to IPv6.
func Loopback(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "localhost", "localhost.", "::1", "0:0:0:0:0:0:0:1":
		return true
	}
	if mapped, ok := strings.CutPrefix(name, "::ffff:"); ok {
		if high, low, ok := strings.Cut(mapped, ":"); ok { // in hexadecimal
			return len(high) == 4 && high[:2] == "7f" && all(high, hexByte) && len(low) > 0 && len(low) <= 4 && all(low, hexByte)
		}
		name = mapped
	}
	if !strings.HasPrefix(name, "127.") {
		return false
	}
	n := 0
	for rest, more := name, true; more; n++ {
		var p string
		p, rest, more = strings.Cut(rest, ".")
		if len(p) == 0 || len(p) > 3 || !all(p, digit) || len(p) == 3 && p > "255" || len(p) > 1 && p[0] == '0' {
			return false
		}
	}
	return n == 4
}

func hexByte(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' }

// at returns the port, by default that of the scheme.
func (a authority) at(scheme string) string {
	if a.port != "" {
		return a.port
	}
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// parseAuthority reads name[:port]; ok is false for what is neither a name nor an address.
func parseAuthority(s string) (a authority, ok bool) {
	a.name = s
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 || !all(s[1:end], addressByte) {
			return authority{}, false
		}
		a.name, s = s[1:end], s[end+1:]
		if s != "" && s[0] != ':' {
			return authority{}, false
		}
		a.port = strings.TrimPrefix(s, ":")
	} else if colon := strings.IndexByte(s, ':'); colon >= 0 {
		a.name, a.port = s[:colon], s[colon+1:]
	}
	if len(a.port) > 5 || !all(a.port, digit) {
		return authority{}, false
	}
	a.name = strings.ToLower(a.name)
	return a, a.name != "" && all(a.name, nameByte)
}

// parseOrigin reads a web origin: scheme://name[:port], with http or https.
func parseOrigin(s string) (scheme string, host authority, ok bool) {
	scheme, rest, ok := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return "", authority{}, false
	}
	host, ok = parseAuthority(rest)
	return scheme, host, ok
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// addressByte reports whether an IPv6 address can contain such a byte.
func addressByte(c byte) bool {
	return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' || c == ':' || c == '.'
}

// nameByte reports whether a name or an address can contain such a byte. Names with other letters
// are sent in their ASCII form.
func nameByte(c byte) bool {
	return digit(c) || letter(c) || c == '-' || c == '.' || c == '_' || c == ':'
}
