package bench

// Bound is the upper bound of this library in one workload; zero fields are unbounded.
type Bound struct {
	Workload    string
	Floor       float64 // times the floor
	Peer        float64 // times the best released peer
	Allocations float64 // allocations
	Bytes       float64 // bytes of an op, or of what is measured instead of CPU
}

// Bounds are the results in README.md, with about ten percent for the machine. Ratios hold on a quiet
// machine, where cmd/bench checks them; allocations and bytes hold on any, and a test checks them.
var Bounds = []Bound{
	{Workload: "call-small", Floor: 2.1, Peer: 1.0 / 10, Allocations: 4, Bytes: 720},
	{Workload: "call-stateless", Peer: 1.0 / 8, Allocations: 4, Bytes: 1024},
	{Workload: "ping", Floor: 1.5, Peer: 1.0 / 12, Allocations: 2, Bytes: 192},
	{Workload: "echo-4KB", Floor: 1.35, Peer: 1.0 / 10, Allocations: 5, Bytes: 15_400},
	{Workload: "echo-256KB", Floor: 1.2, Peer: 1.0 / 10, Allocations: 5, Bytes: 850_000},
	{Workload: "unused-256KB", Floor: 1.3, Peer: 1.0 / 10, Allocations: 3, Bytes: 270_800},
	{Workload: "read-1KB", Floor: 1.85, Peer: 1.0 / 3, Allocations: 5, Bytes: 1700},
	{Workload: "notification", Floor: 2, Peer: 1.0 / 8, Allocations: 2, Bytes: 256},
	{Workload: "client-call", Floor: 2.3, Peer: 1.0 / 4, Allocations: 14, Bytes: 1360},
	{Workload: "both-1", Floor: 2.4, Peer: 1.0 / 5, Allocations: 17, Bytes: 1915},
	{Workload: "both-64", Floor: 3, Peer: 1.0 / 5, Allocations: 21, Bytes: 2470},
	{Workload: "checked-small", Peer: 1.0 / 10, Allocations: 4, Bytes: 720},
	{Workload: "one-more-1", Allocations: 15, Bytes: 1460},
	{Workload: "one-more-100000", Floor: 3.2, Peer: 1.0 / 3, Allocations: 15, Bytes: 1400},
	{Workload: "idle-server", Bytes: 270},
	{Workload: "idle-client", Bytes: 270},
	{Workload: "in-flight", Bytes: 100},
	{Workload: "relay-call-10B", Floor: 12.5, Allocations: 15, Bytes: 1568},
	{Workload: "relay-result-10B", Floor: 11.5, Allocations: 8, Bytes: 1224},
	{Workload: "relay-call-1KB", Floor: 5.4, Allocations: 15, Bytes: 2592},
	{Workload: "relay-result-1KB", Floor: 4.3, Allocations: 8, Bytes: 2280},
	// A call that does not return at once, as on a busy machine, takes two turns. One that does
	// has its exact bound in server/nethttp TestAllocations.
	{Workload: "http-1", Floor: 1.85, Peer: 0.7, Allocations: 60, Bytes: 7000},
	{Workload: "http-64", Floor: 2.05, Peer: 0.7, Allocations: 85, Bytes: 9000},
	{Workload: "http-client-1", Floor: 1.6, Peer: 0.95, Allocations: 122, Bytes: 11_600},
	{Workload: "http-client-64", Floor: 2.1, Peer: 1.1, Allocations: 142, Bytes: 14_000},
	{Workload: "http-idle", Bytes: 990}, // 730 to 880: net/http's memory counts too, and varies even over a thousand sessions
}
