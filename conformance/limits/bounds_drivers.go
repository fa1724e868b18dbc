package limits

import (
	"time"

	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	shost "github.com/sansmcp/mcp/server/host"
	snethttp "github.com/sansmcp/mcp/server/nethttp"
)

func clientBounds() []Bound {
	const ses, lnk, flt, gate = "client/session", "client/links", "client/fleet", "client/gateway"
	const chd, rmt, wait = "client/child", "client/remote", "client/internal/waits"
	const thin = "client/session TestThin, client/session TestThinPhases, client/session TestEvents"
	return []Bound{
		{ses, "Options.MaxServing", "", 16, "refused with -32603", "client/session TestServingIsBounded"},
		{ses, "Options.MaxServingBytes", "", Bytes(16 << 20), "the same; one alone may be longer", "client/session TestServingIsBounded"},
		{ses, "Options.MaxEvents", "", 1000, "the oldest are dropped and counted, phases last; with HoldUp reading stops", thin + ", client/session TestHoldUp"},
		{ses, "Options.MaxEventBytes", "", Bytes(1 << 20), "the same, but for the newest", thin + ", client/session TestHoldUp"},
		{ses, "Options.VisitWait", "", time.Minute, "the request is repeated", "client/session TestVisit"},
		{ses, "Options.QueueBytes", "", Bytes(links.DefaultQueueBytes), "Request and Notify wait, and reading stops", "client/session TestSend"},
		{ses, "Options.SendTimeout", "", links.DefaultSendTimeout, "the session ends with `links.ErrSendTimeout`", "client/session TestStall"},
		{ses, "Options.Grace", "", None, "open requests are cancelled", "client/session TestClose"},
		{ses, "Options.Reopen", "", 5, "the session ends", "client/session TestSessionGoneAgain, client/session TestReopenFails"},
		{wait, "MaxProgress", "MaxProgress", 16, "older progress of a request is dropped, in a fleet too", "client/session TestProgress, " + wait + " TestProgressIsBounded"},
		{wait, "maxProgressBytes", "maxProgressBytes", Bytes(1 << 20), "the same, but for the newest", wait + " TestProgressBytes"},
		{lnk, "Options.QueueBytes", "DefaultQueueBytes", Bytes(links.DefaultQueueBytes), "nothing more is read from that server", "client/links TestLinksQueue"},
		{lnk, "queueFactor", "queueFactor", 16, "with so many times QueueBytes a request fails, anything else ends the link", "client/links TestLinksQueue"},
		{lnk, "Options.SendTimeout", "DefaultSendTimeout", links.DefaultSendTimeout, "the link ends with `links.ErrSendTimeout`", "client/links TestLinksStall"},
		{lnk, "Options.CloseTimeout", "DefaultCloseTimeout", links.DefaultCloseTimeout, "the Transport or Dial is abandoned: `links.ErrCloseTimeout`", "client/links TestLinksDialStuck, client/links TestLinksGiveUpOpening"},
		{flt, "Options.MaxServing", "", 16, "refused with -32603, for each server separately", "client/fleet TestServe"},
		{flt, "Options.MaxServingBytes", "", Bytes(16 << 20), "the same; one alone may be longer", "client/fleet TestServe"},
		{flt, "Options.QueueBytes", "", "Options.QueueBytes of client/links", "requests to that server wait", "client/fleet TestQueueFull"},
		{flt, "Options.SendTimeout", "", "Options.SendTimeout of client/links", "the connection ends", "client/fleet TestQueueFull"},
		{flt, "Options.CloseTimeout", "", "Options.CloseTimeout of client/links", "the Transport is abandoned", "client/links TestLinksDialStuck"},
		{flt, "maxChanges", "maxChanges", 1000, "the oldest are dropped and counted", "client/fleet TestInboxChanges"},
		{flt, "maxChangeBytes", "maxChangeBytes", Bytes(16 << 20), "the same; one alone may be longer", "client/fleet TestInboxLargeChanges"},
		{gate, "queueMessages", "queueMessages", 64, "nothing more is read from that server", "client/gateway TestInbox, client/gateway TestFlood"},
		{gate, "queueBytes", "queueBytes", Bytes(1 << 20), "the same", "client/gateway TestInbox, client/gateway TestFlood"},
		{gate, "Options.CloseTimeout", "", manager.DefaultCloseTimeout, "servers of an ended session are killed", "client/gateway TestClose, client/gateway TestKill"},
		{gate, "Options.RestAfter", "DefaultRestAfter", gateway.DefaultRestAfter, "servers of an abandoned session over HTTP end until the client returns", "client/gateway TestRest, client/gateway TestRestKeepsCalls"},
		{gate, "maxHomes", "maxHomes", 1000, "of the servers that no request without a session uses, those unused for longest end", "client/gateway TestHomesAreBounded"},
		{gate, "maxHomesEach", "maxHomesEach", 4, "clients of a principal with other capabilities share servers", "client/gateway TestHomesAreBounded"},
		{gate, "maxKeysEach", "maxKeysEach", 64, "with more kinds of clients of a principal, a client may get other servers than before", "client/gateway TestHomeStaysTheSame"},
		{gate, "maxReports", "maxReports", 32, "the rest waits for the next step", ""},
		{gate, "maxText", "maxText", Bytes(200), "texts of servers are cut on the status page", ""},
		{chd, "Options.QueueBytes", "", Bytes(pipe.DefaultQueueBytes), "Send waits", "client/child TestDeaf"},
		{chd, "Options.MaxBytes", "", "jsonrpc.DefaultMaxBytes", "a longer message is skipped, and the request that it answers fails", "docs/examples/gateway TestTooLarge"},
		{chd, "Options.Stall", "", pipe.DefaultStall, "the server is stopped: `pipe.ErrStalled`", "client/child TestDeaf"},
		{chd, "Options.Term", "defaultTerm", 1500 * time.Millisecond, "SIGTERM", "client/child TestEveryServerEnds"},
		{chd, "Options.Kill", "defaultKill", 1500 * time.Millisecond, "SIGKILL", "client/child TestEveryServerEnds"},
		{chd, "Options.Linger", "defaultLinger", 500 * time.Millisecond, "other processes of the server are killed, their output is closed", "client/child TestWhatIsLeftBehind"},
		{rmt, "Options.HeaderTimeout", "defaultHeaderTimeout", 30 * time.Second, "what waits for it fails", "client/remote TestPostsAreBounded"},
		{rmt, "Options.Idle", "defaultIdle", 5 * time.Minute, "another connection, or an error", "client/remote TestIdle"},
		{rmt, "Options.MaxPosts", "defaultMaxPosts", 32, "more wait, and reading stops", "client/remote TestPostsAreBounded, client/remote TestLegacyPosts"},
		{rmt, "defaultLogins", "defaultLogins", 2, "the request fails with the server's answer", "client/remote TestTokenRefused"},
		{rmt, "maxLearned", "maxLearned", 1000, "calls of further tools do not repeat arguments in headers", "client/remote TestLearned"},
		{rmt, "maxTold", "maxTold", 10, "the log counts further removed tools of a page", "client/remote TestInvalidAnnotations"},
		{rmt, "maxToldName", "maxToldName", Bytes(64), "the name of a tool is cut in the log", "client/remote TestInvalidAnnotations"},
		{rmt, "maxAgain", "maxAgain", 2, "a notification or a response is dropped, and a request that an HTTP/2 server did not process fails", "client/remote TestOutcomes"},
		{rmt, "maxAgainBegun", "maxAgainBegun", 5, "the session ends and another one begins", "client/remote TestInitializedIsTaken"},
		{rmt, "maxRedirects", "maxRedirects", 5, "the request fails", ""},
	}
}

