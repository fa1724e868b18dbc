package toolset

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// What cannot be is refused when the Toolset is made (A1, E34, F9).
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		cfg Config
		err error
	}{
		"twice":           {Config{Servers: names("a", "b", "a")}, ErrServer},
		"empty":           {Config{Servers: names("")}, ErrServer},
		"control":         {Config{Servers: names("a\x00")}, ErrServer},
		"many":            {Config{Servers: names("a", "b"), Limits: Limits{Servers: 1}}, ErrTooMany},
		"TTL":             {Config{TTL: -3}, ErrConfig},
		"renew":           {Config{Always: true, Renew: true}, ErrConfig},
		"server's TTL":    {Config{Servers: []Server{{Name: "a", TTL: -3}}}, ErrConfig},
		"server's renew":  {Config{Servers: []Server{{Name: "a", Always: true}}, Renew: true}, ErrConfig},
		"server's loss":   {Config{Servers: []Server{{Name: "a", OnLoss: 3}}}, ErrConfig},
		"loss":            {Config{OnLoss: 3}, ErrConfig},
		"refresh":         {Config{OnRefreshError: 2}, ErrConfig},
		"names":           {Config{Names: 2}, ErrConfig},
		"collisions":      {Config{Collisions: 3}, ErrConfig},
		"interval":        {Config{MinInterval: -2}, ErrConfig},
		"total":           {Config{Total: -1}, ErrConfig},
		"limits":          {Config{Limits: Limits{Tools: -1}}, ErrConfig},
		"naming":          {Config{Naming: naming.Form{Max: 1}}, lifecycle.ErrConfig},
		"retry":           {Config{Retry: backoff.Policy{Factor: 0.5}}, ErrConfig},
		"local twice":     {Config{Local: []protocol.Tool{localTool("a"), localTool("a")}}, ErrCollision},
		"local name":      {Config{Local: []protocol.Tool{localTool("a\n")}}, ErrToolName},
		"local":           {Config{Local: []protocol.Tool{{Name: "a", InputSchema: "5"}}}, ErrTool},
		"local qualified": {Config{Local: []protocol.Tool{localTool("mcp.a.x")}, Servers: names("a")}, ErrCollision},
		"local long":      {Config{Local: []protocol.Tool{localTool("mcp." + strings.Repeat("a", 124))}}, ErrCollision},
	} {
		if _, err := New(c.cfg, t0); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{}, time.Time{}); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if ts, err := New(Config{Local: []protocol.Tool{localTool("mcp.b.x")}, Servers: names("a")}, t0); err != nil || ts.Check() != nil {
		t.Error(err)
	}
	ts, err := New(Config{Local: []protocol.Tool{localTool("mcp.b.x")}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	var collision *CollisionError
	if _, _, _, err = ts.Attach(manager.Manager{}, t0, Server{Name: "b"}); !errors.As(err, &collision) || collision.ID != "mcp.b.x" || collision.Incoming.Server != "b" {
		t.Errorf("a server whose qualified name a local tool has: %v", err)
	}
	bad := callerConfig()
	bad.Tools.TTL = -3
	if _, err := NewCaller(bad, t0); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	bad = callerConfig()
	bad.Exec.Queue = -1
	if _, err := NewCaller(bad, t0); err == nil {
		t.Error("a negative queue")
	}
	bad = callerConfig()
	bad.Manager.MaxServers = -1
	if _, err := NewCaller(bad, t0); !errors.Is(err, manager.ErrConfig) {
		t.Error(err)
	}
}
