package catalog

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Errors of this package, apart from *ConflictError. Distinguish them by errors.Is.
var (
	// ErrServer: no server has that name, or one already has it.
	ErrServer = errors.New("catalog: unknown or duplicate server")
	// ErrUnknown: no item has the name.
	ErrUnknown = errors.New("catalog: unknown name")
	// ErrItem: an item of a list is not valid, or has an unsafe name (naming.Valid).
	ErrItem = errors.New("catalog: invalid item")
)

var (
	errClosed  = fmt.Errorf("catalog: %w", lifecycle.ErrClosed)
	errName    = fmt.Errorf("%w: unusable name", ErrItem)
	errTooLong = fmt.Errorf("catalog: item too long: %w", lifecycle.ErrLimit)  // longer than Limits.ItemBytes
	errTooMany = fmt.Errorf("catalog: too many items: %w", lifecycle.ErrLimit) // or too many bytes of them
)

// ItemID identifies an item by its server and its name or uri there.
type ItemID struct {
	Server string // "" for a local one
	Key    string // its name, uri or uriTemplate on the server
}

// String returns the id for logs.
func (id ItemID) String() string {
	if id.Server == "" {
		return strconv.Quote(id.Key)
	}
	return strconv.Quote(id.Key) + " of " + strconv.Quote(id.Server)
}

// ConflictError reports that two items want the same name.
type ConflictError struct {
	Name     string // the name
	Existing ItemID // the item that has the name
	Incoming ItemID // the item without it
}

// Error returns the error text.
func (e *ConflictError) Error() string {
	return "catalog: another item has the name " + strconv.Quote(rawjson.Clip(e.Name, longestKey))
}

// Dropped is a listed item that is not in the Catalog, or not under its name.
type Dropped struct {
	Server string // whose list it is on
	// Index is its index among the valid items of the list, or for ErrItem on its page. It is -1 for an
	// item that has lost its name.
	Index int
	Key   string // its name or uri, if it can be decoded, cut to 64 bytes (rawjson.Clip)
	Err   error  // ErrItem, lifecycle.ErrLimit or a *ConflictError
}

// longestKey is the longest name in an error: 64 bytes with the ellipsis.
const longestKey = 64 - len("…")

// Change lists the changes of one list of a server, or of the local tools.
type Change struct {
	Kind    *protocol.List // which list
	Server  string         // "" for the local tools
	Added   []ItemID       // new items, in the order of the list
	Removed []ItemID       // removed items, in the order of the last list
	Changed []ItemID       // items that differ in more than their spelling, in the order of the list
	Dropped []Dropped      // items that were dropped or have lost their name
	More    int            // how many more were dropped, beyond Limits.Dropped
	// Listed is true if Items returns other items, names or definitions than before.
	Listed bool
	// Health is the current health of the server for calls; Before the previous one.
	Health, Before Health
	// Err says why the list could not be read. Config.Stale says whether its items stay.
	Err error
}

// IsZero reports whether nothing has changed or failed.
func (c Change) IsZero() bool {
	return c.Added == nil && c.Removed == nil && c.Changed == nil && c.Dropped == nil && !c.Listed && c.Health == c.Before && c.Err == nil
}
