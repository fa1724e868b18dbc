package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Server returns the Config of a server with the given options: fixture (what the
// fixture application has), or else tools, resources, templates, prompts (each may be =N
// for N of them), and completions; unlisted, page=N, logging,
// subscribe, instructions, serve=METHOD, unknown, toolsChanged, resourcesChanged,
// promptsChanged, disable=CAPABILITY, level=LEVEL, revision=R (may repeat), and what
// Client knows of timeouts, limits and policy.
func Server(options []string) (server.Config, error) {
	cfg := server.Config{Info: protocol.Implementation{Name: "machine", Version: "1"}, HashKey: [16]byte{0: 1, 8: 2}, ChangeDelay: -1}
	items := server.Items{CursorKey: [16]byte{0: 3, 8: 4}}
	for _, option := range options {
		key, val, _ := strings.Cut(option, "=")
		n := 1
		if i, err := strconv.Atoi(val); err == nil {
			n = i
		}
		switch key {
		case "fixture":
			h := fixture.Handlers()
			key, page := items.CursorKey, items.PageSize
			items = h.Items()
			items.CursorKey, items.PageSize = key, page
			cfg.Serve = append(cfg.Serve, h.Serve()...)
		case "tools":
			items.Tools = make([]protocol.Tool, 0, n)
			for i := range n {
				items.Tools = append(items.Tools, protocol.Tool{Name: fmt.Sprintf("tool-%02d", i+1), InputSchema: `{"type":"object"}`})
			}
			cfg.Serve = append(cfg.Serve, "tools/call")
		case "resources":
			items.Resources = make([]protocol.Resource, 0, n)
			for i := range n {
				items.Resources = append(items.Resources, protocol.Resource{URI: fmt.Sprintf("test://r/%02d", i+1), Name: fmt.Sprintf("r%02d", i+1)})
			}
			cfg.Serve = append(cfg.Serve, "resources/read")
		case "templates":
			items.ResourceTemplates = make([]protocol.ResourceTemplate, 0, n)
			for i := range n {
				items.ResourceTemplates = append(items.ResourceTemplates, protocol.ResourceTemplate{URITemplate: fmt.Sprintf("test://t%02d/{id}", i+1), Name: fmt.Sprintf("t%02d", i+1)})
			}
			cfg.Serve = append(cfg.Serve, "resources/read")
		case "prompts":
			items.Prompts = make([]protocol.Prompt, 0, n)
			for i := range n {
				items.Prompts = append(items.Prompts, protocol.Prompt{
					Name: fmt.Sprintf("prompt-%02d", i+1), Arguments: []protocol.PromptArgument{{Name: "code", Required: true}, {Name: "style"}},
				})
			}
			cfg.Serve = append(cfg.Serve, "prompts/get")
		case "unlisted":
			cfg.Unlisted = true
		case "page":
			items.PageSize = n
		case "completions":
			cfg.Serve = append(cfg.Serve, "completion/complete")
		case "logging":
			cfg.Logging = true
		case "subscribe":
			cfg.Subscribe = true
		case "instructions":
			cfg.Instructions = "Be kind."
		case "toolsChanged":
			cfg.ListChanged |= protocol.CapToolsListChanged
		case "resourcesChanged":
			cfg.ListChanged |= protocol.CapResourcesListChanged
		case "promptsChanged":
			cfg.ListChanged |= protocol.CapPromptsListChanged
		case "delay":
			d, err := time.ParseDuration(val)
			if err != nil {
				return cfg, err
			}
			cfg.ChangeDelay = d
		case "disable":
			set, ok := protocol.ParseCapability(val)
			if !ok {
				return cfg, fmt.Errorf("unknown capability %q", val)
			}
			cfg.Disable |= set
		case "level":
			cfg.LogLevel = protocol.LoggingLevel(val)
		default:
			if err := common(key, val, n, &cfg.Serve, &cfg.ServeUnknown, &cfg.Revisions, &cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy); err != nil {
				return cfg, err
			}
		}
	}
	catalog, err := server.NewCatalog(items)
	cfg.Catalog, cfg.Unlisted = catalog, cfg.Unlisted || unlisted(items, cfg.Serve)
	return cfg, err
}

// unlisted reports whether something is served that is not listed, by option serve.
func unlisted(items server.Items, serve []string) bool {
	return items.Tools == nil && slices.Contains(serve, "tools/call") || items.Prompts == nil && slices.Contains(serve, "prompts/get") ||
		items.Resources == nil && items.ResourceTemplates == nil && slices.Contains(serve, "resources/read")
}

// Client returns the Config of a client with the given options: sampling, elicitation,
// roots, rootsChanged, declare=CAPABILITY, require=CAPABILITY, serve=METHOD, unknown, revision=R (may
// repeat), the timeouts request=D initialize=D ping=D human=D maximum=D answer=D, the
// limits inbound=N outbound=N batch=N subscriptions=N requestRate=N progressRate=N
// logRate=N, keepalive=D misses=N, and the policies answerUnreadable,
// strictInitialized, strictVersion, quietShutdown.
func Client(options []string) (client.Config, error) {
	cfg := client.Config{Info: protocol.Implementation{Name: "machine", Version: "1"}, HashKey: [16]byte{0: 1, 8: 2}}
	for _, option := range options {
		key, val, _ := strings.Cut(option, "=")
		n, _ := strconv.Atoi(val) // words that need no number have none
		switch key {
		case "sampling":
			cfg.Serve = append(cfg.Serve, "sampling/createMessage")
		case "elicitation":
			cfg.Serve = append(cfg.Serve, "elicitation/create")
		case "roots":
			cfg.Roots = []protocol.Root{{URI: "file:///home", Name: "home"}}
		case "rootsChanged":
			cfg.RootsListChanged = true
		case "declare":
			set, ok := protocol.ParseCapability(val)
			if !ok {
				return cfg, fmt.Errorf("unknown capability %q", val)
			}
			cfg.Declare |= set
		case "require":
			set, ok := protocol.ParseCapability(val)
			if !ok {
				return cfg, fmt.Errorf("unknown capability %q", val)
			}
			cfg.Require |= set
		default:
			if err := common(key, val, n, &cfg.Serve, &cfg.ServeUnknown, &cfg.Revisions, &cfg.Timeouts, &cfg.Limits, &cfg.Keepalive, &cfg.Policy); err != nil {
				return cfg, err
			}
		}
	}
	return cfg, nil
}

// common reads an option that both roles have.
func common(key, val string, n int, serve *[]string, unknown *bool, revisions *[]protocol.Revision,
	timeouts *lifecycle.Timeouts, limits *lifecycle.Limits, keepalive *lifecycle.Keepalive, policy *lifecycle.Policy) error {
	durations := map[string]*time.Duration{
		"request": &timeouts.Request, "initialize": &timeouts.Initialize, "ping": &timeouts.Ping, "human": &timeouts.Human,
		"maximum": &timeouts.Maximum, "answer": &timeouts.Inbound, "keepalive": &keepalive.Interval,
	}
	counts := map[string]*int{
		"inbound": &limits.Inbound, "outbound": &limits.Outbound, "batch": &limits.Batch,
		"subscriptions": &limits.Subscriptions, "misses": &keepalive.Misses,
	}
	rates := map[string]*lifecycle.Rate{"requestRate": &limits.Requests, "progressRate": &limits.Progress, "logRate": &limits.Logs}
	flags := map[string]*bool{
		"answerUnreadable": &policy.AnswerUnreadable, "strictInitialized": &policy.StrictInitialized,
		"strictVersion": &policy.StrictVersion, "quietShutdown": &policy.QuietShutdown, "unknown": unknown,
	}
	switch {
	case durations[key] != nil:
		d, err := duration(val)
		*durations[key] = d
		return err
	case counts[key] != nil:
		*counts[key] = n
	case rates[key] != nil:
		*rates[key] = lifecycle.Rate{PerSecond: float64(n), Burst: n}
	case flags[key] != nil:
		*flags[key] = true
	case key == "serve":
		*serve = append(*serve, val)
	case key == "revision":
		r, ok := protocol.ParseRevision(val)
		if !ok {
			return fmt.Errorf("unknown revision %q", val)
		}
		*revisions = append(*revisions, r)
	default:
		return fmt.Errorf("unknown option %q", key)
	}
	return nil
}
