package catalog

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

// localTool is a tool of the program itself.
func localTool(name string) protocol.Tool {
	return protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}
}

// What cannot be is refused when the Catalog is made (A1, E34, F9).
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		cfg Config
		err error
	}{
		"twice":           {Config{Sources: sources("a", "b", "a")}, ErrServer},
		"empty":           {Config{Sources: sources("")}, ErrServer},
		"control":         {Config{Sources: sources("a\x00")}, ErrServer},
		"many":            {Config{Sources: sources("a", "b"), Limits: Limits{Sources: 1}}, errTooMany},
		"TTL":             {Config{TTL: -3}, lifecycle.ErrConfig},
		"renew":           {Config{Always: true, Renew: true}, lifecycle.ErrConfig},
		"server's TTL":    {Config{Sources: []Source{{Name: "a", TTL: -3}}}, lifecycle.ErrConfig},
		"server's renew":  {Config{Sources: []Source{{Name: "a", Always: true}}, Renew: true}, lifecycle.ErrConfig},
		"loss":            {Config{Naming: naming.Policy{OnLoss: 3}}, lifecycle.ErrConfig},
		"refresh":         {Config{Stale: 2}, lifecycle.ErrConfig},
		"names":           {Config{Naming: naming.Policy{Names: 3}}, lifecycle.ErrConfig},
		"collisions":      {Config{Naming: naming.Policy{OnConflict: 3}}, lifecycle.ErrConfig},
		"interval":        {Config{MinInterval: -2}, lifecycle.ErrConfig},
		"total":           {Config{Total: -1}, lifecycle.ErrConfig},
		"limits":          {Config{Limits: Limits{Items: -1}}, lifecycle.ErrConfig},
		"naming":          {Config{Naming: naming.Policy{Form: naming.Form{Max: 1}}}, lifecycle.ErrConfig},
		"retry":           {Config{Retry: backoff.Policy{Factor: 0.5}}, lifecycle.ErrConfig},
		"local twice":     {Config{Local: []protocol.Tool{localTool("a"), localTool("a")}}, errConflict},
		"local name":      {Config{Local: []protocol.Tool{localTool("a\n")}}, errName},
		"local":           {Config{Local: []protocol.Tool{{Name: "a", InputSchema: "5"}}}, ErrItem},
		"local qualified": {Config{Local: []protocol.Tool{localTool("mcp.a.x")}, Sources: sources("a")}, errConflict},
		"local long":      {Config{Local: []protocol.Tool{localTool("mcp." + strings.Repeat("a", 124))}}, errConflict},
	} {
		if _, err := New(c.cfg, t0); !errors.Is(err, c.err) && (!errors.Is(c.err, errConflict) || !conflicts(err)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{}, time.Time{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	if ts, err := New(Config{Local: []protocol.Tool{localTool("mcp.b.x")}, Sources: sources("a")}, t0); err != nil || ts.Check() != nil {
		t.Error(err)
	}
	ts, err := New(Config{Local: []protocol.Tool{localTool("mcp.b.x")}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	var collision *ConflictError
	if _, _, _, err = ts.Attach(manager.Manager{}, t0, Source{Name: "b"}); !errors.As(err, &collision) || collision.Name != "mcp.b.x" || collision.Incoming.Server != "b" {
		t.Errorf("a server whose qualified name a local tool has: %v", err)
	}
}

// errConflict stands for any *ConflictError in a table.
var errConflict = errors.New("a *ConflictError")

func conflicts(err error) bool { return errors.As(err, new(*ConflictError)) }
