package manager

import (
	"strconv"

	"github.com/sansmcp/mcp/client"
)

// Link identifies one opened transport and the session on it. The driver stores it with the
// transport and names it in each Report; a Report of a Link that has ended changes nothing. It is
// comparable.
type Link struct {
	// Server is the name of the server.
	Server string
	// Epoch is unique in a Manager, and increases.
	Epoch uint64
}

// IsZero reports whether l is the zero Link.
func (l Link) IsZero() bool { return l.Epoch == 0 }

// String returns the link for logs.
func (l Link) String() string { return l.Server + "#" + strconv.FormatUint(l.Epoch, 10) }

// Op is the handle of an operation that the caller began. It ends by exactly one OpDone. It is comparable,
// never reused, and stays valid over Snapshot and Restore. The zero Op refers to no operation.
type Op struct{ seq uint64 }

// Seq returns the number of the operation, 1 for the first.
func (o Op) Seq() uint64 { return o.seq }

// IsZero reports whether o is the zero Op.
func (o Op) IsZero() bool { return o.seq == 0 }

// String returns the handle for logs.
func (o Op) String() string { return "op " + strconv.FormatUint(o.seq, 10) }

// OpOf returns the handle from its number, stored outside the process.
func OpOf(seq uint64) Op { return Op{seq} }

// Call is a request from a server that the application answers, by Respond, Fail or Finish. It is
// comparable, and stays valid over Snapshot and Restore, but a restored Manager returns Calls that
// are not equal to earlier ones.
type Call struct {
	Link Link        // the link that it arrived on
	Call client.Call // its handle there
}

// isZero reports whether c is the zero Call.
func (c Call) isZero() bool { return c.Call.IsZero() }
