package verbs

import (
	"fmt"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Begin brings a fresh Side to initializing: a client sends initialize, a server gets
// one of the revision with the capabilities of the client, a JSON object.
func (x Side) Begin(r protocol.Revision, caps string) (Side, lifecycle.Output) {
	x.T.Helper()
	if x.Role == protocol.Server {
		return x.Receive(InitializeLine(r.String(), caps))
	}
	x, out, err := x.Initialize()
	if err != nil {
		x.T.Fatal(err)
	}
	return x, out
}

// Finish brings the Side of Begin to ready: a client gets the
// InitializeResult of a server with these capabilities, a server initialized.
func (x Side) Finish(r protocol.Revision, caps string) (Side, lifecycle.Output) {
	x.T.Helper()
	if x.Role == protocol.Server {
		return x.Receive(Initialized)
	}
	return x.Receive(x.InitializeResult(r.String(), caps))
}

// Open brings a fresh Side to ready, with a peer with these capabilities.
func (x Side) Open(r protocol.Revision, caps string) Side {
	x.T.Helper()
	x, _ = x.Begin(r, caps)
	x, _ = x.Finish(r, caps)
	if x.Phase() != lifecycle.Ready || x.Revision() != r {
		x.T.Fatalf("the %v is %v with %v, want ready with %v", x.Role, x.Phase(), x.Revision(), r)
	}
	return x
}

// Initialized is the notification that ends the handshake.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// InitializeLine is the initialize request of a client, with the id "init".
func InitializeLine(revision, caps string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,`+
		`"clientInfo":{"name":"peer","version":"1"}}}`, revision, caps)
}

// InitializeResult is the answer to the last request of x, initialize.
func (x Side) InitializeResult(revision, caps string) string {
	return x.Result(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"peer","version":"1"}}`, revision, caps))
}

// Result is a result for the last open request of x, or for id 1 without one.
func (x Side) Result(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.LastID(), result)
}

// LastID is the id of the last open request of x, or 1.
func (x Side) LastID() string {
	id := "1"
	for r := range x.Outbound() {
		id = string(r.ID.Append(nil))
	}
	return id
}
