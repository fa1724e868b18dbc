package server_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// oldForm are the members that snapshots have not always had.
var oldForm = regexp.MustCompile(`"key":"[^"]*","declared":"[^"]*",`)

// A session is not restored under another HashKey, by which its calls would not be found, nor under a
// Config that promises less than what was negotiated. A session that is over needs neither, and a
// snapshot that does not say what it needs is restored as ever.
func TestRestoreHoldsToPromises(t *testing.T) {
	full := server.Config{
		Info:        protocol.Implementation{Name: "s", Version: "1"},
		Serve:       []string{protocol.MethodToolsList, protocol.MethodToolsCall, protocol.MethodResourcesList, protocol.MethodResourcesRead, protocol.MethodPromptsList, protocol.MethodPromptsGet, protocol.MethodCompletionComplete},
		Subscribe:   true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
		HashKey:     [16]byte{1},
	}
	s, _ := open(t, full)
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"abc","method":"tools/call","params":{"name":"x"}}`))
	over, _ := s.Disconnected(t0, nil)
	try := func(name string, cfg server.Config, lacks string) {
		t.Helper()
		_, err := server.Restore(cfg, s.Snapshot(), t0)
		if lacks == "" && err != nil || lacks != "" && (!errors.Is(err, lifecycle.ErrSnapshot) || !strings.HasSuffix(err.Error(), lacks)) {
			t.Errorf("%s: %v, want %q", name, err, lacks)
		}
		if _, err := server.Restore(cfg, over.Snapshot(), t0); err != nil {
			t.Errorf("%s, a session that is over: %v", name, err)
		}
		old := oldForm.ReplaceAll(s.Snapshot(), nil)
		if r, err := server.Restore(cfg, old, t0); err != nil || len(old) == len(s.Snapshot()) {
			t.Errorf("%s, the old form: %v", name, err)
		} else if string(r.Snapshot()) == string(old) {
			t.Errorf("%s: the old form stays", name)
		}
	}
	try("the same", full, "")
	other := full
	other.HashKey = [16]byte{2}
	try("another key", other, "the Config has another HashKey")
	other.HashKey = [16]byte{}
	try("no key", other, "the Config has another HashKey")
	more := full
	more.Logging = true
	try("more", more, "")
	for flag := protocol.Capability(1); flag.String() != ""; flag <<= 1 {
		if !s.Capabilities().Has(flag) {
			continue
		}
		less := full
		less.Disable = flag
		r, err := server.New(less, t0)
		if err != nil {
			t.Fatal(flag, err)
		}
		try("without "+flag.String(), less, "the Config does not promise what was negotiated: "+(s.Capabilities()&^r.Capabilities()).String())
	}
	bad := strings.Replace(string(s.Snapshot()), `"declared":"`, `"declared":"nonsense,`, 1)
	if _, err := server.Restore(full, []byte(bad), t0); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
}
