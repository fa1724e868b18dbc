package registry

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// unique finds what has an invalid name, or the name of another.
func unique(of string, items server.Items, tools []Tool) error {
	for _, t := range tools {
		items.Tools = append(items.Tools, t.Tool)
	}
	return cmp.Or(
		distinct(of, "tool", items.Tools, func(t protocol.Tool) string { return t.Name }),
		distinct(of, "prompt", items.Prompts, func(p protocol.Prompt) string { return p.Name }),
		distinct(of, "resource", items.Resources, func(r protocol.Resource) string { return r.URI }),
		distinct(of, "template", items.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate }),
	)
}

func distinct[T any](of, kind string, list []T, key func(T) string) error {
	seen := map[string]bool{}
	for _, it := range list {
		name := key(it)
		if kind == "tool" || kind == "prompt" {
			if err := checkName(kind, name, of); err != nil {
				return err
			}
		}
		if seen[name] {
			return &NameError{Err: ErrDuplicate, Kind: kind, Name: name, Group: of}
		}
		seen[name] = true
	}
	return nil
}

// stranger returns the least name that has a timeout and is that of no tool, "" if there is none.
func stranger(timeouts map[string]time.Duration, tools []protocol.Tool) string {
	known := map[string]bool{}
	for _, t := range tools {
		known[t.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(timeouts)) {
		if !known[name] {
			return name
		}
	}
	return ""
}

// configured returns cfg for a session that is offered what h has.
func configured(cfg server.Config, h *server.Handlers, c *server.Catalog) server.Config {
	cfg.Catalog, cfg.Serve = c, append(h.Serve(), cfg.Serve...)
	for _, l := range protocol.Lists() {
		if c.Offers().Has(l.Cap) {
			cfg.ListChanged |= l.Change
		}
	}
	return cfg
}
