package client

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Step returns how many transitions led to this State. A store can compare it before
// it replaces one snapshot by another.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, for another machine or another day. Times are
// written as what is left of them. The zero State has none: nil. The Config is not in it.
func (s State) Snapshot() []byte {
	if s.cfg == nil {
		return nil
	}
	w := s.core.Snapshot()
	if s.feat != nil && s.feat.roots != "" {
		w = append(append(w, `,"roots":`...), s.feat.roots...)
	}
	if s.feat != nil && s.feat.subs.Len() > 0 {
		w = append(w, `,"subscriptions":[`...)
		for uri := range s.Subscriptions() {
			if w[len(w)-1] != '[' {
				w = append(w, ',')
			}
			w = rawjson.AppendQuote(w, uri)
		}
		w = append(w, ']')
	}
	return append(w, '}')
}

// Restore returns the State of a snapshot: it does what the original would do, with all
// times counted from now, which stands for the instant of the last transition. cfg has to
// be what the original was made of; HashKey in particular, or else handles that the
// application kept lead nowhere. Errors: ErrSnapshot for damaged data, ErrParams for the
// Config.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	fields := engine.ReadFields(string(data))
	if s.core, err = engine.Restore(&s.cfg.env, fields, now); err != nil {
		return State{}, err
	}
	var f features
	if raw := jsonrpc.Raw(fields.Raw("roots")); raw != "" {
		row := protocol.Revision20250618.Row(protocol.MethodRootsList)
		if err := row.CheckResult(raw, jsonrpc.Span{}); err != nil {
			return State{}, errors.Join(lifecycle.ErrSnapshot, err)
		}
		f.roots = jsonrpc.Raw(strings.Clone(string(raw))) // not the whole snapshot
	}
	if f != (features{}) {
		s.feat = &f
	}
	fields.Texts("subscriptions", func(uri string) { s.remember(protocol.MethodResourcesSubscribe, uri) })
	if err := fields.Err(); err != nil {
		return State{}, err
	}
	return s, nil
}
