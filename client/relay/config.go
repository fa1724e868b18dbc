package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/toolset"
	"github.com/sansmcp/mcp/protocol"
)

// Config says what a Relay is and how it joins its two sides. The zero value of each field is
// good for most; Info is required.
type Config struct {
	// Info names the relay to the servers; Name and Version are required.
	Info protocol.Implementation
	// Manager are the settings of the connections: times, health, back-off, budgets. Its
	// Client is the base of what the servers are told: revisions and capabilities come from
	// the client, Info from above.
	Manager manager.Config
	// Offer are the kinds of things that are passed on at all, of CapTools, CapResources,
	// CapPrompts, CapCompletions, CapLogging; 0 means all. They are declared to the client
	// before any server is known, so a kind that no server has is offered and empty.
	Offer protocol.Capability
	// Names says what tools and prompts are called towards the client.
	Names Names
	// Naming makes the qualified names.
	Naming toolset.Naming
	// URIs says what resources and templates are called towards the client.
	URIs URIs
	// Loss says what becomes of what a server listed, while it is away.
	Loss Loss
	// Routes say which server a custom method goes to. What none of them matches goes to the
	// only server, if there is only one, and is else -32601, or dropped if it is a
	// notification.
	Routes []Route
	// CallTimeout is how long a request that was passed on may take. Progress that the client
	// asked for puts it off, up to Timeouts.Maximum of Manager.Client. 0 means
	// DefaultCallTimeout, lifecycle.NoTimeout none.
	CallTimeout time.Duration
	// Held bounds the requests that wait for a server.
	Held Held
	// Lists are the times and sizes of merged lists.
	Lists Lists
}

// Names says what tools and prompts are called towards the client.
type Names uint8

// The policies of names. The qualified name of everything is understood under each of them:
// the one that Naming.ID makes.
const (
	// NamesUnique leaves a name that only one server has as it is. Of several servers the
	// first in configured order keeps it, and the others have qualified ones. The name of a
	// server that is away stays its own.
	NamesUnique Names = iota
	// NamesQualified qualifies all names.
	NamesQualified
	// NamesShadow leaves names as they are and hides those that an earlier server has.
	NamesShadow
)

// URIs says what resources and templates are called towards the client. A qualified uri has the
// name of the server, and a plus sign, before its scheme: files+file:///a. Under each policy it
// is understood.
type URIs uint8

// The policies of uris.
const (
	// URIsUnique leaves a uri that only one server has as it is. Of several servers the first in
	// configured order keeps it. Uris in results pass as they are; one that no server lists
	// is asked of the servers in their order until one knows it.
	URIsUnique URIs = iota
	// URIsQualified qualifies all uris, in results, updates and sampling too.
	URIsQualified
)

// Loss says what becomes of what a server listed, while it is away. Its calls are refused at
// once under both.
type Loss uint8

// The policies of loss.
const (
	// LossHide takes it off the lists until the server is back (E11).
	LossHide Loss = iota
	// LossKeep goes on listing it (E12).
	LossKeep
)

// Route gives custom methods to a server: those that are Method, or begin with it if it ends in
// a slash. The longest that matches counts; "" matches every custom method.
type Route struct {
	Method string // as "acme/search", or "acme/"
	Server string // the name of the server
}

// Held bounds the requests of the client that wait for a server. More are refused -32603.
type Held struct {
	Requests int           // 0 means DefaultHeldRequests
	Bytes    int           // of their params together; 0 means DefaultHeldBytes
	Time     time.Duration // how long each waits; 0 means DefaultHeldTime
}

// Lists are the times and sizes of merged lists. A zero field means its default.
type Lists struct {
	// Settle is how long a list waits for servers that are starting, once one is known, and
	// First how long while none is; counted from the begin of the sessions.
	Settle, First time.Duration
	// Announce is how long changes are gathered for one list_changed.
	Announce time.Duration
	// MinInterval is the least time between two readings of the same list of a server, if
	// only an announcement asks for the second.
	MinInterval time.Duration
	// PageItems and PageBytes bound a page. One item is always on it.
	PageItems, PageBytes int
}

// The defaults of Config.
const (
	DefaultCallTimeout  = 10 * time.Minute
	DefaultHeldRequests = 256
	DefaultHeldBytes    = 32 << 20
	DefaultHeldTime     = 30 * time.Second
	DefaultSettle       = 30 * time.Millisecond
	DefaultFirst        = 2 * time.Second
	DefaultAnnounce     = 50 * time.Millisecond
	DefaultMinInterval  = time.Second
	DefaultPageItems    = 1000
	DefaultPageBytes    = 4 << 20
)

// Server is one server behind the relay.
type Server struct {
	// Name names it, in statuses and in qualified names: any text but the empty one, once.
	Name string
	// Definition tells one definition from another: SetServers keeps the connection of a
	// server whose Name and Definition are as they were. It is a text of the caller's, as the
	// entry of a configuration file.
	Definition string
	// Options are those of its connection. Supervise, Client and Replace are set by the Relay.
	Options manager.Options
}
