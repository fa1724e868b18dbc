package manager

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Condition is the condition of a server, as far as the Manager knows. The zero Condition, Idle,
// means that no server has the name, or that a server with Options.OnDemand is not open.
type Condition uint8

// The conditions.
const (
	Idle        Condition = iota // no server has the name, or a server with Options.OnDemand is not open
	Connecting                   // the transport is being opened
	Handshaking                  // the transport is open; initialize was sent
	Restoring                    // the handshake is done; subscriptions and log level are being restored
	Ready                        // requests can be made
	Waiting                      // it was lost, and will be opened again at RetryAt
	Failed                       // it was lost, and will not be opened again automatically; with Options.OnDemand, Open may open it from RetryAt on
	Draining                     // its name is free, its transport is closing
	Closed                       // its transport is closed, or was killed
	conditionCount
)

var conditionNames = []string{"idle", "connecting", "handshaking", "restoring", "ready", "waiting", "failed", "draining", "closed"}

// String returns the name of the condition.
func (s Condition) String() string { return rawjson.NameOf(s, "condition(?)", conditionNames...) }

// Live reports whether a transport is open, or being opened.
func (s Condition) Live() bool { return s >= Connecting && s <= Ready }

// Status is the condition of a server and of its link, for display.
type Status struct {
	Link       Link              // the current link, or the last one
	Condition  Condition         // what it is doing
	Since      time.Time         // when it reached that condition
	Err        error             // why it was last lost or could not be opened; nil after it was stable
	RetryAt    time.Time         // Waiting: when it is opened again; Failed with OnDemand: when Open may open it
	Dials      int               // dials since it was last stable
	Misses     int               // pings in a row without an answer or another message; the server is degraded if not zero
	Latency    time.Duration     // of the last answered ping
	ReadyCount uint64            // how often it became ready
	Pending    int               // requests in flight to the server, including pings and lists
	Revision   protocol.Revision // the negotiated revision; zero before the handshake
}
