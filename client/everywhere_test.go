package client_test

import (
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// spoken is the revision of the sessions that tests begin; see everywhere.
var spoken = protocol.Revision20250618

// everywhere runs a test at each revision, which spoken is meanwhile.
func everywhere(t *testing.T, test func(t *testing.T)) {
	usual := spoken
	defer func() { spoken = usual }()
	for _, spoken = range protocol.Revisions() {
		t.Run(spoken.String(), test)
	}
}

// anywhere runs a test at each revision without a session as well.
func anywhere(t *testing.T, test func(t *testing.T)) {
	usual := spoken
	defer func() { spoken = usual }()
	for _, spoken = range protocol.AllRevisions() {
		t.Run(spoken.String(), test)
	}
}

// envelope is what a message has at the spoken revision, if that is one without a session.
func envelope() *verbs.Envelope {
	return &verbs.Envelope{Revision: spoken, Role: lifecycle.Client, Self: protocol.Implementation{Name: "c", Version: "1"}}
}

// said returns a message of the server at the spoken revision.
func said(text string) jsonrpc.Message {
	if spoken.Stateless() {
		text = envelope().In(text)
	}
	return jsonrpc.DecodeString(text)
}

// plain returns what a client sends as a session has it.
func plain(out client.Output) client.Output {
	if spoken.Stateless() {
		return envelope().Out(out)
	}
	return out
}

// revisions are those of a Config at the spoken revision; none for the usual ones.
func revisions() []protocol.Revision {
	if spoken.Stateless() {
		return []protocol.Revision{spoken}
	}
	return nil
}

// open connects to a server with the capabilities: by initialize, or by server/discover where there is no
// session.
func open(t *testing.T, cfg client.Config, capabilities string) client.State {
	t.Helper()
	cfg.Info, cfg.Revisions = protocol.Implementation{Name: "c", Version: "1"}, revisions()
	s, err := client.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Connect(t0, ""); err != nil {
		t.Fatal(err)
	}
	what := `"protocolVersion":"` + spoken.String() + `","serverInfo":{"name":"s","version":"1"}`
	if spoken.Stateless() {
		what = `"supportedVersions":["` + spoken.String() + `"]`
	}
	s, _ = s.Receive(t0, said(`{"jsonrpc":"2.0","id":1,"result":{`+what+`,"capabilities":`+capabilities+`}}`))
	if s.Phase() != lifecycle.Ready {
		t.Fatal(s.Phase())
	}
	return s
}
