package manager

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// settings returns the settings of a connection. Errors: lifecycle.ErrConfig.
func (m *Manager) settings(opt Options) (*settings, error) {
	t, err := m.env.times.overridden(opt.Timeouts, opt.Health)
	if err != nil {
		return nil, err
	}
	opt.Fallbacks = slices.Clone(opt.Fallbacks)
	if opt.Meta != "" && !isMeta(opt.Meta) {
		return nil, wrong("Meta", strconv.Quote(rawjson.Clip(string(opt.Meta), 64)), "want a JSON object without progressToken")
	}
	opt.Meta = protocol.Raw(strings.Clone(string(opt.Meta)))
	cfg, proto := m.env.cfg.Client, &m.env.proto
	if opt.Client != nil {
		cfg = copied(*opt.Client)
		opt.Client = &cfg
	}
	if opt.Client != nil || t != m.env.times {
		s, err := client.New(t.client(cfg), m.clock.Time())
		if err != nil {
			return nil, wrongClient("Client", err)
		}
		proto = &s
	}
	limits, _ := cfg.Limits.Filled() // cannot fail: New has checked them
	set := &settings{times: t, opt: opt, ways: []way{{opt.Endpoint, proto, dual(cfg.Revisions)}}, keep: limits.Subscriptions, text: limits.Text}
	for _, f := range opt.Fallbacks {
		w := way{f.Endpoint, proto, dual(cfg.Revisions)}
		if len(f.Revisions) > 0 {
			w.dual = dual(f.Revisions)
			other := t.client(cfg)
			other.Revisions = slices.Clone(f.Revisions)
			s, err := client.New(other, m.clock.Time())
			if err != nil {
				return nil, wrongClient("Fallbacks", err)
			}
			w.proto = &s
		}
		set.ways = append(set.ways, w)
	}
	return set, nil
}

// dual reports whether list has revisions with and without a handshake.
func dual(list []protocol.Revision) bool {
	return slices.ContainsFunc(list, protocol.Revision.Stateless) && slices.ContainsFunc(list, protocol.Revision.Handshake)
}

// isMeta reports whether raw can be merged into the _meta of a request.
func isMeta(raw protocol.Raw) bool {
	if rawjson.Type(string(raw)) != "object" || !rawjson.Valid(string(raw)) {
		return false
	}
	_, has := rawjson.Get(string(raw), "progressToken")
	return !has
}

// checkName returns an error for an invalid name.
func (m *Manager) checkName(name string) error {
	if name == "" || !utf8.ValidString(name) || len(name) > maxName {
		return wrong("name", strconv.Quote(rawjson.Clip(name, 64)), "want UTF-8 of 1 to "+strconv.Itoa(maxName)+" bytes")
	}
	return nil
}

const maxName = 1024
