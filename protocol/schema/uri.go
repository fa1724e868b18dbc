package schema

import "strings"

// reference is a URI or a relative reference in its parts (RFC 3986, 3), without a fragment.
type reference struct {
	scheme, authority, path, query string
	hosted, queried                bool // whether it has an authority, and a query
}

func parseReference(s string) (r reference) {
	if i := strings.IndexAny(s, ":/?#"); i > 0 && s[i] == ':' {
		r.scheme, s = s[:i], s[i+1:]
	}
	s, r.query, r.queried = strings.Cut(s, "?")
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		r.hosted = true
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			r.authority, s = rest[:i], rest[i:]
		} else {
			r.authority, s = rest, ""
		}
	}
	r.path = s
	return r
}

func (r reference) String() string {
	var b strings.Builder
	if r.scheme != "" {
		b.WriteString(strings.ToLower(r.scheme) + ":")
	}
	if r.hosted {
		b.WriteString("//" + strings.ToLower(r.authority))
	}
	b.WriteString(r.path)
	if r.queried {
		b.WriteString("?" + r.query)
	}
	return b.String()
}

// resolve returns the URI of the reference ref, without a fragment, relative to base (RFC 3986,
// 5.2). base may be relative itself, or "" if unknown.
func resolve(base, ref string) string {
	b, r := parseReference(base), parseReference(ref)
	switch {
	case r.scheme != "":
	case r.hosted:
		r.scheme = b.scheme
	case r.path == "":
		r.scheme, r.authority, r.hosted, r.path = b.scheme, b.authority, b.hosted, b.path
		if !r.queried {
			r.query, r.queried = b.query, b.queried
		}
		return r.String()
	default:
		r.scheme, r.authority, r.hosted = b.scheme, b.authority, b.hosted
		if r.path[0] != '/' {
			r.path = b.path[:strings.LastIndexByte(b.path, '/')+1] + r.path
			if b.hosted && b.path == "" {
				r.path = "/" + r.path
			}
		}
	}
	r.path = withoutDots(r.path)
	return r.String()
}

// withoutDots removes the parts . and .. of a path (RFC 3986, 5.2.4).
func withoutDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	parts := strings.Split(path, "/")
	out := parts[:0]
	for i, p := range parts {
		last := i == len(parts)-1
		switch {
		case p != "." && p != "..":
			out = append(out, p)
			continue
		case p == ".." && len(out) > 1 || p == ".." && len(out) == 1 && out[0] != "":
			out = out[:len(out)-1]
		}
		if last {
			out = append(out, "")
		}
	}
	return strings.Join(out, "/")
}
