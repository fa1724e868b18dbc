package catalog

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// The kinds of items, by their places in protocol.Lists.
const (
	ofTools     = 0
	ofResources = 1
	ofTemplates = 2
	kinds       = 4
)

// kindOf returns the place of a list in protocol.Lists, -1 for another.
func kindOf(k *protocol.List) int { return slices.Index(protocol.Lists(), k) }

// isURI reports whether the names of a kind are uris.
func isURI(kind int) bool { return kind == ofResources || kind == ofTemplates }

// Health is the health of a server for calls.
type Health uint8

// The healths.
const (
	// Healthy: the server is ready, or the tool is local.
	Healthy Health = iota
	// Degraded: the server is ready, but did not answer the last pings.
	Degraded
	// Unavailable: the server is not ready, or is ready again and its list has not been read yet.
	Unavailable
)

// String returns the name of the health.
func (h Health) String() string { return rawjson.NameOf(h, "unavailable", "healthy", "degraded") }
