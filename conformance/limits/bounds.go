package limits

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Bound is one setting, or one fixed number, that limits what a machine of many servers or a
// driver accepts, keeps or waits for.
type Bound struct {
	Where   string // folder of the package
	Setting string // Type.Field, or a constant of the package without a setting
	Const   string // the constant with the default; "" without one
	Default any    // for zero: an int, a Bytes, a time.Duration, or a text that names what it follows
	Beyond  string // what happens at the limit
	Proof   string // the tests at the limit, as "folder TestName", separated by commas; "" if none is exactly there
}

// Bytes is a Default in bytes.
type Bytes int

// None is the Default of settings without a limit.
const None = "none"

// Bounds returns the table.
func Bounds() []Bound {
	return slices.Concat(execBounds(), managerBounds(), catalogBounds(), relayBounds(), clientBounds(), serverBounds(), textBounds(), authBounds())
}

func execBounds() []Bound {
	const where = "client/attempt"
	const limits, here = "client/attempt TestResultLimits, ", "client/attempt TestSettings"
	return []Bound{
		{where, "Config.Queue", "defaultQueue", 1024, "`attempt.ErrOverloaded`, and nothing has changed", "client/attempt TestModel, " + here},
		{where, "Config.Running", "", None, "a call waits for its turn", "client/attempt TestModel"},
		{where, "Lane.Running", "", None, "a call waits, without delaying other lanes", "client/attempt TestSilentLane, client/attempt TestModel"},
		{where, "Lane.Queue", "", None, "`attempt.ErrOverloaded`", "client/attempt TestModel, client/attempt TestManyLanes"},
		{where, "Limits.Blocks", "", 1000, "the call fails: an unusable result", limits + here},
		{where, "Limits.BlockBytes", "", Bytes(8 << 20), "the same", limits + here},
		{where, "Limits.Bytes", "", Bytes(16 << 20), "the same", limits + here},
		{where, "Limits.Depth", "", 128, "the same", limits + here},
		{where, "Policy.Attempt", "", None, "the attempt is a timeout", "client/attempt TestSchedules"},
		{where, "Policy.Total", "", None, "the call is a timeout", "client/attempt TestSchedules"},
		{where, "BatchOptions.Strategy", "", 1, "a call of the batch waits for those before", "client/attempt TestSchedules"},
		{where, "BatchOptions.Grace", "", 5 * time.Second, "running attempts are stopped", "client/attempt TestSchedules"},
		{where, "maxReason", "maxReason", Bytes(1024), "a reason is cut", "client/attempt TestMisuse, " + here},
	}
}

func managerBounds() []Bound {
	const where, here = "client/manager", "client/manager TestSettings"
	const inbox = "client/manager TestInbox, client/manager TestInboxModel, conformance/limits TestDefaultsOfInbox"
	return []Bound{
		{where, "Config.MaxServers", "", 10_000, "Connect is refused with `lifecycle.ErrLimit`", "client/manager TestMaxServers, " + here},
		{where, "Config.StableFor", "", time.Minute, "the failures of a server are cleared", "client/manager TestBackoffSchedule, client/manager TestStableAtOnce"},
		{where, "Timeouts.Connect", "", 5 * time.Minute, "opening fails", "client/manager TestConnect, " + here},
		{where, "Timeouts.Request", "", 30 * time.Second, "the request is a timeout, and cancelled", "client/manager TestTimeout, " + here},
		{where, "Timeouts.Maximum", "", "lifecycle.DefaultMaximumTimeout", "progress extends the request no further", "client/manager TestProgress"},
		{where, "Timeouts.Ping", "", 10 * time.Second, "a miss", "client/manager TestPing, client/manager TestHealthSchedule, " + here},
		{where, "Timeouts.Close", "DefaultCloseTimeout", manager.DefaultCloseTimeout, "the transport is killed", "client/manager TestDisconnect, " + here},
		{where, "Timeouts.Inbound", "", 10 * time.Minute, "a request of the server is answered -32603", "client/manager TestCalls, " + here},
		{where, "Health.Interval", "", 30 * time.Second, "a silent server is pinged", "client/manager TestHealthSchedule, " + here},
		{where, "Health.Misses", "", 3, "the connection counts as lost", "client/manager TestHealthSchedule, " + here},
		{where, "Budget.Pages", "", "MaxPages of client.Pager", "the listing fails, and returns the items read so far", "client/manager TestListBudget"},
		{where, "Budget.Items", "", "MaxItems of client.Pager", "the same", "client/manager TestListBudget"},
		{where, "Budget.Bytes", "", "MaxBytes of client.Pager", "the same", "client/manager TestListBudget"},
		{where, "Budget.Total", "", "10 × Timeouts.Request", "the same", "client/manager TestListBudget"},
		{where, "InboxOptions.Notifications", "defaultCount", 128, "the oldest is dropped and counted", inbox},
		{where, "InboxOptions.Progress", "defaultCount", 128, "that of one operation more is dropped and counted", inbox},
		{where, "InboxOptions.Updates", "defaultCount", 128, "that of the oldest resource is dropped and counted; the same for ends of elicitations", inbox + ", client/manager TestInboxCompletions"},
		{where, "InboxOptions.Bytes", "defaultBytes", Bytes(4 << 20), "the oldest notifications go, then updates, progress, ends of elicitations; a longer one at once", inbox + ", client/manager TestInboxBytes"},
		{where, "maxChanges", "maxChanges", 16, "a change of a server replaces the previous one", "client/manager TestInboxChanges"},
		{where, "maxNews", "maxNews", Bytes(1024), "the body of an announcement is dropped", "client/manager TestInboxLongAnnouncements"},
		{where, "resumeWindow", "resumeWindow", 16, "further subscriptions are restored when one is answered", "client/manager TestResumeFaults"},
		{where, "maxName", "maxName", Bytes(1024), "a name of a server is refused", "client/manager TestSettings"},
		{where, "maxFresh", "maxFresh", 24 * time.Hour, "a list is fresh for at most this long", "client/manager TestFreshUntil"},
	}
}

