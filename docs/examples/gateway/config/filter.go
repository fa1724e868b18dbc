package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
)

// named returns the rule of the tools that a text of a list names: * stands for any text.
func named(name string) (catalog.Rule, error) {
	switch {
	case name == "":
		return catalog.Rule{}, fmt.Errorf("a name is empty")
	case strings.ContainsAny(name, "()"):
		return catalog.Rule{}, fmt.Errorf("%q restricts the arguments of a tool, which is not supported; write only the name of the tool", brief(name))
	case strings.ContainsAny(name, "[]{}!"):
		return catalog.Rule{}, fmt.Errorf("%q is not the name of a tool; write each name, or * for any text", brief(name))
	}
	return catalog.Rule{Kind: protocol.ToolList, Name: strings.ReplaceAll(name, `\`, `\\`)}, nil
}

// rules reads a list of tools.
func (e *entry) rules(f member) (rules []catalog.Rule) {
	items := f.items
	switch {
	case f.kind == text && f.text == "*":
		items = []value{f.value}
	case f.kind != array:
		e.wrong(f.value.at, "%s is %s, and not an array of names", f.name, kinds[f.kind])
		return nil
	}
	for _, v := range items {
		if v.kind != text {
			e.wrong(v.at, "an element of %s is %s, and not the name of a tool", f.name, kinds[v.kind])
			continue
		}
		rule, err := named(v.text)
		if err != nil {
			e.wrong(v.at, "%s: %v", f.name, err)
		}
		rules = append(rules, rule)
	}
	return rules
}

// deny takes in tools that are not offered.
func (e *entry) deny(f member) { e.s.Filter.Deny = append(e.s.Filter.Deny, e.rules(f)...) }

// allow takes in the tools that alone are offered.
func (e *entry) allow(f member) {
	if f.kind == object {
		e.switches(f)
		return
	}
	e.only(f, e.rules(f))
}

// only has the rules of tools pass and no others, and all that is no tool.
func (e *entry) only(f member, rules []catalog.Rule) {
	if e.allowed != "" {
		e.wrong(f.at, "both %s and %s are set; write one of them", e.allowed, f.name)
		return
	}
	e.allowed = f.name
	for _, l := range protocol.Lists() {
		if l != protocol.ToolList {
			rules = append(rules, catalog.Rule{Kind: l})
		}
	}
	e.s.Filter.Allow = rules
}

// switches takes in tools that are switched on and off by name.
func (e *entry) switches(f member) {
	for _, m := range f.members {
		if m.kind != truth {
			e.wrong(m.value.at, "%s of %s is %s, and not a boolean", brief(m.name), f.name, kinds[m.kind])
			continue
		}
		rule, err := named(m.name)
		if err != nil {
			e.wrong(m.at, "%s: %v", f.name, err)
		}
		if m.text == "false" {
			e.s.Filter.Deny = append(e.s.Filter.Deny, rule)
		}
	}
}

// filter takes in {"mode": "allow" or "block", "list": [names]}.
func (e *entry) filter(f member) {
	if f.kind != object {
		e.wrong(f.value.at, "%s is %s, and not an object", f.name, kinds[f.kind])
		return
	}
	var mode, list *member
	for _, m := range f.members {
		switch m.name {
		case "mode":
			mode = &m
		case "list":
			list = &m
		default:
			e.wrong(m.at, "%s of %s is not understood; want mode and list", brief(m.name), f.name)
			return
		}
	}
	switch {
	case mode == nil || list == nil:
		e.wrong(f.at, "%s needs mode, allow or block, and list", f.name)
	case mode.kind == text && strings.EqualFold(mode.text, "allow"):
		e.only(f, e.rules(*list))
	case mode.kind == text && strings.EqualFold(mode.text, "block"):
		e.deny(*list)
	default:
		e.wrong(mode.value.at, "mode of %s is neither allow nor block", f.name)
	}
}

// options takes in the settings that a proxy has for a server.
func (e *entry) options(f member) {
	if f.kind != object {
		e.wrong(f.value.at, "%s is %s, and not an object", f.name, kinds[f.kind])
		return
	}
	for _, m := range f.members {
		switch u := fields[plainName(m.name)]; {
		case u == useFilter:
			e.filter(m)
		case u == useDeny:
			e.deny(m)
		case u == useAllow:
			e.allow(m)
		case u == useOff:
			e.switched(m, "true")
		case u == useOn:
			e.switched(m, "false")
		case u == usePlain:
		case m.kind != null && restrictive(m.name):
			e.wrong(m.at, "%s of %s looks like a restriction that is not supported; remove it if it is not one", brief(m.name), f.name)
		default:
			if in := m.restriction(); in != nil {
				e.wrong(in.at, "%s in %s of %s looks like a restriction that is not supported; remove it if it is not one", brief(in.name), brief(m.name), f.name)
				continue
			}
			e.warn(m.at, "%s of %s is not supported, and ignored", brief(m.name), f.name)
		}
	}
}

// restriction returns the first member within the value that looks like a restriction; nil if none
// does.
func (v value) restriction() *member {
	for i := range v.members {
		m := &v.members[i]
		if m.kind != null && restrictive(m.name) && fields[plainName(m.name)] != usePlain {
			return m
		}
		if in := m.restriction(); in != nil {
			return in
		}
	}
	for _, item := range v.items {
		if in := item.restriction(); in != nil {
			return in
		}
	}
	return nil
}

// global is what a file says of all its servers.
type global struct {
	only  []string // the servers that there are, if some
	some  bool
	out   []string       // those that there are not
	deny  []catalog.Rule // tools of all servers
	globs []string       // of server_tool, that are not offered
}

// restriction takes in a member of the file that restricts servers or tools; known says that it is
// understood. An error says that it restricts and is not.
func (p *parser) restriction(m member) (known bool, err error) {
	switch plainName(m.name) {
	case "allowmcpservers", "enabledmcpjsonservers", "enabledmcpservers", "allowedmcpservers":
		return true, p.onlyServers(m)
	case "excludemcpservers", "disabledmcpjsonservers", "disabledmcpservers", "deniedmcpservers":
		names, err := p.servers(m)
		p.global.out = append(p.global.out, names...)
		return true, err
	case "excludetools", "disabledtools", "disallowedtools":
		return true, p.denyAll(m)
	case "tools":
		return true, p.tools(m)
	case "permission", "permissions":
		return true, p.permission(m)
	case "mcp":
		for _, inner := range m.members {
			switch inner.name {
			case "allowed":
				err = p.onlyServers(inner)
			case "excluded":
				var names []string
				names, err = p.servers(inner)
				p.global.out = append(p.global.out, names...)
			default:
				err = p.strange(inner)
			}
			if err != nil {
				return false, err
			}
		}
		return m.kind == object, nil
	case "mcpproxy":
		if m.kind != object {
			return false, p.fault(m.value.at, fmt.Sprintf("%s is %s, and not an object", m.name, kinds[m.kind]))
		}
		for _, inner := range m.members {
			if err := p.strange(inner); err != nil {
				return false, err
			}
		}
		return true, nil
	}
	if n := folded(m.name); !disguised(m.name) && !strings.Contains(n, "mcp") && !strings.Contains(n, "server") && !strings.Contains(n, "tool") {
		return false, nil // of the client itself
	}
	return false, p.strange(m)
}

// strange is the error of a member that looks like a restriction, or has one in it, and is not
// understood.
func (p *parser) strange(m member) error {
	if m.kind == null || fields[plainName(m.name)] == usePlain {
		return nil
	}
	if !restrictive(m.name) {
		in := m.restriction()
		if in == nil {
			return nil
		}
		m = *in
	}
	return p.fault(m.at, fmt.Sprintf("%s looks like a restriction of all servers, and is not supported; remove it, or give the gateway a file without it", brief(m.name)))
}

// servers reads a list of names of servers, which may be objects with serverName.
func (p *parser) servers(m member) (names []string, err error) {
	if m.kind != array {
		return nil, p.fault(m.value.at, fmt.Sprintf("%s is %s, and not an array of servers", m.name, kinds[m.kind]))
	}
	for _, v := range m.items {
		name := v
		if len(v.members) == 1 && v.members[0].name == "serverName" {
			name = v.members[0].value
		}
		if name.kind != text {
			return nil, p.fault(v.at, fmt.Sprintf("an element of %s is %s, and not the name of a server", m.name, kinds[v.kind]))
		}
		names = append(names, name.text)
	}
	return names, nil
}

func (p *parser) onlyServers(m member) error {
	names, err := p.servers(m)
	if p.global.some { // both count
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(p.global.only, n) })
	}
	p.global.only, p.global.some = names, true
	return err
}

// denyAll reads tools that no server offers.
func (p *parser) denyAll(m member) error {
	if m.kind != array {
		return p.fault(m.value.at, fmt.Sprintf("%s is %s, and not an array of names", m.name, kinds[m.kind]))
	}
	for _, v := range m.items {
		name, _, _ := strings.Cut(v.text, "(") // what it is called with is not looked at
		rule, err := named(name)
		if v.kind != text || err != nil {
			return p.fault(v.at, fmt.Sprintf("an element of %s is not the name of a tool", m.name))
		}
		p.global.deny = append(p.global.deny, rule)
	}
	return nil
}

// tools reads the switches of opencode, by server_tool, or what Gemini excludes.
func (p *parser) tools(m member) error {
	if m.kind != object {
		return p.fault(m.value.at, fmt.Sprintf("%s is %s, and not an object", m.name, kinds[m.kind]))
	}
	for _, t := range m.members {
		switch {
		case t.kind == truth && t.text == "true" && !restrictive(t.name):
		case t.kind == truth && t.text == "false":
			p.global.globs = append(p.global.globs, t.name)
			if p.dialect != dialectOf("opencode") { // it may be the name alone
				rule, err := named(t.name)
				if err != nil {
					return p.fault(t.at, fmt.Sprintf("%s: %v", m.name, err))
				}
				p.global.deny = append(p.global.deny, rule)
			}
		case t.name == "exclude" && p.dialect != dialectOf("opencode"):
			if err := p.denyAll(t); err != nil {
				return err
			}
		case t.name == "core" || t.name == "allowed": // of its own tools, and of those that it asks for
		case p.dialect == dialectOf("opencode"):
			return p.fault(t.value.at, fmt.Sprintf("%s of tools is %s, and not a boolean", brief(t.name), kinds[t.kind]))
		default:
			if err := p.strange(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// own are the tools of clients themselves, which their permissions name.
var own = []string{"edit", "bash", "webfetch", "websearch", "read", "write", "glob", "grep", "list", "task", "skill", "external_directory", "doom_loop"}

// permission takes in permissions of the client's own tools. Others restrict, and nobody is asked here.
func (p *parser) permission(m member) error {
	if m.kind != object && m.kind != null && (m.kind != text || m.text != "allow") {
		return p.fault(m.value.at, fmt.Sprintf("%s restricts tools of servers by asking, which is not supported; write disabledTools in their entries, and give the gateway a file without it", m.name))
	}
	for _, t := range m.members {
		if !slices.Contains(own, t.name) {
			return p.fault(t.at, fmt.Sprintf("%s of %s may restrict tools of servers, and is not supported; write disabledTools in their entries, and give the gateway a file without it", brief(t.name), m.name))
		}
	}
	return nil
}

// apply adds what the file says of all servers; false if the server is left out.
func (g *global) apply(s *Server) bool {
	if g.some && !slices.Contains(g.only, s.Name) || slices.Contains(g.out, s.Name) {
		return false
	}
	s.Filter.Deny = append(s.Filter.Deny, g.deny...)
	s.Filter.Deny = append(s.Filter.Deny, qualified(s.Name, s.Filter.Deny)...)
	for _, glob := range g.globs {
		for _, left := range remainders(glob, opencodeName(s.Name)+"_") {
			s.Filter.Deny = append(s.Filter.Deny, catalog.Rule{Kind: protocol.ToolList, Name: strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(left)})
		}
	}
	return true
}
