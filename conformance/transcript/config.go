package transcript

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Server returns the Config of a server with the given options: fixture (what the
// fixture application has), or else tools, resources, templates, prompts (each may be =N
// for N of them), and completions; tool=JSON, resource=JSON, template=JSON, prompt=JSON
// (one item, or none for a list that is empty; what is called is served by serve=METHOD);
// listed, unlisted, page=N, schemas=basic|lenient|none, cursorKey=HEX, logging, subscribe,
// instructions, instructions=TEXT, toolsChanged, resourcesChanged, promptsChanged,
// delay=D, disable=CAPABILITY, level=LEVEL, and what Client knows of Serve, revisions,
// declare, timeouts, limits, policy and names.
func Server(options []string) (server.Config, error) {
	cfg, items, err := serverOptions(options)
	if err == nil {
		cfg.Catalog, err = server.NewCatalog(items)
	}
	return cfg, err
}

// CursorKey is the one of a catalog where no option says another.
var CursorKey = [16]byte{0: 3, 8: 4}

// serverOptions returns the Config without its Catalog, and what that is made of.
func serverOptions(options []string) (server.Config, server.Items, error) {
	cfg, items := server.Config{Info: program, HashKey: HashKey, ChangeDelay: -1}, server.Items{CursorKey: CursorKey}
	shared, listed := ofServer(&cfg), false
	for _, option := range options {
		key, val, _ := strings.Cut(option, "=")
		n := 1
		if i, err := strconv.Atoi(val); err == nil {
			n = i
		}
		var err error
		switch key {
		case "fixture":
			h := fixture.Handlers()
			key, page := items.CursorKey, items.PageSize
			items = h.Items()
			items.CursorKey, items.PageSize = key, page
			cfg.Serve = append(cfg.Serve, h.Serve()...)
		case "tools", "resources", "templates", "prompts":
			cfg.Serve = append(cfg.Serve, several(&items, key, n))
		case "tool":
			items.Tools, err = one(items.Tools, val)
		case "resource":
			items.Resources, err = one(items.Resources, val)
		case "template":
			items.ResourceTemplates, err = one(items.ResourceTemplates, val)
		case "prompt":
			items.Prompts, err = one(items.Prompts, val)
		case "listed":
			listed = true
		case "unlisted":
			cfg.Unlisted = true
		case "page":
			items.PageSize = n
		case "schemas":
			items.Schemas, err = validator(val)
		case "cursorKey":
			items.CursorKey, err = secret(val)
		case "completions":
			cfg.Serve = append(cfg.Serve, "completion/complete")
		case "instructions":
			if cfg.Instructions = val; val == "" {
				cfg.Instructions = "Be kind."
			}
		case "toolsChanged", "resourcesChanged", "promptsChanged":
			cfg.ListChanged |= changes[key]
		case "delay":
			cfg.ChangeDelay, err = time.ParseDuration(val)
		case "disable":
			var set protocol.Capability
			set, err = capability(val)
			cfg.Disable |= set
		case "level":
			cfg.LogLevel = protocol.LoggingLevel(val)
		default:
			err = shared.set(key, val)
		}
		if err != nil {
			return cfg, items, fmt.Errorf("option %s: %w", option, err)
		}
	}
	cfg.Unlisted = cfg.Unlisted || !listed && unlisted(items, cfg.Serve)
	return cfg, items, nil
}

var changes = map[string]protocol.Capability{
	"toolsChanged": protocol.CapToolsListChanged, "resourcesChanged": protocol.CapResourcesListChanged, "promptsChanged": protocol.CapPromptsListChanged,
}

// several makes a list of n items and returns the method that uses one of them.
func several(items *server.Items, list string, n int) (method string) {
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

// unlisted reports whether something is served that nothing lists, by option serve.
func unlisted(items server.Items, serve []string) bool {
	lacks := func(listed bool, list, use string) bool {
		return !listed && !slices.Contains(serve, list) && slices.Contains(serve, use)
	}
	return lacks(items.Tools != nil, "tools/list", "tools/call") || lacks(items.Prompts != nil, "prompts/list", "prompts/get") ||
		lacks(items.Resources != nil || items.ResourceTemplates != nil, "resources/list", "resources/read")
}

// ServerOptions returns the options that make Server return the Config, whose Catalog has
// the items.
func ServerOptions(cfg server.Config, items server.Items) []string {
	shared := ofServer(&cfg)
	list := append(CatalogOptions(items), shared.options()...)
	switch {
	case cfg.Unlisted:
		list = append(list, "unlisted")
	case unlisted(items, cfg.Serve):
		list = append(list, "listed")
	}
	if cfg.Instructions != "" {
		list = append(list, "instructions="+cfg.Instructions)
	}
	for _, key := range []string{"toolsChanged", "resourcesChanged", "promptsChanged"} {
		if cfg.ListChanged.Has(changes[key]) {
			list = append(list, key)
		}
	}
	if cfg.ChangeDelay != -1 {
		list = append(list, "delay="+cfg.ChangeDelay.String())
	}
	if cfg.Disable != 0 {
		list = append(list, "disable="+cfg.Disable.String())
	}
	if cfg.LogLevel != "" {
		list = append(list, "level="+string(cfg.LogLevel))
	}
	return list
}

// CatalogOptions returns the options that make Server return a Config whose Catalog has the
// items, which are also those of "app catalog".
func CatalogOptions(items server.Items) []string {
	list := slices.Concat(each("tool", items.Tools), each("resource", items.Resources), each("template", items.ResourceTemplates), each("prompt", items.Prompts))
	if items.PageSize != 0 {
		list = append(list, "page="+strconv.Itoa(items.PageSize))
	}
	for name, v := range validators { // one at most
		if items.Schemas == v {
			list = append(list, "schemas="+name)
		}
	}
	if items.CursorKey != CursorKey {
		list = append(list, "cursorKey="+hex.EncodeToString(items.CursorKey[:]))
	}
	return list
}

// Client returns the Config of a client with the given options: sampling, elicitation,
// roots, root=JSON (one root, or none for a list that is empty), rootsChanged,
// require=CAPABILITY, schemas=basic|lenient|none, serve=METHOD, unknown, revision=R (may
// repeat), info=JSON, experimental=JSON, hashKey=HEX, declare=CAPABILITY, the timeouts
// request=D initialize=D ping=D human=D maximum=D answer=D, the limits inbound=N
// outbound=N batch=N subscriptions=N text=N schema=N, the rates requestRate=N
// progressRate=N logRate=N (or N/BURST), keepalive=D misses=N, and the policies
// answerUnreadable, strictInitialized, strictVersion, strictArguments, lenientContent,
// keepNulls, passThrough, quietShutdown.
func Client(options []string) (client.Config, error) {
	cfg := client.Config{Info: program, HashKey: HashKey}
	shared := ofClient(&cfg)
	for _, option := range options {
		key, val, _ := strings.Cut(option, "=")
		var err error
		switch key {
		case "sampling":
			cfg.Serve = append(cfg.Serve, "sampling/createMessage")
		case "elicitation":
			cfg.Serve = append(cfg.Serve, "elicitation/create")
		case "roots":
			cfg.Roots = []protocol.Root{{URI: "file:///home", Name: "home"}}
		case "root":
			cfg.Roots, err = one(cfg.Roots, val)
		case "require":
			var set protocol.Capability
			set, err = capability(val)
			cfg.Require |= set
		case "schemas":
			cfg.Schemas, err = validator(val)
		default:
			err = shared.set(key, val)
		}
		if err != nil {
			return cfg, fmt.Errorf("option %s: %w", option, err)
		}
	}
	return cfg, nil
}

// ClientOptions returns the options that make Client return the Config.
func ClientOptions(cfg client.Config) []string {
	shared := ofClient(&cfg)
	list := append(each("root", cfg.Roots), shared.options()...)
	if cfg.Require != 0 {
		list = append(list, "require="+cfg.Require.String())
	}
	for name, v := range validators { // one at most
		if cfg.Schemas == v {
			list = append(list, "schemas="+name)
		}
	}
	return list
}
