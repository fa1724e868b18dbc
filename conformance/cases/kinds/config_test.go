package kinds_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// A caller that changes a Config after New changes nothing of the machine, and New does not
// write into it.
func TestSpoiledConfigs(t *testing.T) {
	now := verbs.Epoch
	tools := catalogConfig()
	routes := []relay.Route{{Method: "b/x", Server: "a"}, {Method: "a/", Server: "slow"}, {Method: "a/long", Server: "a"}}
	relays := relayConfig()
	relays.Routes = routes
	behind := relayServers()
	behind[0].Options.Fallbacks = []manager.Fallback{{Endpoint: "b", Revisions: []protocol.Revision{protocol.Revision20250618}}}
	behind[0].Filter = catalog.Filter{Deny: []catalog.Rule{{Name: "x"}}}
	handlers := &server.Handlers{}
	handlers.Tool(protocol.Tool{Name: "h", InputSchema: `{"type":"object"}`}, says)
	items := server.Items{Tools: []protocol.Tool{{Name: "z"}, {Name: "a"}}, Resources: []protocol.Resource{{URI: "x:1", Name: "r"}}, Prompts: []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "n"}}}}}
	for name, row := range map[string]struct {
		with []any
		make func(with []any) (any, error)
	}{
		"server.New":        {args(serverConfig()), func(w []any) (any, error) { return server.New(w[0].(server.Config), now) }},
		"server.NewCatalog": {args(items), func(w []any) (any, error) { return server.NewCatalog(w[0].(server.Items)) }},
		"client.New":        {args(clientConfig()), func(w []any) (any, error) { return client.New(w[0].(client.Config), now) }},
		"attempt.New":       {args(execConfig()), func(w []any) (any, error) { return attempt.New(w[0].(attempt.Config), now) }},
		"manager.New":       {args(managerConfig()), func(w []any) (any, error) { return manager.New(w[0].(manager.Config), now) }},
		"catalog.New":       {args(tools), func(w []any) (any, error) { return catalog.New(w[0].(catalog.Config), now) }},
		"calls.New": {args(calls.Config{Manager: managerConfig(), Catalog: catalogConfig(), Attempts: execConfig()}), func(w []any) (any, error) {
			return calls.New(w[0].(calls.Config), now)
		}},
		"relay.New": {args(relays, behind), func(w []any) (any, error) { return relay.New(w[0].(relay.Config), w[1].([]relay.Server), now) }},
		"registry.NewGroup": {args(registry.Definition{Name: "g", Handlers: handlers, Tools: []registry.Tool{{Tool: protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, Func: says}}, Timeouts: map[string]time.Duration{"t": time.Second}}), func(w []any) (any, error) {
			return registry.NewGroup(w[0].(registry.Definition))
		}},
	} {
		given := image(row.with)
		made, err := row.make(row.with)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if image(row.with) != given {
			t.Errorf("%s changes what it is given", name)
		}
		was, spoiled := image(made), false
		for _, a := range row.with {
			spoiled = spoil(reflect.ValueOf(a)) || spoiled
		}
		if !spoiled {
			t.Errorf("%s: the test gives it nothing that can be written over", name)
		}
		if image(made) != was {
			t.Errorf("%s keeps what is the caller's", name)
		}
	}
}
