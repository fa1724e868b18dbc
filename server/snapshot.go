package server

import (
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Step returns how many transitions led to this State. A store can compare it before
// it replaces one snapshot by another.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, for another machine or another day. Times are
// written as what is left of them. The zero State has none: nil. The Config is not in it,
// nor is the catalog, of which it has the version.
func (s State) Snapshot() []byte {
	if s.cfg == nil {
		return nil
	}
	w := s.core.Snapshot()
	add := func(name string, val []byte) {
		w = append(rawjson.AppendQuote(append(w, ','), name), ':')
		w = append(w, val...)
	}
	add("catalog", rawjson.AppendQuote(nil, s.catalog().version()))
	if f := s.feat; f != nil {
		if f.leveled {
			add("level", rawjson.AppendQuote(nil, string(levels[f.level])))
		}
		if f.subs.Len() > 0 {
			list := []byte{'['}
			for uri := range f.subs.All() {
				if len(list) > 1 {
					list = append(list, ',')
				}
				list = rawjson.AppendQuote(list, uri)
			}
			add("subscriptions", append(list, ']'))
		}
		if f.changed != 0 {
			add("changed", rawjson.AppendQuote(nil, f.changed.String()))
			if f.due != table.Never {
				add("announce", strconv.AppendInt(nil, f.due-s.core.Now(), 10))
			}
		}
	}
	return append(w, '}')
}

var levels = [...]protocol.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Restore returns the State of a snapshot: it does what the original would do, with all
// times counted from now, which stands for the instant of the last transition. cfg has to
// be what the original was made of; HashKey in particular, or else handles that the
// application kept lead nowhere. If the catalog is another one, the lists that differ are
// announced as changed. Errors: ErrSnapshot for damaged data, ErrParams for the Config.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	fields := engine.ReadFields(string(data))
	if s.core, err = engine.Restore(&s.cfg.env, fields, now); err != nil {
		return State{}, err
	}
	f := &features{due: table.Never}
	if level := fields.Text("level"); level != "" {
		f.level, f.leveled = int8(protocol.LoggingLevel(level).Severity()), true
	}
	room := true
	fields.Texts("subscriptions", func(uri string) {
		var ok bool
		f.subs, ok = f.subs.With(&s.cfg.env, uri)
		room = room && ok
	})
	changed, known := protocol.ParseCapability(fields.Text("changed"))
	if changed != 0 {
		f.changed, f.due = changed&s.cfg.env.Caps, fields.Instant("announce")
	}
	if s.core.Live() && s.core.Phase() != protocol.Uninitialized {
		if more := s.catalog().differs(fields.Text("catalog")) & s.cfg.env.Caps; more&^f.changed != 0 {
			f.changed, f.due = f.changed|more, min(f.due, s.core.After(s.cfg.delay))
		}
	}
	if *f != (features{due: table.Never}) {
		s.feat = f
	}
	if err := fields.Err(); err != nil {
		return State{}, err
	}
	if err := s.Check(); err != nil || !known || !room || f.level < 0 {
		return State{}, errors.Join(lifecycle.ErrSnapshot, err)
	}
	return s, nil
}