func catalogBounds() []Bound {
	const where, here = "client/catalog", "client/catalog TestSettings"
	return []Bound{
		{where, "Limits.Sources", "", 10_000, "refused", "client/catalog TestConfig, " + here},
		{where, "Limits.Items", "", 10_000, "the rest is dropped", "client/calls TestLimits, client/calls TestBrim"},
		{where, "Limits.ItemBytes", "", Bytes(256 << 10), "the item is dropped", "client/calls TestLimits"},
		{where, "Limits.Bytes", "", Bytes(16 << 20), "the rest is dropped", "client/calls TestLimits, client/calls TestBrim"},
		{where, "Limits.Pages", "", "Budget.Pages of the Manager", "reading the list fails, and what was read before stays", "client/calls TestPagesWithoutEnd"},
		{where, "Limits.Name", "", Bytes(256), "the item is dropped", "client/calls TestLimits, client/naming TestValid"},
		{where, "Limits.Dropped", "", 100, "dropped, but only counted", "client/calls TestLimits"},
		{"client/naming", "Form.Max", "defaultMax", 128, "a qualified name is cut: a hash replaces the name of the server", "client/naming TestNames, client/naming TestNamesAreOneToOne"},
		{"client/naming", "defaultProviderMax", "defaultProviderMax", 64, "the same, for names that providers allow", "client/naming TestCutNames"},
		{where, "Config.TTL", "", 10 * time.Minute, "the list is stale, and read again for a call", "client/calls TestTime, client/calls TestSchedules"},
		{where, "Source.TTL", "", "Config.TTL", "the same", "client/calls TestTime"},
		{where, "Config.MinInterval", "", time.Second, "an announcement is delayed by this", "client/calls TestAnnouncementsWithoutEnd, client/calls TestSchedules"},
		{where, "Config.Total", "", "Budget.Total of the Manager", "reading the list fails, and what was read before stays", "client/calls TestWaitsNotForEver"},
	}
}

func relayBounds() []Bound {
	const where, here = "client/relay", "client/relay TestSettings"
	return []Bound{
		{where, "Config.CallTimeout", "callTimeout", 10 * time.Minute, "the call is answered with an error, and cancelled at its server", "client/relay TestDeadline"},
		{where, "Config.MessageBytes", "", "jsonrpc.DefaultMaxBytes", "the driver enforces it; the error for a longer answer names it", "docs/examples/gateway TestTooLarge"},
		{where, "Held.Requests", "", 256, "refused with -32603", "client/relay TestHeldIsBounded, client/relay TestHeldListsAreBounded, client/relay TestParkedIsBounded, " + here},
		{where, "Held.Bytes", "", Bytes(32 << 20), "the same", "client/relay TestHeldIsBounded, client/relay TestParkedIsBounded, " + here},
		{where, "maxProgress", "maxProgress", 32, "of the progress of a parked call the oldest is dropped", "client/relay TestProgressWhileParked"},
		{where, "maxQuestions", "maxQuestions", 32, "further questions within one call are refused with -32603", "client/relay TestManyQuestions"},
		{where, "Held.Time", "", 30 * time.Second, "a call is refused, a list omits the missing servers", "client/relay TestMuteServer, client/relay TestListsWaitNoLongerThanHeldTime"},
		{where, "Lists.Hold", "", 5 * time.Second, "a list has the known servers, and a name that none of them has is unknown", "client/relay TestMuteServer, client/relay TestAllServersAreMute"},
		{where, "Server.Startup", "", "nothing is known of it", "a list does not wait for the server", "client/relay TestStartup"},
		{where, "Lists.Announce", "", 50 * time.Millisecond, "one list_changed is sent for all changes", "client/relay TestAnnouncements"},
		{where, "Lists.MinInterval", "", time.Second, "an announcement of a server is delayed by this", "client/relay TestAnnouncements"},
		{where, "Lists.PageItems", "", 1000, "the next page begins", "client/relay TestPaging"},
		{where, "Lists.PageBytes", "", Bytes(4 << 20), "the same", "client/relay TestPaging"},
	}
}
