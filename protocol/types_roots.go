package protocol

// ListRootsParams are the params of roots/list.
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
	Meta Meta `json:"_meta,omitzero"`
}

// RootsListChangedParams are the params of notifications/roots/list_changed.
type RootsListChangedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
