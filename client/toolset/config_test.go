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
		"loss":            {Config{Naming: naming.Policy{OnLoss: 3}}, ErrConfig},
		"refresh":         {Config{OnRefreshError: 2}, ErrConfig},
		"names":           {Config{Naming: naming.Policy{Names: 3}}, ErrConfig},
		"collisions":      {Config{Naming: naming.Policy{OnConflict: 3}}, ErrConfig},
		"interval":        {Config{MinInterval: -2}, ErrConfig},
		"total":           {Config{Total: -1}, ErrConfig},
		"limits":          {Config{Limits: Limits{Tools: -1}}, ErrConfig},
		"naming":          {Config{Naming: naming.Policy{Form: naming.Form{Max: 1}}}, lifecycle.ErrConfig},
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

// Each setting that is wrong is named, with what it is and what it may be.
func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		text string
	}{
		{Config{Naming: naming.Policy{Form: naming.Form{Max: 1}}}, "Naming."},
		{Config{Naming: naming.Policy{Names: 3}}, "Naming.Names is 3: want 0 to 2"},
		{Config{Naming: naming.Policy{OnConflict: 3}}, "Naming.OnConflict is 3: want 0 to 1"},
		{Config{TTL: -2}, "TTL is -2ns: want positive, 0 for 10m0s, or NoTimeout"},
		{Config{Always: true, Renew: true}, "Renew is true: want false with Always"},
		{Config{MinInterval: -2}, "MinInterval is -2ns: want positive, 0 for 1s, or NoTimeout"},
		{Config{Total: lifecycle.NoTimeout}, "Total is -1ns: want positive, or 0 for that of the Manager"},
		{Config{Retry: backoff.Policy{Factor: 0.5}}, "Retry.Factor is 0.5: want at least 1, or 0 for 2"},
		{Config{OnRefreshError: 2}, "OnRefreshError is 2: want 0 to 1"},
		{Config{Naming: naming.Policy{OnLoss: 3}}, "Naming.OnLoss is 3: want 0 to 1"},
		{Config{Limits: Limits{Servers: -1}}, "Limits.Servers is -1: want positive, or 0 for 10000"},
		{Config{Limits: Limits{Tools: -1}}, "Limits.Tools is -1: want positive, or 0 for 10000"},
		{Config{Limits: Limits{ToolBytes: -1}}, "Limits.ToolBytes is -1: want positive, or 0 for 262144"},
		{Config{Limits: Limits{Bytes: -1}}, "Limits.Bytes is -1: want positive, or 0 for 16777216"},
		{Config{Limits: Limits{Pages: -1}}, "Limits.Pages is -1: want positive, or 0 for no limit"},
		{Config{Limits: Limits{Name: -1}}, "Limits.Name is -1: want positive, or 0 for 256"},
		{Config{Limits: Limits{Rejected: -1}}, "Limits.Rejected is -1: want positive, or 0 for 100"},
		{Config{Servers: []Server{{Name: "a", TTL: -2}}}, `server "a": toolset: TTL is -2ns: want positive, 0 for 10m0s, or NoTimeout`},
		{Config{Renew: true, Servers: []Server{{Name: "a", Always: true}}}, `server "a": toolset: Always is true: want false with Config.Renew`},
	} {
		_, err := New(tt.cfg, t0)
		var setting *lifecycle.ConfigError
		if !errors.As(err, &setting) || !errors.Is(err, ErrConfig) || !strings.HasPrefix(err.Error(), "toolset: "+tt.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, tt.text)
		}
	}
	none := Config{TTL: lifecycle.NoTimeout, MinInterval: lifecycle.NoTimeout, Servers: []Server{{Name: "a", TTL: lifecycle.NoTimeout}, {Name: "b", Always: true}}}
	if _, err := New(none, t0); err != nil {
		t.Error(err)
	}
}
