package manager

import (
	"iter"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Manager is any number of named connections: an immutable value. Every step returns the next
// one, and the old one stays as it was. The zero Manager is not usable; New makes one.
type Manager struct{ env *struct{} }

// RequestOptions are the settings of one request.
type RequestOptions struct {
	// Within is the request of the same server that this one is made for, if any; see
	// lifecycle.RequestOptions.Within.
	Within Call
	// Timeout is how long to wait for the answer; zero means Timeouts.Request, Disabled none.
	Timeout time.Duration
	// Maximum is the longest that progress can extend the wait; zero means Timeouts.Maximum,
	// Disabled none.
	Maximum time.Duration
	// Progress asks for progress, which comes as SessionEvent with the Op.
	Progress bool
	// ResetOnProgress restarts Timeout whenever progress comes, up to Maximum.
	ResetOnProgress bool
	// ReplaceToken replaces a progressToken that the params carry. A relay needs it.
	ReplaceToken bool
	// Replaces is an earlier request to the same server that is cancelled, if it is still open.
	Replaces Op
	// OutputSchema is what a structured result has to satisfy; see
	// lifecycle.RequestOptions.OutputSchema.
	OutputSchema jsonrpc.Raw
}

// New returns a Manager without connections. now is the origin of all its times and must not
// be zero. Errors: ErrConfig, with what is wrong.
func New(cfg Config, now time.Time) (Manager, error) { panic("under construction") }

// Connect begins a connection under a name. The Op ends when the first attempt does: server
// ready, or why not. Errors: ErrNameInUse, ErrConfig, lifecycle.ErrLimit (MaxServers).
func (m Manager) Connect(now time.Time, name string, opt Options) (Manager, Output, error) {
	panic("under construction")
}

// Disconnect frees a name at once and closes what had it (row B13): its operations end in the
// order in which they began, the transport has Timeouts.Close to close and is killed then. The
// Op ends with that. A name that there is nothing under is a success.
func (m Manager) Disconnect(now time.Time, name string) (Manager, Output) {
	panic("under construction")
}

// DisconnectAll disconnects everything, in the order of connect (rows A11, B14). The Op ends
// when all are closed: Errors has one place for each server, Err is the first that is not nil.
func (m Manager) DisconnectAll(now time.Time) (Manager, Output) { panic("under construction") }

// Reconnect closes what is open under a name, if anything, and opens it again at once with
// the same Options, whatever its back-off says. The Op ends as that of Connect. Errors:
// ErrUnknownServer.
func (m Manager) Reconnect(now time.Time, name string) (Manager, Output, error) {
	panic("under construction")
}

// Opened says that the transport of a link is open.
func (m Manager) Opened(now time.Time, link Link) (Manager, Output) { panic("under construction") }

// OpenFailed says that it could not be opened.
func (m Manager) OpenFailed(now time.Time, link Link, cause error) (Manager, Output) {
	panic("under construction")
}

// Receive takes a message of a server in. It is total.
func (m Manager) Receive(now time.Time, link Link, msg jsonrpc.Message) (Manager, Output) {
	panic("under construction")
}

// SendFailed says that one message could not be sent. Only its request fails.
func (m Manager) SendFailed(now time.Time, link Link, req client.Req, cause error) (Manager, Output) {
	panic("under construction")
}

// ResponseLost says that a message went out, but that its answer cannot come any more.
func (m Manager) ResponseLost(now time.Time, link Link, req client.Req, cause error) (Manager, Output) {
	panic("under construction")
}

// Abandon says that a server will take no answer to a request of its any more.
func (m Manager) Abandon(now time.Time, call Call) (Manager, Output) { panic("under construction") }

// Closed says that the transport is gone, also where it was not asked to.
func (m Manager) Closed(now time.Time, link Link, cause error) (Manager, Output) {
	panic("under construction")
}

// Request sends a request to a server. Errors: ErrUnknownServer, ErrUnavailable; those of
// client.State.Request.
func (m Manager) Request(now time.Time, name string, p protocol.Params, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// List reads all pages of a list: "tools/list", "resources/list", "resources/templates/list",
// "prompts/list". Errors: as Request.
func (m Manager) List(now time.Time, name, method string, budget Budget) (Manager, Output, error) {
	panic("under construction")
}

// Ping measures how long a ping takes. Errors: as Request.
func (m Manager) Ping(now time.Time, name string) (Manager, Output, error) {
	panic("under construction")
}

// HealthCheck looks whether each server works (row A13): one that is ready is pinged, one
// that is not is waited for, or opened if it has failed. The OpDone has Reports in the order of
// connect.
func (m Manager) HealthCheck(now time.Time) (Manager, Output) { panic("under construction") }

// Cancel gives an operation up. Errors: lifecycle.ErrGone, lifecycle.ErrPhase (a Connect or
// Disconnect: nothing of a server is cancelled by that).
func (m Manager) Cancel(now time.Time, op Op, reason string) (Manager, Output, error) {
	panic("under construction")
}

// CallTool calls a tool. Arguments are a JSON object, or "" or null for none (row B11).
func (m Manager) CallTool(now time.Time, name, tool string, arguments protocol.Raw, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// ReadResource reads a resource.
func (m Manager) ReadResource(now time.Time, name, uri string, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// GetPrompt gets a prompt. Arguments are a JSON object of strings, or "" or null for none.
func (m Manager) GetPrompt(now time.Time, name, prompt string, arguments protocol.Raw, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// Complete asks for completions of an argument.
func (m Manager) Complete(now time.Time, name string, p protocol.CompleteParams, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// Subscribe asks for news of a resource.
func (m Manager) Subscribe(now time.Time, name, uri string, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// Unsubscribe ends that.
func (m Manager) Unsubscribe(now time.Time, name, uri string, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// SetLevel sets the least level of log messages.
func (m Manager) SetLevel(now time.Time, name string, level protocol.LoggingLevel, opt RequestOptions) (Manager, Output, error) {
	panic("under construction")
}

// SetRoots replaces the roots of one server's session, and announces the change.
func (m Manager) SetRoots(now time.Time, name string, roots []protocol.Root) (Manager, Output, error) {
	panic("under construction")
}

// RootsChanged announces that the roots have changed, where the application answers roots/list.
func (m Manager) RootsChanged(now time.Time, name string) (Manager, Output, error) {
	panic("under construction")
}

// Respond answers a request of a server.
func (m Manager) Respond(now time.Time, call Call, result protocol.Result) (Manager, Output, error) {
	panic("under construction")
}

// Fail answers it with an error.
func (m Manager) Fail(now time.Time, call Call, e jsonrpc.Error) (Manager, Output, error) {
	panic("under construction")
}

// Finish answers it with an Answer, whose Call is not looked at.
func (m Manager) Finish(now time.Time, call Call, a client.Answer) (Manager, Output, error) {
	panic("under construction")
}

// Progress reports progress of it.
func (m Manager) Progress(now time.Time, call Call, p protocol.ProgressParams) (Manager, Output, error) {
	panic("under construction")
}

// Notify sends a notification, within a request of the server or, with the zero Call, outside.
func (m Manager) Notify(now time.Time, name string, n protocol.Params, within Call) (Manager, Output, error) {
	panic("under construction")
}

// Tick lets time pass.
func (m Manager) Tick(now time.Time) (Manager, Output) { panic("under construction") }

// NextDeadline returns when Tick is next due; false if nothing waits. O(1).
func (m Manager) NextDeadline() (time.Time, bool) { panic("under construction") }

// Check returns an error if an invariant does not hold.
func (m Manager) Check() error { panic("under construction") }

// Snapshot returns the Manager as JSON, without Config, Endpoints and Options.
func (m Manager) Snapshot() []byte { panic("under construction") }

// Restore returns the Manager of a snapshot. options is asked for the Options of each name;
// where it says false, the server is left out and its operations are gone.
func Restore(cfg Config, data []byte, now time.Time, options func(name string) (Options, bool)) (Manager, error) {
	panic("under construction")
}

// ServerInfo returns what the handshake of a server brought (row B20). Errors:
// ErrUnknownServer, ErrUnavailable.
func (m Manager) ServerInfo(name string) (Info, error) { panic("under construction") }

// Info is what the handshake of a server brought.
type Info struct {
	Server       protocol.Implementation
	Capabilities protocol.Capability
	Revision     protocol.Revision
}

// Client returns the session of a server, to look at; false if there is nothing under the name.
func (m Manager) Client(name string) (client.State, bool) { panic("under construction") }

// Options returns the Options of a server.
func (m Manager) Options(name string) (Options, bool) { panic("under construction") }

// Link returns the incarnation that a name has now.
func (m Manager) Link(name string) (Link, bool) { panic("under construction") }

// Status returns what there is to say of a server.
func (m Manager) Status(name string) (Status, bool) { panic("under construction") }

// Statuses returns that of all servers, in the order of connect.
func (m Manager) Statuses() iter.Seq[Status] { panic("under construction") }

// Closing returns that of those whose name is free and whose transport is being closed,
// oldest first.
func (m Manager) Closing() iter.Seq[Status] { panic("under construction") }

// Len returns how many names there are.
func (m Manager) Len() int { panic("under construction") }
