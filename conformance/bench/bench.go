// Package bench measures MCP libraries for Go side by side: this one, the official
// go-sdk, mcp-go, and a floor, which is the least work that any of them can do. See
// README.md. The benchmarks are in the tests; Workloads says what there is to measure.
package bench

// Workload is one thing to measure.
type Workload struct {
	// Name is the name of its benchmark.
	Name string
	// Title says in a few words what one op is.
	Title string
	// Base is the name of a workload that it is compared with for each library; "" for
	// none.
	Base string
	// Unit is the unit of what is compared: CPU for a time, or else a size that
	// depends on no time and is measured once.
	Unit string
}

// CPU is the unit of workloads whose time is measured: CPU time of the process, all
// threads and the collector included.
const CPU = "cpu-ns/op"

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
	{Name: "list-100", Title: "tools/list of 100", Unit: CPU},
	{Name: "list-10000", Title: "tools/list of 10,000", Unit: CPU},
	{Name: "idle-server", Title: "idle session of a server", Unit: "B/session"},
	{Name: "idle-client", Title: "idle session of a client", Unit: "B/session"},
	{Name: "in-flight", Title: "one request in flight", Unit: "B/request"},
	{Name: "one-more-1", Title: "one more request beside 1", Unit: CPU},
	{Name: "one-more-100000", Title: "one more request among 100,000", Base: "one-more-1", Unit: CPU},
}