func serverBounds() []Bound {
	const host, http, stdio, pip = "server/host", "server/nethttp", "server/stdio", "jsonrpc/pipe"
	const here, clus = "server/host TestSettings", "server/internal/cluster"
	return []Bound{
		{host, "WorkOptions.MaxRunning", "DefaultMaxRunning", shost.DefaultMaxRunning, "a call waits for its turn; of what is free each session and each owner has a share: alone 3/8 and 3/4 at most", "server/host TestSharesOfPlaces, server/host TestTurnsOfOwners, server/host TestWorkOverSessions, server/stdio TestRunningWorkIsBounded, " + here},
		{host, "WorkOptions.MaxWaiting", "DefaultMaxWaiting", shost.DefaultMaxWaiting, "refused with -32603; shared in the same way, including running calls", "server/host TestSharesOfTheQueue, server/stdio TestRunningWorkIsBounded, " + here},
		{host, "WorkOptions.MaxPerSession", "", "MaxRunning + MaxWaiting", "refused with -32603", "server/host TestSharesOfTheQueue, server/host TestWorkOverSessions"},
		{host, "WorkOptions.CallBytes", "defaultCallBytes", Bytes(64 << 20), "refused with -32603, but never the only call; shared in the same way", "server/host TestSharesOfTheQueue, server/host TestBytesOfCalls, server/stdio TestCallBytes"},
		{host, "WorkOptions.SessionBytes", "", "CallBytes", "the same", "server/host TestBytesOfOneSession, server/nethttp TestOneSessionHasItsShare"},
		{host, "WorkOptions.KeepAnswer", "defaultKeepAnswer", 5 * time.Minute, "the answer is dropped, and its call stays open until Timeouts.Inbound", "server/nethttp TestAnswerWaitsForTheStore, " + here},
		{host, "Options.Drain", "DefaultDrain", shost.DefaultDrain, "calls are answered -32603 and cancelled", "server/stdio TestDrainIsBounded"},
		{http, "Options.MaxSessions", "defaultMaxSessions", 10_000, "one gives way that nobody listens to and that has no call: of the owner with most idle ones the longest idle, or where more never finished their handshake, of these; or else 503 with Retry-After", "server/nethttp TestIdleSessionsGiveWay, server/nethttp TestGivingWayIsCheap, server/nethttp TestFull, server/nethttp TestBareInitializes"},
		{http, "Options.MaxSessionsPerPrincipal", "", "3/4 of MaxSessions", "the longest idle session of that principal, or without Authenticate of that address, ends; otherwise 503", "server/nethttp TestSessionsPerPrincipal, server/nethttp TestIdleSessionsGiveWay"},
		{http, "Options.KeptBytes", "defaultKeptBytes", Bytes(256 << 20), "sessions without connection give up what they keep, the one first that was not heard for longest, then those with one; one alone may keep more", "server/nethttp TestKeptBytes"},
		{http, "Options.WritingBytes", "defaultWritingBytes", Bytes(512 << 20), "the connection of the principal or address with most bytes whose client has read nothing for longest is closed; a stream can be resumed; a single write may be longer", "server/nethttp TestWritingIsBounded, server/nethttp TestSharesOfWriting, server/nethttp TestWritingOfStreams"},
		{http, "Options.MaxConnections", "defaultMaxConnections", 10_000, "503; an owner has at most three times as many as are free: alone 3/4", "server/nethttp TestConnections, server/nethttp TestSharesOfConnections"},
		{http, "Options.MaxBody", "DefaultMaxBody", Bytes(snethttp.DefaultMaxBody), "413", "server/nethttp TestBodiesAreBounded, server/nethttp TestBodySizes"},
		{http, "Options.BodyBytes", "defaultBodyBytes", Bytes(64 << 20), "503, except for bodies below 64 KiB", "server/nethttp TestSlowLargeBodies"},
		{http, "Options.StreamAfter", "defaultStreamAfter", 200 * time.Millisecond, "the response becomes a stream", "server/nethttp TestForms, server/nethttp TestStreamAtOnce"},
		{http, "Options.ReadTimeout", "defaultReadTimeout", 30 * time.Second, "408", "server/nethttp TestSlowBody"},
		{http, "Options.WriteTimeout", "defaultWriteTimeout", 30 * time.Second, "the connection is closed; unread messages stay in its stream", "server/nethttp TestSlowReader"},
		{http, "Options.Heartbeat", "defaultHeartbeat", 15 * time.Second, "a comment is written", "server/nethttp TestHeartbeat, server/nethttp TestHeartbeatIsOnTime"},
		{http, "Options.IdleTimeout", "defaultIdleTimeout", 30 * time.Minute, "the session ends", "server/nethttp TestIdle"},
		{http, "handshakeTimeout", "handshakeTimeout", time.Minute, "a session with an unfinished handshake ends", "server/nethttp TestUnfinishedHandshakesEnd"},
		{http, "overTimeout", "overTimeout", 5 * time.Second, "the rest of an ended session is removed", ""},
		{http, "headerTimeout", "headerTimeout", 10 * time.Second, "a connection whose request has no whole head is cut", ""},
		{http, "connectionTimeout", "connectionTimeout", 2 * time.Minute, "a connection without requests is closed", ""},
		{http, "writeBytes", "writeBytes", Bytes(64 << 10), "the next part is a separate write", "server/nethttp TestSlowReader"},
		{http, "connectTimeout", "connectTimeout", time.Second, "another process counts as unreachable: 503 with Retry-After", ""},
		{http, "maxForwards", "maxForwards", 4, "503 with Retry-After", "server/nethttp TestForwardsAreBounded"},
		{http, "maxRecall", "maxRecall", Bytes(16 << 20), "the older half of the records that are remembered from a Shared is forgotten; there are two such halves, and the States that are restored from them beside", "server/nethttp TestRecallIsBounded"},
		{http, "maxFirst", "maxFirst", 64, "further sessions are handled with all others of the dead process", "server/nethttp TestFirstAreBounded"},
		{http, "maxParked", "maxParked", 1000, "an answer that waits for another process becomes a failure; as many failures are kept", "server/nethttp TestInboxIsBounded"},
		{http, "maxParkedBytes", "maxParkedBytes", Bytes(4 << 20), "the same", "server/nethttp TestInboxIsBounded"},
		{http, "Options.Lease", "defaultLease", 5 * time.Second, "after two thirds the process ends its work, after all of it others answer its calls -32603 and detach its streams", "server/nethttp TestLeaseEnds, server/nethttp TestProcessDies"},
		{clus, "Disuse", "Disuse", time.Minute, "the index entry of a session without work of the process is removed", "server/nethttp TestLeaseIsRenewed"},
		{clus, "maxBuried", "maxBuried", 8, "the record drops the oldest dead process, which then notices its death only by its lease", "server/internal/cluster TestOwners"},
		{clus, "MaxProcesses", "MaxProcesses", 8, "the outcome of a turn whose Put failed is unknown if more than 8 other processes took turns before the next Get", "server/internal/cluster TestHistory, server/nethttp TestStoreIsUnsureBelow"},
		{http, "maxVerified", "maxVerified", 3, "a request whose principal is revoked each time it is authenticated is answered 503", "server/nethttp TestRevokedMeanwhile"},
		{stdio, "Options.Drain", "", "Options.Drain of server/host", "calls are answered -32603 and cancelled", "server/stdio TestDrainIsBounded"},
		{stdio, "Options.QueueBytes", "", Bytes(pipe.DefaultQueueBytes), "nothing is taken in", "server/stdio TestPeerThatDoesNotRead"},
		{stdio, "Options.Stall", "", pipe.DefaultStall, "the connection is closed", "server/stdio TestPeerThatDoesNotRead, server/stdio TestSlowPeer"},
		{pip, "DefaultQueueBytes", "DefaultQueueBytes", Bytes(pipe.DefaultQueueBytes), "Full; Room and Wait report the end", "jsonrpc/pipe TestWriter, jsonrpc/pipe TestWait, conformance/limits TestDefaultsOfPipe"},
		{pip, "DefaultStall", "DefaultStall", pipe.DefaultStall, "`pipe.ErrStalled`", "jsonrpc/pipe TestStall, conformance/limits TestDefaultsOfPipe"},
	}
}

