package toolset

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// What cannot be is refused when the catalog.Catalog is made (A1, E34, F9).
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		cfg catalog.Config
		err error
	}{
		"twice":           {catalog.Config{Sources: names("a", "b", "a")}, catalog.ErrServer},
		"empty":           {catalog.Config{Sources: names("")}, catalog.ErrServer},
		"control":         {catalog.Config{Sources: names("a\x00")}, catalog.ErrServer},
		"many":            {catalog.Config{Sources: names("a", "b"), Limits: catalog.Limits{Sources: 1}}, catalog.ErrTooMany},
		"TTL":             {catalog.Config{TTL: -3}, catalog.ErrConfig},
		"renew":           {catalog.Config{Always: true, Renew: true}, catalog.ErrConfig},
		"server's TTL":    {catalog.Config{Sources: []catalog.Source{{Name: "a", TTL: -3}}}, catalog.ErrConfig},
		"server's renew":  {catalog.Config{Sources: []catalog.Source{{Name: "a", Always: true}}, Renew: true}, catalog.ErrConfig},
		"loss":            {catalog.Config{Naming: naming.Policy{OnLoss: 3}}, catalog.ErrConfig},
		"refresh":         {catalog.Config{Stale: 2}, catalog.ErrConfig},
		"names":           {catalog.Config{Naming: naming.Policy{Names: 3}}, catalog.ErrConfig},
		"collisions":      {catalog.Config{Naming: naming.Policy{OnConflict: 3}}, catalog.ErrConfig},
		"interval":        {catalog.Config{MinInterval: -2}, catalog.ErrConfig},
		"total":           {catalog.Config{Total: -1}, catalog.ErrConfig},
		"limits":          {catalog.Config{Limits: catalog.Limits{Items: -1}}, catalog.ErrConfig},
		"naming":          {catalog.Config{Naming: naming.Policy{Form: naming.Form{Max: 1}}}, lifecycle.ErrConfig},
		"retry":           {catalog.Config{Retry: backoff.Policy{Factor: 0.5}}, catalog.ErrConfig},
		"local twice":     {catalog.Config{Local: []protocol.Tool{localTool("a"), localTool("a")}}, catalog.ErrConflict},
		"local name":      {catalog.Config{Local: []protocol.Tool{localTool("a\n")}}, catalog.ErrName},
		"local":           {catalog.Config{Local: []protocol.Tool{{Name: "a", InputSchema: "5"}}}, catalog.ErrItem},
		"local qualified": {catalog.Config{Local: []protocol.Tool{localTool("mcp.a.x")}, Sources: names("a")}, catalog.ErrConflict},
		"local long":      {catalog.Config{Local: []protocol.Tool{localTool("mcp." + strings.Repeat("a", 124))}}, catalog.ErrConflict},
	} {
		if _, err := catalog.New(c.cfg, t0); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := catalog.New(catalog.Config{}, time.Time{}); !errors.Is(err, catalog.ErrConfig) {
		t.Error(err)
	}
	if ts, err := catalog.New(catalog.Config{Local: []protocol.Tool{localTool("mcp.b.x")}, Sources: names("a")}, t0); err != nil || ts.Check() != nil {
		t.Error(err)
	}
	ts, err := catalog.New(catalog.Config{Local: []protocol.Tool{localTool("mcp.b.x")}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	var collision *catalog.ConflictError
	if _, _, _, err = ts.Attach(manager.Manager{}, t0, catalog.Source{Name: "b"}); !errors.As(err, &collision) || collision.Name != "mcp.b.x" || collision.Incoming.Server != "b" {
		t.Errorf("a server whose qualified name a local tool has: %v", err)
	}
	bad := callerConfig()
	bad.Tools.TTL = -3
	if _, err := NewCaller(bad, t0); !errors.Is(err, catalog.ErrConfig) {
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
