package protocol

import "strings"

// Within reports whether a file uri is the root or lies below it (roots page: servers
// check paths against the roots that they were given). The root "/a" holds "/a" and
// "/a/b" and not "/ab". A uri with a ".." in its path, however it is spelled, is within
// no root.
func (r Root) Within(uri string) bool {
	if !ValidRootURI(uri) || !ValidRootURI(r.URI) {
		return false
	}
	root := strings.TrimSuffix(r.URI, "/")
	rest, ok := strings.CutPrefix(uri, root)
	return ok && (rest == "" || rest[0] == '/')
}