// textBounds are those of packages that read and write texts without settings.
func textBounds() []Bound {
	const prov, fault, typ = "protocol/schema/provider", "protocol/toolerror", "server/typed"
	const hostile = "protocol/toolerror TestHostilePayloads, conformance/limits TestTextsOfToolErrors"
	return []Bound{
		{prov, "maxDepth", "maxDepth", 100, "deeper parts are dropped, and listed in Lost", "protocol/schema/provider TestHostileSchemas, conformance/limits TestBoundsOfProviders"},
		{prov, "maxLost", "maxLost", 1000, "further ones of one tool are dropped", "protocol/schema/provider TestHostileSchemas, conformance/limits TestBoundsOfProviders"},
		{prov, "maxDescription", "maxDescription", Bytes(1024), "a description is cut for Azure, and listed in Lost", "protocol/schema/provider TestGolden, conformance/limits TestBoundsOfProviders"},
		{prov, "maxName", "maxName", Bytes(64), "a name is cut, and ends in a hash", "protocol/schema/provider TestNames, conformance/limits TestBoundsOfProviders"},
		{prov, "maxSchemas", "maxSchemas", 10_000, "the rest is dropped, and listed in Lost; a strict tool is exported as not strict", "protocol/schema/provider TestSchemasAreBounded"},
		{prov, "maxBytes", "maxBytes", Bytes(1 << 20), "the rest is dropped for Gemini, and listed in Lost", ""},
		{prov, "maxCount", "maxCount", 100, "a pattern with a larger one is dropped for Anthropic, if strict", "protocol/schema/provider TestPatterns"},
		{prov, "maxKeep", "maxKeep", Bytes(1 << 20), "data around a call are not kept, and an error says so", "protocol/schema/provider TestKeepIsBounded"},
		{prov, "maxRefs", "maxRefs", 32, "a reference is not expanded, and listed in Lost", ""},
		{prov, "maxBook", "maxBook", Bytes(128 << 20), "references are no longer followed, and listed in Lost", "protocol/schema/provider TestReferencesAreBounded"},
		{prov, "maxBranches", "maxBranches", 16, "an alternative counts as one without null", ""},
		{prov, "maxStrip", "maxStrip", Bytes(64 << 20), "nulls of arguments stay", ""},
		{fault, "maxText", "maxText", Bytes(4096), "the text is cut", hostile},
		{fault, "maxName", "maxName", Bytes(128), "the name of a tool is cut", hostile},
		{fault, "maxPath", "maxPath", Bytes(256), "the path of an argument and its description are cut", hostile},
		{fault, "maxData", "maxData", Bytes(64 << 10), "longer data of an error are dropped", hostile},
		{fault, "maxRead", "maxRead", Bytes(1 << 20), "a longer payload is ignored", hostile},
		{fault, "maxList", "maxList", 20, "further names are dropped", hostile},
		{fault, "maxFault", "maxFault", 16, "further faults of arguments are dropped", "protocol/toolerror TestManyFaults"},
		{fault, "maxSaid", "maxSaid", Bytes(200), "the text of a peer is cut in an error", "protocol/toolerror TestNothingLeaks"},
		{typ, "maxErrors", "maxErrors", 16, "further faults of arguments are dropped", "server/typed TestHostileArguments, conformance/limits TestBoundsOfTyped"},
		{typ, "maxDigits", "maxDigits", 4096, "out of range", "server/typed TestHostileArguments, server/typed TestDecode"},
		{typ, "maxSize", "maxSize", 10_000, "the type is refused", ""},
	}
}
