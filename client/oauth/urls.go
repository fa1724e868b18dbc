package oauth

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol/headers"
)

// maxURL is the longest url that is taken from others, in bytes.
const maxURL = 8 << 10

var errURL = errors.New("oauth: want an http or https url with a host, without user and fragment")

// parseURL reads a url that a request may be made to, or that a person may open: no other scheme, and
// nothing that a shell, a header or a terminal would take for something else (SEC-106).
func parseURL(raw string) (*url.URL, error) {
	if len(raw) > maxURL || strings.ContainsFunc(raw, unsafe) {
		return nil, errURL
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(raw, "#") {
		return nil, errURL
	}
	return u, nil
}

// unsafe reports whether a url cannot have a character unescaped.
func unsafe(c rune) bool {
	return c <= ' ' || c >= 0x7F || strings.ContainsRune("\"'`<>\\^{|}", c)
}

// canonical returns the canonical form of a server's url (AUTH-019): scheme and host in lower case (AUTH-021),
// no default port, no user, no fragment (AUTH-061), its whole path (AUTH-020), but none that is a lone slash
// (AUTH-022).
func canonical(server string) (string, *url.URL, error) {
	server, _, _ = strings.Cut(server, "#")
	u, err := url.Parse(server)
	if err != nil {
		return "", nil, errURL
	}
	u.User = nil
	u.Host = strings.ToLower(u.Host) // the scheme is so
	if port := u.Port(); port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "/" && u.RawQuery == "" {
		u.Path, u.RawPath = "", ""
	}
	if u, err = parseURL(u.String()); err != nil {
		return "", nil, err
	}
	return u.String(), u, nil
}

// origin returns scheme, host and port of a url, in the form of canonical.
func origin(u *url.URL) string {
	text, _, err := canonical(u.Scheme + "://" + u.Host)
	if err != nil {
		return ""
	}
	return text
}

// The well-known places, before the path of what they describe (RFC 9728, 8414, OpenID discovery).
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// resourcePlaces returns where the metadata of a server may be, besides what its challenge says, in the
// order of the specification (AUTH-009, AUTH-104).
func resourcePlaces(server *url.URL) []string {
	root, path := origin(server)+wellKnownResource, strings.TrimSuffix(server.EscapedPath(), "/")
	if server.RawQuery != "" {
		path += "?" + server.RawQuery
	}
	if path == "" {
		return []string{root}
	}
	return []string{root + path, root}
}

// issuerPlaces returns where the metadata of an authorization server may be, in the order of the
// specification (AUTH-015, AUTH-101, AUTH-106). The document at the root is that of another issuer if this one has a path.
func issuerPlaces(issuer *url.URL) []string {
	base := origin(issuer)
	path := strings.TrimSuffix(issuer.EscapedPath(), "/")
	places := []string{base + wellKnownServer + path, base + wellKnownOpenID + path}
	if path != "" {
		places = append(places, base+path+wellKnownOpenID)
	}
	return places
}

// sameIssuer reports whether a document is that of the issuer which was asked for. They are identical
// (AUTH-205), but for a last slash of one without a path.
func sameIssuer(asked, got string) bool {
	if asked == got {
		return true
	}
	asked, got = strings.TrimSuffix(asked, "/"), strings.TrimSuffix(got, "/")
	u, err := parseURL(asked)
	return err == nil && asked == got && u.Path == ""
}

// covers reports whether metadata of resource are those of the server: of the same origin, and of its
// path or one above it (AUTH-060). A last slash does not count.
func covers(resource string, server *url.URL, strict bool) bool {
	u, err := parseURL(resource)
	if err != nil || origin(u) != origin(server) {
		return false
	}
	above, path := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	if u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	if above == path {
		return !strict || u.RawQuery == server.RawQuery
	}
	return !strict && strings.HasPrefix(path, above+"/")
}

// redirectURL reports whether a person may be sent back to a url, and whether it is one of this machine,
// as native programs have (AUTH-042).
func redirectURL(raw string) (native, ok bool) {
	u, err := parseURL(raw)
	if err != nil {
		return false, false
	}
	native = headers.Loopback(u.Hostname())
	return native, native || u.Scheme == "https"
}

// documentURL reports whether a url can be the id of a client (AUTH-112).
func documentURL(raw string) bool {
	u, err := parseURL(raw)
	if err != nil || u.Scheme != "https" || strings.Trim(u.Path, "/") == "" {
		return false
	}
	return !slices.ContainsFunc(strings.Split(u.Path, "/"), func(segment string) bool { return segment == "." || segment == ".." })
}
