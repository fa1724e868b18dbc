package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Server returns the Config of a server with the given options: fixture (what the
// fixture application has), or tools, resources, templates, prompts (each may be =N
// for N of them), and completions; tool=JSON, resource=JSON, template=JSON, prompt=JSON
// (one item, or none for an empty list; serve=METHOD serves their calls);
// listed, unlisted, page=N, schemas=basic|lenient|none, cursorKey=HEX, logging, subscribe,
// instructions, instructions=TEXT, toolsChanged, resourcesChanged, promptsChanged,
// delay=D, disable=CAPABILITY, level=LEVEL, and the options of Client for Serve, revisions,
// declare, timeouts, limits, policy and names.
func Server(options []string) (server.Config, error) {
	cfg, items, err := serverOptions(options)
	if err == nil {
		cfg.Catalog, err = server.NewCatalog(items)
	}
	return cfg, err
}

// CursorKey is the default one of a catalog.
var CursorKey = [16]byte{0: 3, 8: 4}

// serverOptions returns the Config without its Catalog, and the items of the Catalog.
func serverOptions(words []string) (server.Config, server.Items, error) {
	cfg, items := server.Config{Info: program, HashKey: HashKey, ChangeDelay: -1}, server.Items{CursorKey: CursorKey}
	listed := false
	all := append(ofServer(&cfg), ofItems(&items)...)
	all = append(all, flag("listed", &listed), adds("completions", &cfg.Serve, "completion/complete"),
		option{key: "fixture", set: func(string) error {
			h, key, page := fixture.Handlers(), items.CursorKey, items.PageSize
			items = h.Items()
			items.CursorKey, items.PageSize = key, page
			cfg.Serve = append(cfg.Serve, h.Serve()...)
			return nil
		}})
	for _, list := range []string{"tools", "resources", "templates", "prompts"} {
		all = append(all, option{key: list, set: func(val string) error {
			n := 1
			if i, err := strconv.Atoi(val); err == nil {
				n = i
			}
			cfg.Serve = append(cfg.Serve, numbered(&items, list, n))
			return nil
		}})
	}
	for _, word := range words {
		if word == "instructions" {
			word = "instructions=Be kind."
		}
		if err := all.set(word); err != nil {
			return cfg, items, err
		}
	}
	cfg.Unlisted = cfg.Unlisted || !listed && unlisted(items, cfg.Serve)
	return cfg, items, nil
}

// ofServer are the options of a server, except for its Catalog.
func ofServer(cfg *server.Config) options {
	return append(common(&cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy, &cfg.Serve, &cfg.Revisions, &cfg.Info, &cfg.Experimental, &cfg.HashKey, &cfg.Declare),
		flag("unknown", &cfg.ServeUnknown), flag("logging", &cfg.Logging), flag("subscribe", &cfg.Subscribe), flag("unlisted", &cfg.Unlisted),
		bit("toolsChanged", &cfg.ListChanged, protocol.CapToolsListChanged), bit("resourcesChanged", &cfg.ListChanged, protocol.CapResourcesListChanged),
		bit("promptsChanged", &cfg.ListChanged, protocol.CapPromptsListChanged), text("instructions", &cfg.Instructions),
		value("delay", &cfg.ChangeDelay, -1, time.ParseDuration, time.Duration.String), capabilities("disable", &cfg.Disable), text("level", &cfg.LogLevel), keys("stateKey", &cfg.StateKeys))
}

// ofItems are the options of a Catalog.
func ofItems(items *server.Items) options {
	return options{
		each("tool", &items.Tools), each("resource", &items.Resources), each("template", &items.ResourceTemplates), each("prompt", &items.Prompts),
		count("page", &items.PageSize), checking("schemas", &items.Schemas), secretOption("cursorKey", &items.CursorKey, CursorKey),
	}
}

// numbered makes a list of n items and returns the method that uses an item.
func numbered(items *server.Items, list string, n int) (method string) {
	switch list {
	case "tools":
		items.Tools = make([]protocol.Tool, 0, n)
		for i := range n {
			items.Tools = append(items.Tools, protocol.Tool{Name: fmt.Sprintf("tool-%02d", i+1), InputSchema: `{"type":"object"}`})
		}
		return "tools/call"
	case "prompts":
		items.Prompts = make([]protocol.Prompt, 0, n)
		for i := range n {
			items.Prompts = append(items.Prompts, protocol.Prompt{
				Name: fmt.Sprintf("prompt-%02d", i+1), Arguments: []protocol.PromptArgument{{Name: "code", Required: true}, {Name: "style"}},
			})
		}
		return "prompts/get"
	case "resources":
		items.Resources = make([]protocol.Resource, 0, n)
		for i := range n {
			items.Resources = append(items.Resources, protocol.Resource{URI: fmt.Sprintf("test://r/%02d", i+1), Name: fmt.Sprintf("r%02d", i+1)})
		}
	case "templates":
		items.ResourceTemplates = make([]protocol.ResourceTemplate, 0, n)
		for i := range n {
			items.ResourceTemplates = append(items.ResourceTemplates, protocol.ResourceTemplate{URITemplate: fmt.Sprintf("test://t%02d/{id}", i+1), Name: fmt.Sprintf("t%02d", i+1)})
		}
	}
	return "resources/read"
}

// unlisted reports whether option serve serves something that nothing lists.
func unlisted(items server.Items, serve []string) bool {
	lacks := func(listed bool, list, use string) bool {
		return !listed && !slices.Contains(serve, list) && slices.Contains(serve, use)
	}
	return lacks(items.Tools != nil, "tools/list", "tools/call") || lacks(items.Prompts != nil, "prompts/list", "prompts/get") ||
		lacks(items.Resources != nil || items.ResourceTemplates != nil, "resources/list", "resources/read")
}

// ServerOptions returns the options with which Server returns the Config, with a Catalog of
// the items.
func ServerOptions(cfg server.Config, items server.Items) []string {
	list := append(CatalogOptions(items), ofServer(&cfg).words()...)
	if !cfg.Unlisted && unlisted(items, cfg.Serve) {
		list = append(list, "listed")
	}
	return list
}

// CatalogOptions returns the options with which Server returns a Config with a Catalog of the
// items, which are also those of "app catalog".
func CatalogOptions(items server.Items) []string { return ofItems(&items).words() }

// Client returns the Config of a client with the given options: sampling, elicitation,
// roots, root=JSON (one root, or none for an empty list), rootsChanged,
// require=CAPABILITY, schemas=basic|lenient|none, serve=METHOD, unknown, revision=R (may
// repeat), info=JSON, experimental=JSON, hashKey=HEX, declare=CAPABILITY, the timeouts
// request=D initialize=D ping=D human=D maximum=D answer=D, the limits inbound=N
// outbound=N batch=N subscriptions=N text=N schema=N, the rates requestRate=N
// progressRate=N logRate=N (or N/BURST), keepalive=D misses=N, and the policies
// answerUnreadable, strictInitialized, strictVersion, strictArguments, lenientContent,
// keepNulls, passThrough, quietShutdown.
func Client(words []string) (client.Config, error) {
	cfg := client.Config{Info: program, HashKey: HashKey}
	all := append(ofClient(&cfg), adds("sampling", &cfg.Serve, "sampling/createMessage"), adds("elicitation", &cfg.Serve, "elicitation/create"),
		option{key: "roots", set: func(string) error { cfg.Roots = []protocol.Root{{URI: "file:///home", Name: "home"}}; return nil }})
	for _, word := range words {
		if err := all.set(word); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// ofClient are the options of a client.
func ofClient(cfg *client.Config) options {
	return append(common(&cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy, &cfg.Serve, &cfg.Revisions, &cfg.Info, &cfg.Experimental, &cfg.HashKey, &cfg.Declare),
		flag("unknown", &cfg.ServeUnknown), flag("rootsChanged", &cfg.RootsListChanged), each("root", &cfg.Roots),
		capabilities("require", &cfg.Require), checking("schemas", &cfg.Schemas))
}

// ClientOptions returns the options with which Client returns the Config.
func ClientOptions(cfg client.Config) []string { return ofClient(&cfg).words() }
