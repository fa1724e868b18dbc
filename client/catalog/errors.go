package catalog

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The errors of this package beside *ConflictError. Tell them apart by errors.Is.
var (
	// ErrServer: no server has that name, or one has it already.
	ErrServer = errors.New("catalog: unknown or duplicate server")
	// ErrUnknown: no item has the name.
	ErrUnknown = errors.New("catalog: unknown name")
	// ErrItem: an item of a list is not valid, or has a name that cannot be used (naming.Valid).
	ErrItem = errors.New("catalog: invalid item")
)

var (
	errClosed  = fmt.Errorf("catalog: %w", lifecycle.ErrClosed)
	errName    = fmt.Errorf("%w: unusable name", ErrItem)
	errTooLong = fmt.Errorf("catalog: item too long: %w", lifecycle.ErrLimit)  // longer than Limits.ItemBytes
	errTooMany = fmt.Errorf("catalog: too many items: %w", lifecycle.ErrLimit) // or too many bytes of them
)

// ItemID names an item by its server and the name or uri that it has there.
type ItemID struct {
	Server string // "" for a local one
	Key    string // the name, uri or uriTemplate that it has there
}

// String returns the id for logs.
func (id ItemID) String() string {
	if id.Server == "" {
		return strconv.Quote(id.Key)
	}
	return strconv.Quote(id.Key) + " of " + strconv.Quote(id.Server)
}

// ConflictError says that two items want the same name. The Existing one has it.
type ConflictError struct {
	Name     string // the name
	Existing ItemID // the item that has it
	Incoming ItemID // the item that does not
}

// Error returns the error text.
func (e *ConflictError) Error() string {
	return "catalog: another item has the name " + strconv.Quote(rawjson.Clip(e.Name, longestKey))
}

// Dropped is an item that a server listed and that is not in the Catalog, or not under the name that it
// wants.
type Dropped struct {
	Server string // whose list it is on
	// Index is its place from 0 among the valid items of the list, or for ErrItem on its page. It is -1
	// for an item that is there and has lost its name.
	Index int
	Key   string // its name or uri if that can be read, cut to 64 bytes (rawjson.Clip)
	Err   error  // ErrItem, lifecycle.ErrLimit or a *ConflictError
}

// longestKey is how much of a name an error tells: 64 bytes with the ellipsis.
const longestKey = 64 - len("…")

// Change says what became of one list of a server, or of the local tools.
type Change struct {
	Kind    *protocol.List // which list
	Server  string         // "" for the local tools
	Added   []ItemID       // items that were not there, in the order of the list
	Removed []ItemID       // items that are gone, in the order of the last list
	Changed []ItemID       // items that differ in more than their spelling, in the order of the list
	Dropped []Dropped      // items that were dropped or have lost their name
	More    int            // how many more were dropped, beyond Limits.Dropped
	// Listed says that Items returns other items, names or definitions than before.
	Listed bool
	// Health is what calls to the server can expect now; Before what they could.
	Health, Before Health
	// Err says why the list could not be read. Config.Stale says what becomes of its items.
	Err error
}

// IsZero reports whether nothing has changed and nothing failed.
func (c Change) IsZero() bool {
	return c.Added == nil && c.Removed == nil && c.Changed == nil && c.Dropped == nil && !c.Listed && c.Health == c.Before && c.Err == nil
}
