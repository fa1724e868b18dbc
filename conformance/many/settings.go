package many

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// tamper are ways to damage what a machine does, to check that it is found. A nil function
// damages nothing.
type tamper struct {
	output   func(now time.Time, out *manager.Effects)     // the effects of a step
	link     func(l manager.Link) manager.Link             // the link of a message
	deadline func(at time.Time, ok bool) (time.Time, bool) // the next deadline
	snapshot func(data []byte) []byte                      // a snapshot to restore
	calls    func(out *calls.Output)                       // the Output of a Caller
	effects  func(now time.Time, eff *relay.Effects)       // the Effects of a Relay
}

// The times of a managed run are short, so that all of them are reached.
const (
	connectTimeout = 3 * time.Second
	requestTimeout = 2 * time.Second
	maximumTimeout = 6 * time.Second
	pingTimeout    = time.Second
	closeTimeout   = time.Second
	inboundTimeout = 5 * time.Second
)

func managerConfig(opt Options) manager.Config {
	cfg := manager.Config{
		Client: client.Config{
			Info:    protocol.Implementation{Name: "many", Version: "1"},
			Serve:   []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate, protocol.MethodRootsList},
			Declare: protocol.CapElicitationForm | protocol.CapRootsListChanged, HashKey: [16]byte{1},
		},
		Timeouts: manager.Timeouts{Connect: connectTimeout, Request: requestTimeout, Maximum: maximumTimeout,
			Ping: pingTimeout, Close: closeTimeout, Inbound: inboundTimeout},
		Health:    manager.Health{Interval: 3 * time.Second, Misses: 2},
		Backoff:   backoff.Policy{Base: 200 * time.Millisecond, Factor: 2, Cap: 5 * time.Second, Jitter: 0.5},
		Breaker:   backoff.BreakerOptions{Threshold: 4, Cooldown: 6 * time.Second, Probes: 1},
		StableFor: 4 * time.Second, Seed: opt.Seed,
	}
	cfg.Client.Revisions = opt.spoken()
	if opt.Exact {
		cfg.Backoff.Jitter = 0
	}
	return cfg
}

// The policy of called runs.
const (
	attemptTimeout = 1500 * time.Millisecond
	totalTimeout   = 5 * time.Second
	graceTime      = 500 * time.Millisecond
	attempts       = 3
)

func callerConfig(r *run) calls.Config {
	cfg := calls.Config{
		Manager: managerConfig(r.opt),
		Catalog: catalog.Config{
			TTL: 3 * time.Second, MinInterval: 200 * time.Millisecond, Total: 2 * time.Second, Naming: naming.Policy{Names: naming.Plain, OnConflict: naming.Hidden},
			Retry: backoff.Policy{Base: 300 * time.Millisecond, Factor: 2, Cap: 2 * time.Second},
			Local: localTools(0), Limits: catalog.Limits{Items: 50},
		},
		Attempts: attempt.Config{
			Policy: attempt.Policy{Attempt: attemptTimeout, Total: totalTimeout, Retry: backoff.Policy{Base: 50 * time.Millisecond, Factor: 3, Attempts: attempts}},
			Lane:   attempt.Lane{Running: 4, Queue: 12}, Queue: 200,
		},
	}
	for _, name := range r.names {
		cfg.Catalog.Sources = append(cfg.Catalog.Sources, catalog.Source{Name: name})
	}
	d := newDice(r.opt.Seed, "caller")
	cfg.Catalog.Lazy, cfg.Catalog.Renew = d.chance(30), d.chance(30)
	cfg.Catalog.Stale = pick(d, []catalog.Stale{catalog.Keep, catalog.Omit})
	cfg.Catalog.Naming.OnLoss = pick(d, []naming.Loss{naming.Hide, naming.Keep})
	if !r.opt.Exact { // what servers share
		cfg.Catalog.Ordered = d.chance(20)
		cfg.Catalog.Naming.OnConflict = pick(d, []naming.Conflict{naming.Qualified, naming.Hidden})
		cfg.Catalog.Naming.Names = pick(d, []naming.Qualify{naming.Auto, naming.Plain, naming.Always})
		cfg.Attempts.Running = d.IntN(20)
		cfg.Attempts.Queue = 5 + d.IntN(100)
		if n := d.IntN(30); n > 0 {
			cfg.Attempts.Lane.Rate = attempt.Rate{Tokens: n, Per: time.Second}
		}
		cfg.Attempts.Lane.Reject = d.chance(20)
	}
	return cfg
}

// localTools are the tools of the program: "same" hides those of all servers.
func localTools(n int) []protocol.Tool {
	list := []protocol.Tool{{Name: "local", Description: "of the program"}, {Name: "same", Description: "of the program"}}
	for i := range n {
		list = append(list, protocol.Tool{Name: fmt.Sprintf("more-%d", i), Description: "of the program"})
	}
	return list
}
