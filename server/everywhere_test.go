package server_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
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
	return &verbs.Envelope{Revision: spoken, Role: lifecycle.Server, Self: protocol.Implementation{Name: "s", Version: "1"}, Peer: `{"roots":{}}`}
}

// said returns a message of the client at the spoken revision.
func said(text string) jsonrpc.Message {
	if spoken.Stateless() {
		text = envelope().In(text)
	}
	return jsonrpc.DecodeString(text)
}

// plain returns what a server sends as a session has it.
func plain(out server.Output) server.Output {
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
