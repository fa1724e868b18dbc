package catalog

import "strings"

// A server may accept several texts for one uri: with needless escapes, segments that are dots, or a
// query that it ignores. If a Filter excludes a uri, it must exclude all these.

// spellings returns the spellings of a uri that a Filter checks: the original, without query and
// fragment, and the plain spelling of both.
func spellings(uri string) []string {
	plain := plainURI(uri)
	return []string{uri, plain, cutURI(uri), cutURI(plain)}
}

// cutURI returns a uri up to its query or fragment.
func cutURI(uri string) string {
	if i := strings.IndexAny(uri, "?#"); i >= 0 {
		return uri[:i]
	}
	return uri
}

// plainURI returns a uri without escapes, even nested ones, with scheme and host in lower case, and
// without empty segments and dots in its path.
func plainURI(uri string) string {
	uri = unescaped(uri)
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok {
		return uri
	}
	head := strings.ToLower(scheme) + ":"
	if after, has := strings.CutPrefix(rest, "//"); has {
		end := strings.IndexAny(after, "/?#")
		if end < 0 {
			end = len(after)
		}
		head, rest = head+"//"+strings.ToLower(after[:end]), after[end:]
	}
	path := cutURI(rest)
	var kept []string
	for i, s := range strings.Split(path, "/") {
		switch {
		case s == "..":
			kept = kept[:max(len(kept)-1, min(len(kept), 1))]
		case s != "." && (s != "" || i == 0):
			kept = append(kept, s)
		}
	}
	plain := strings.Join(kept, "/")
	if len(kept) == 1 && strings.HasPrefix(path, "/") {
		plain += "/"
	}
	return head + plain + rest[len(path):]
}

// unescaped returns a text with its escapes decoded, repeatedly, until there are none. It handles
// each byte once, whatever the nesting.
func unescaped(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		b = append(b, s[i])
		for n := len(b) - 3; n >= 0 && b[n] == '%' && hex(b[n+1]) >= 0 && hex(b[n+2]) >= 0; n = len(b) - 3 {
			b = append(b[:n], byte(hex(b[n+1])<<4|hex(b[n+2])))
		}
	}
	return string(b)
}

const lowerHex = "0123456789abcdef"

// hex returns the value of a hexadecimal digit; -1 for another byte.
func hex(c byte) int {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte(lowerHex, c)
}
