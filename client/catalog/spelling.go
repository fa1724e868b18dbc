package catalog

import "strings"

// A server may take several texts for one uri: with escapes that are not needed, segments that are
// dots, or a query that it does not look at. What a Filter keeps out has to stay out in all of them.

// spellings returns a uri as a Filter sees it: as it is, without query and fragment, and in the plain
// spelling.
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

// plainURI returns a uri without escapes, also of escapes, with scheme and host in lower case, and
// without empty segments and dots in its path.
func plainURI(uri string) string {
	for {
		next := unescaped(uri)
		if next == uri {
			break
		}
		uri = next
	}
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

// unescaped returns a text with the bytes that its escapes stand for.
func unescaped(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if len(after) < 2 || hex(after[0]) < 0 || hex(after[1]) < 0 {
			b.WriteByte('%')
			s = after
			continue
		}
		b.WriteByte(byte(hex(after[0])<<4 | hex(after[1])))
		s = after[2:]
	}
}

const lowerHex = "0123456789abcdef"

// hex returns what a hexadecimal digit stands for, -1 for another byte.
func hex(c byte) int {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte(lowerHex, c)
}
