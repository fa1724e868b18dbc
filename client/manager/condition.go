package manager

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Condition is the condition of a server. The zero Condition, Idle, means no server has the name,
// or one of Options.OnDemand that is not open.
type Condition uint8

// The conditions.
const (
	Idle        Condition = iota // nothing is open: no server has the name, or one of Options.OnDemand that is unused
	Connecting                   // the transport is being opened
	Handshaking                  // it is open; initialize is on its way
	Restoring                    // the handshake is done; subscriptions and log level are being restored
	Ready                        // requests can be made
	Waiting                      // it is lost, and will be reopened at RetryAt
	Failed                       // it is lost, and will not be reopened; with Options.OnDemand it can be opened from RetryAt on
	Draining                     // its name is free, its transport is being closed
	Closed                       // its transport is closed, or was killed
	conditionCount
)

var conditionNames = []string{"idle", "connecting", "handshaking", "restoring", "ready", "waiting", "failed", "draining", "closed"}

// String returns the name of the condition.
func (s Condition) String() string { return rawjson.NameOf(s, "condition(?)", conditionNames...) }

// Live reports whether a transport is open, or being opened.
func (s Condition) Live() bool { return s >= Connecting && s <= Ready }

// Status is the state of a server and of its link, for display.
type Status struct {
	Link       Link              // the one that it has now, or had last
	Condition  Condition         // what it is doing
	Since      time.Time         // when it came to that state
	Err        error             // why it was last lost or could not be opened; nil: never since it was stable
	RetryAt    time.Time         // of Waiting: when it is opened again; of Failed with OnDemand: from when on Open opens it
	Dials      int               // attempts to open it since it was last stable
	Misses     int               // pings in a row without a sign of life; the server is degraded if not zero
	Latency    time.Duration     // of the last ping that was answered
	ReadyCount uint64            // how often it was ready
	Pending    int               // requests on their way to the server, pings and listings included
	Revision   protocol.Revision // what was negotiated, zero before
}
