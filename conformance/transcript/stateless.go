package transcript

import (
	"bytes"
	"errors"
	"strings"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// envelope returns the Envelope for a revision without a session.
func (f *File) envelope(r protocol.Revision, self protocol.Implementation) *verbs.Envelope {
	return &verbs.Envelope{Revision: r, Role: f.Role, Self: self, Peer: f.Peer}
}

// connect does what the handshake does in a session: a client has asked the server
// for its info, and a server needs nothing.
func (r *runner) connect() error {
	if r.f.Role == protocol.Server {
		return nil
	}
	c, out, err := verbs.ClientState(r.m.Machine).Connect(r.now, "")
	if err != nil {
		return err
	}
	r.m.Machine = verbs.Client(c)
	if err := r.watch(jsonrpc.Message{}, out); err != nil {
		return err
	}
	_, err = r.step(`> {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["${revision}"],"capabilities":` + r.f.Peer + `}}`)
	if err == nil && r.m.Phase() != lifecycle.Ready {
		err = errors.New("the server was not found out")
	}
	return err
}

// dressed returns the peer's lines in the form of the revision without a session; a part of a line is unchanged.
func dressed(under *verbs.Envelope, data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if text, ended := strings.CutSuffix(string(line), "\n"); ended {
			line = []byte(under.In(text) + "\n")
		}
		out = append(out, line...)
	}
	return out
}
