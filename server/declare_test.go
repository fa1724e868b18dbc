package server_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// catalogOf returns a Catalog that offers lists without items, of the kinds named.
func catalogOf(t *testing.T, kinds ...string) *server.Catalog {
	t.Helper()
	var items server.Items
	for _, kind := range kinds {
		switch kind {
		case "tools":
			items.Tools = []protocol.Tool{}
		case "resources":
			items.Resources = []protocol.Resource{}
		case "templates":
			items.ResourceTemplates = []protocol.ResourceTemplate{}
		case "prompts":
			items.Prompts = []protocol.Prompt{}
		}
	}
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A server declares what it answers, and no more.
func TestDeclared(t *testing.T) {
	serve := func(methods ...string) server.Config { return server.Config{Serve: methods} }
	with := func(cfg server.Config, kinds ...string) server.Config {
		cfg.Catalog = catalogOf(t, kinds...)
		return cfg
	}
	all := []string{"tools/call", "resources/read", "prompts/get"}
	const (
		tools, resources, prompts                      = protocol.CapTools, protocol.CapResources, protocol.CapPrompts
		toolsChanged, resourcesChanged, promptsChanged = protocol.CapToolsListChanged, protocol.CapResourcesListChanged, protocol.CapPromptsListChanged
		subscribe                                      = protocol.CapResourcesSubscribe
	)
	for _, tt := range []struct {
		name string
		cfg  server.Config
		want protocol.Capability
	}{
		{"nothing", server.Config{}, 0},
		{"listed tools", with(serve("tools/call"), "tools"), tools},
		{"called tools", serve("tools/call"), tools},
		{"served tools", serve("tools/call", "tools/list"), tools},
		{"listed resources", with(serve("resources/read"), "resources"), resources},
		{"listed templates", with(serve("resources/read"), "templates"), resources},
		{"read resources", serve("resources/read"), resources},
		{"served resources", serve("resources/read", "resources/list"), resources},
		{"served templates", serve("resources/read", "resources/templates/list"), resources},
		{"listed prompts", with(serve("prompts/get"), "prompts"), prompts},
		{"got prompts", serve("prompts/get"), prompts},
		{"served prompts", serve("prompts/get", "prompts/list"), prompts},
		{"completion", serve("completion/complete"), protocol.CapCompletions},
		{"logging", server.Config{Logging: true}, protocol.CapLogging},
		{"served levels", serve("logging/setLevel"), protocol.CapLogging},
		{"subscriptions", server.Config{Serve: all, Subscribe: true}, tools | resources | prompts | subscribe},
		{"served subscriptions", serve("resources/read", "resources/subscribe"), resources | subscribe},
		{"changes", server.Config{Serve: all, ListChanged: toolsChanged | resourcesChanged | promptsChanged}, tools | resources | prompts | toolsChanged | resourcesChanged | promptsChanged},
		{"methods of its own", serve("x/y"), 0},
		{"all methods", server.Config{ServeUnknown: true}, 0},
		{"disabled", server.Config{Serve: all, Disable: tools}, resources | prompts},
		{"disabled with its parts", server.Config{Serve: all, Subscribe: true, ListChanged: toolsChanged | resourcesChanged, Disable: resources}, tools | toolsChanged | prompts},
		{"disabled changes", server.Config{Serve: all, ListChanged: toolsChanged, Disable: toolsChanged}, tools | resources | prompts},
		{"disabled lists", with(server.Config{Disable: tools | resources | prompts}, "tools", "resources", "templates", "prompts"), 0},
	} {
		tt.cfg.Info, tt.cfg.Unlisted = protocol.Implementation{Name: "s", Version: "1"}, tt.cfg.Catalog == nil
		s, err := server.New(tt.cfg, t0)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := s.Capabilities(); got != tt.want {
			t.Errorf("%s: declares %v, want %v", tt.name, got, tt.want)
		}
		another, err := s.NewSession(t0)
		if err != nil || another.Capabilities() != tt.want || another.Phase() != lifecycle.Uninitialized {
			t.Errorf("%s: another one declares %v in %v: %v", tt.name, another.Capabilities(), another.Phase(), err)
		}
		_, out := s.Receive(t0, jsonrpc.DecodeString(lines[0]))
		r, err := protocol.Decode[protocol.InitializeResult](out.Send[0].Message.Body)
		if err != nil || r.Capabilities.Set() != tt.want || string(r.ServerInfo.AppendJSON(nil)) != string(tt.cfg.Info.AppendJSON(nil)) {
			t.Errorf("%s: says %v and %v: %v", tt.name, r.Capabilities.Set(), r.ServerInfo, err)
		}
	}
}

// What would be declared and answered by nobody is refused, and what cannot work.
func TestMoreRefusedConfigs(t *testing.T) {
	who := protocol.Implementation{Name: "s", Version: "1"}
	for name, cfg := range map[string]server.Config{
		"no name":                          {Info: protocol.Implementation{Version: "1"}},
		"no version":                       {Info: protocol.Implementation{Name: "s"}},
		"listed tools without calls":       {Info: who, Catalog: catalogOf(t, "tools")},
		"listed resources without reads":   {Info: who, Catalog: catalogOf(t, "resources")},
		"listed templates without reads":   {Info: who, Catalog: catalogOf(t, "templates")},
		"served templates without reads":   {Info: who, Serve: []string{"resources/templates/list"}},
		"listed prompts without gets":      {Info: who, Catalog: catalogOf(t, "prompts")},
		"changes of no tools":              {Info: who, ListChanged: protocol.CapToolsListChanged},
		"changes of no resources":          {Info: who, ListChanged: protocol.CapResourcesListChanged},
		"changes of no prompts":            {Info: who, ListChanged: protocol.CapPromptsListChanged},
		"subscriptions to no resources":    {Info: who, Subscribe: true},
		"changes of something else":        {Info: who, Logging: true, ListChanged: protocol.CapLogging},
		"an empty method":                  {Info: who, Serve: []string{""}},
		"ping":                             {Info: who, Serve: []string{"ping"}},
		"initialize":                       {Info: who, Serve: []string{"initialize"}},
		"a notification":                   {Info: who, Serve: []string{"notifications/cancelled"}},
		"changes of clients":               {Info: who, ListChanged: protocol.CapRootsListChanged},
		"flags of clients":                 {Info: who, Declare: protocol.CapSamplingTools},
		"a method of the client":           {Info: who, Serve: []string{"sampling/createMessage"}},
		"an unknown level":                 {Info: who, Logging: true, LogLevel: "loud"},
		"a negative timeout":               {Info: who, Timeouts: lifecycle.Timeouts{Request: -2}},
		"a negative limit":                 {Info: who, Limits: lifecycle.Limits{Inbound: -1}},
		"no revision":                      {Info: who, Revisions: []protocol.Revision{{}}},
		"experimental that is no object":   {Info: who, Experimental: map[string]jsonrpc.Raw{"x": "1"}},
		"keepalive with impossible misses": {Info: who, Keepalive: lifecycle.Keepalive{Interval: 1, Misses: -1}},
	} {
		if s, err := server.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) || s != (server.State{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, err := server.New(server.Config{Info: who}, time.Time{}); err == nil || s != (server.State{}) {
		t.Error("a session that begins at no time")
	}
	s, err := server.New(server.Config{Info: who}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.NewSession(time.Time{}); err == nil || a != (server.State{}) {
		t.Error("another session that begins at no time")
	}
}
