package naming

import "strings"

// A qualified uri is the name of the server, a plus sign, and the uri: files+file:///a. It is a
// valid uri. A qualified template is a valid template, and expands to the qualified form of what
// the original expands to. Schemes have few characters and ignore case, so a name is written in
// lower-case letters, digits and minus; a dot and two hexadecimal digits stand for any other byte.
// A scheme begins with a letter: a name that does not, or begins with q, gets a q before its first
// byte, which is escaped.

const lowerHex = "0123456789abcdef"

// Scheme returns the scheme of a server in qualified uris. It is unique.
func Scheme(server string) string {
	var b strings.Builder
	for i := range len(server) {
		c := server[i]
		small := 'a' <= c && c <= 'z'
		switch {
		case i == 0 && (!small || c == 'q'):
			b.WriteByte('q')
		case small || '0' <= c && c <= '9' || c == '-':
			b.WriteByte(c)
			continue
		}
		b.WriteByte('.')
		b.WriteByte(lowerHex[c>>4])
		b.WriteByte(lowerHex[c&15])
	}
	return b.String()
}

// SplitURI splits a qualified uri into its scheme, in lower case, and the uri of the server. ok is false
// if there is no plus sign in the scheme. The caller must look up whether a server has the scheme.
func SplitURI(uri string) (scheme, rest string, ok bool) {
	end := strings.IndexAny(uri, "+:/?#")
	if end <= 0 || uri[end] != '+' {
		return "", "", false
	}
	return strings.ToLower(uri[:end]), uri[end+1:], true
}
