// Package bench measures MCP libraries for Go in one run: this one, the official
// go-sdk, mcp-go, and a floor, which is the least work that any of them must do. See
// README.md. The benchmarks are in the tests; Workloads lists what is measured.
package bench

// Workload is one thing to measure.
type Workload struct {
	// Name is the name of its benchmark.
	Name string
	// Title describes one op in a few words.
	Title string
	// Base is the name of the workload that it is compared with for each library; "" for
	// none.
	Base string
	// Unit is the unit of comparison: CPU for a time, otherwise a size that
	// does not depend on time and is measured once.
	Unit string
	// HTTP says that it is measured over HTTP, with FloorHTTP instead of Floor.
	HTTP bool
	// Relay says that a relay passes on a message, with FloorRelay instead of Floor.
	Relay bool
}

// Floor, FloorHTTP and FloorRelay are the libraries for ratios to the floor.
const (
	Floor      = "floor-api"
	FloorHTTP  = "floor-http"
	FloorRelay = "floor-relay"
)

// Floor returns the library for the workload's ratios to the floor.
func (w Workload) Floor() string {
	switch {
	case w.HTTP:
		return FloorHTTP
	case w.Relay:
		return FloorRelay
	}
	return Floor
}

// CPU is the unit of workloads whose time is measured: CPU time of the process, including all
// threads and the garbage collector.
const CPU = "cpu-ns/op"

// Bytes and Goroutines are the units for idle sessions.
const (
	Bytes      = "B/session"
	Goroutines = "goroutines/session"
)

// Workloads are all workloads, in the order of the table.
var Workloads = []Workload{
	{Name: "call-small", Title: "small tools/call", Unit: CPU},
	{Name: "ping", Title: "ping", Unit: CPU},
	{Name: "echo-4KB", Title: "echo 4 KB", Unit: CPU},
	{Name: "echo-256KB", Title: "echo 256 KB", Unit: CPU},
	{Name: "unused-256KB", Title: "unused arguments 256 KB", Unit: CPU},
	{Name: "read-1KB", Title: "resources/read of 1 KB", Unit: CPU},
	{Name: "notification", Title: "notification with event", Unit: CPU},
	{Name: "client-call", Title: "client call", Unit: CPU},
	{Name: "both-1", Title: "both parties, 1 in flight", Unit: CPU},
	{Name: "both-64", Title: "both parties, 64 in flight", Base: "both-1", Unit: CPU},
	{Name: "checked-small", Title: "checked small tools/call", Base: "call-small", Unit: CPU},
	{Name: "checked-256KB", Title: "checked arguments 256 KB", Base: "unused-256KB", Unit: CPU},
	{Name: "call-stateless", Title: "small tools/call without a session", Base: "call-small", Unit: CPU},
	{Name: "list-100", Title: "tools/list of 100", Unit: CPU},
	{Name: "list-10000", Title: "tools/list of 10,000", Unit: CPU},
	{Name: "idle-server", Title: "idle session of a server", Unit: Bytes},
	{Name: "idle-client", Title: "idle session of a client", Unit: Bytes},
	{Name: "in-flight", Title: "one request in flight", Unit: "B/request"},
	{Name: "one-more-1", Title: "one more request beside 1", Unit: CPU},
	{Name: "one-more-100000", Title: "one more request among 100,000", Base: "one-more-1", Unit: CPU},
	{Name: "relay-call-10B", Title: "relay, call of 10 B", Unit: CPU, Relay: true},
	{Name: "relay-result-10B", Title: "relay, result of 10 B", Unit: CPU, Relay: true},
	{Name: "relay-call-1KB", Title: "relay, call of 1 KB", Unit: CPU, Relay: true},
	{Name: "relay-result-1KB", Title: "relay, result of 1 KB", Unit: CPU, Relay: true},
	{Name: "http-1", Title: "server, 1 in flight", Unit: CPU, HTTP: true},
	{Name: "http-64", Title: "server, 64 in flight", Base: "http-1", Unit: CPU, HTTP: true},
	{Name: "http-64-sessions", Title: "server, 1 in flight in each of 64 sessions", Base: "http-1", Unit: CPU, HTTP: true},
	{Name: "http-client-1", Title: "client, 1 in flight", Unit: CPU, HTTP: true},
	{Name: "http-client-64", Title: "client, 64 in flight", Base: "http-client-1", Unit: CPU, HTTP: true},
	{Name: "http-idle", Title: "idle session of a server", Unit: Bytes, HTTP: true},
	{Name: "http-listening", Title: "the same, with its GET stream", Base: "http-idle", Unit: Bytes, HTTP: true},
}
