package main

import (
	"encoding/json"
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/registry"
)

// command runs the command of a line, for an agent, or without one for all, and returns the answer:
//
//	add, remove, enable, disable  one group: {"session":"ada","do":"add","group":"notes"}
//	set                           all groups: {"session":"ada","do":"set","groups":["notes","clock"]}
//	reconnect                     offer a group again that has failed, in new sessions
//	reload                        announce what is offered again
//	drop                          remove the agent's own groups
//	status, config                return the groups
//	login                         not needed here
func (d *desk) command(l line) line {
	d.mu.Lock()
	defer d.mu.Unlock()
	answer := line{Session: l.Session, Group: l.Group, Do: l.Do}
	result, err := d.look(l)
	if result == nil && err == nil {
		before := d.scopes.Load().Version()
		var c registry.Change
		c, err = d.do(l)
		answer.Changed, answer.Added, answer.Removed = d.scopes.Load().Version() != before, c.Tools.Added, c.Tools.Removed
	}
	if err != nil {
		answer.Error = err.Error()
	}
	if result != nil {
		answer.Result, _ = json.Marshal(result) // texts, numbers and JSON
	}
	return answer
}

// do changes the groups.
func (d *desk) do(l line) (registry.Change, error) {
	again := ""
	switch l.Do {
	case "reload":
		s, err := d.scopes.Load().Reload(l.Session)
		return registry.Change{}, d.set(s, err, l.Session, again)
	case "drop":
		s, _ := d.scopes.Load().Drop(l.Session)
		return registry.Change{}, d.set(s, nil, l.Session, again)
	case "reconnect":
		again = l.Group
	}
	f, err := d.edit(l)
	if err != nil {
		return registry.Change{}, err
	}
	return d.change(l.Session, l.Version, f, again)
}

// change changes the groups of an agent, or of all, if they have the version, or if version is 0.
func (d *desk) change(session string, version uint64, f registry.Edit, again string) (registry.Change, error) {
	s := *d.scopes.Load()
	var c registry.Change
	var err error
	switch _, now := s.Shared(); {
	case session == "" && version == 0:
		s, c, err = s.UpdateShared(now, f)
	case session == "":
		s, c, err = s.UpdateShared(version, f)
	case version == 0:
		s, c, err = s.Edit(session, f)
	default:
		s, c, err = s.Update(session, version, f)
	}
	return c, d.set(s, err, session, again)
}

// set replaces the groups, unless err says that making them failed.
func (d *desk) set(s registry.Scopes, err error, session, again string) error {
	if err == nil {
		d.scopes.Store(&s)
		d.follow(session, again)
	}
	return err
}

// edit returns the change of a Registry that a line asks for.
func (d *desk) edit(l line) (registry.Edit, error) {
	names := l.Groups
	if l.Do == "add" {
		names = []string{l.Group}
	}
	var groups []*registry.Group
	for _, name := range names {
		g, err := d.group(l.Session, name)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
		switch l.Do {
		case "add":
			return r.Register(groups[0])
		case "set":
			return r.SetGroups(groups...)
		case "enable", "disable":
			return r.SetEnabled(l.Group, l.Do == "enable")
		case "reconnect":
			return r.Reset(l.Group)
		case "remove":
			r, c := r.Unregister(l.Group)
			return r, c, nil
		}
		return r, registry.Change{}, fmt.Errorf("unknown command %q", l.Do)
	}, nil
}

// groupStatus is the status of a group as JSON.
type groupStatus struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Tools   int    `json:"tools"`
	Enabled bool   `json:"enabled"`
	Error   string `json:"error,omitempty"`
}

// look answers a line that changes nothing; nil for other lines.
func (d *desk) look(l line) (any, error) {
	s := d.scopes.Load()
	r, version := s.Shared()
	if own, seen, err := s.Get(l.Session); l.Session != "" {
		if r, version = own, seen; err != nil && l.Do == "config" {
			return nil, err
		}
	}
	switch l.Do {
	case "config":
		return json.RawMessage(r.CLIConfig(false)), nil
	case "login":
		shown, err := s.Login(l.Session, protocol.Raw(l.Params))
		return json.RawMessage(shown), err
	case "status":
		list := []groupStatus{}
		for _, g := range r.Status() {
			st := groupStatus{Name: g.Name, Version: g.Version, Tools: g.Tools, Enabled: g.Enabled}
			if g.Err != nil {
				st.Error = g.Err.Error()
			}
			list = append(list, st)
		}
		return map[string]any{"version": version, "groups": list, "offered": s.View(l.Session).Names()}, nil
	}
	return nil, nil
}
