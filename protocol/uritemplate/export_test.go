package uritemplate

// MatchExact is Match without the loose reading.
func (t Template) MatchExact(uri string) (Values, bool) {
	m, ok := newMatcher(uri)
	if !ok {
		return nil, false
	}
	return m.match(t.get(), exact)
}

// Same reports whether two uris are spelled the same way but for the choices that
// RFC 3986, section 6.2.2, leaves.
func Same(a, b string) bool {
	x, _ := scan(a)
	m, _ := newMatcher(b)
	return len(x) == len(m.uri) && m.at(0, x)
}
