package manager_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The error of a verb for a server that is unknown, or not there, has its class, its server and its method.
func TestErrorsOfServers(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "down", manager.Options{})) // is being opened
	type none = manager.RequestOptions
	gone := manager.Call{Link: manager.Link{Server: "nobody", Epoch: 7}}
	for method, verb := range map[string]func() error{
		"respond":  func() error { _, _, err := r.m.Respond(r.now, gone, nil); return err },
		"fail":     func() error { _, _, err := r.m.Fail(r.now, gone, jsonrpc.Error{}); return err },
		"finish":   func() error { _, _, err := r.m.Finish(r.now, gone, client.Answer{}); return err },
		"progress": func() error { _, _, err := r.m.Progress(r.now, gone, protocol.ProgressParams{}); return err },
	} {
		var e *manager.Error
		if err := verb(); !errors.As(err, &e) || !errors.Is(err, lifecycle.ErrGone) || e.Class != manager.ClassLost || e.Server != "nobody" || e.Method != method {
			t.Errorf("%s: %+v", method, e)
		}
	}
	for _, name := range []string{"nobody", "down"} {
		for method, verb := range map[string]func() error{
			"reconnect":   func() error { _, _, err := r.m.Reconnect(r.now, name); return err },
			"server info": func() error { _, err := r.m.ServerInfo(name); return err },
			"set roots":   func() error { _, _, err := r.m.SetRoots(r.now, name, nil); return err },
			"resources/read": func() error {
				_, _, err := r.m.Request(r.now, name, protocol.ReadResourceParams{URI: "a:b"}, none{})
				return err
			},
			"tools/call":  func() error { _, _, err := r.m.CallTool(r.now, name, "t", "", none{}); return err },
			"prompts/get": func() error { _, _, err := r.m.GetPrompt(r.now, name, "p", "", none{}); return err },
			"tools/list":  func() error { _, _, err := r.m.List(r.now, name, "tools/list", manager.Budget{}); return err },
		} {
			var e *manager.Error
			err := verb()
			if name == "down" && (method == "reconnect" || method == "set roots") { // which need no session
				continue
			}
			want, class := manager.ErrUnavailable, manager.ClassUnavailable
			if name == "nobody" {
				want, class = manager.ErrUnknownServer, manager.ClassConfig
			}
			if !errors.As(err, &e) || !errors.Is(err, want) || e.Class != class || e.Server != name || e.Method != method {
				t.Errorf("%s of %s: %+v (%v)", method, name, e, err)
			}
		}
	}
}
