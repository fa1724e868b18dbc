package protocol

import (
	"strings"
)

// The methods of roots (roots page).
const (
	MethodRootsList        = "roots/list"
	MethodRootsListChanged = "notifications/roots/list_changed"
)

var rootRows = []Row{
	{
		Method: MethodRootsList, Receiver: Client, Gate: CapRoots, Declares: CapRoots, Send: ready, Serve: ready, Cancellable: true,
		ResultRule: "ROOT-003", params: checkListRootsParams, result: checkListRootsResult, accept: acceptRoots,
	},
	{
		Method: MethodRootsListChanged, Notification: true, Receiver: Server, Gate: CapRoots | CapRootsListChanged, Send: ready, Serve: ready,
		ages: ages{until: age20260728}, params: checkRootsListChangedParams,
	},
}

// acceptRoots finds roots that should not be there and leaves them: the server decides.
func acceptRoots(_ *Row, a Reply) Reply {
	if !ValidRoots(a.Body) {
		a.find("ROOT-005")
	}
	return a
}

// ListRootsParams are the params of roots/list (ROOT-002).
type ListRootsParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ListRootsResult is the result of roots/list.
type ListRootsResult struct {
	// Roots are the places the server may work in.
	Roots []Root `json:"roots"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Root is a directory or file that the server may work in.
type Root struct {
	// URI is a file:// uri. Validate also refuses a path that climbs up with "..".
	URI string `json:"uri" mcp:"root"`
	// Name is its name for display.
	Name string `json:"name,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// RootsListChangedParams are the params of notifications/roots/list_changed (ROOT-007).
type RootsListChangedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Within reports whether a file uri is the root or lies below it (roots page: servers
// check paths against the roots that they were given). The root "/a" holds "/a" and
// "/a/b" and not "/ab". A uri with a ".." in its path, however it is spelled, is within
// no root (ROOT-017).
func (r Root) Within(uri string) bool {
	if !ValidRootURI(uri) || !ValidRootURI(r.URI) {
		return false
	}
	root := strings.TrimSuffix(r.URI, "/")
	rest, ok := strings.CutPrefix(uri, root)
	return ok && (rest == "" || rest[0] == '/')
}
