package config

import (
	"fmt"
	"strings"
)

// parser makes a Config from the parsed text.
type parser struct {
	reader
	opt     Options
	c       Config
	dialect *dialect // nil: not certain
	inputs  map[string]Input
	names   map[string]bool // of entries
	global  global
}

// maxName is the greatest length of the name of a server, in bytes.
const maxName = 1024

// maxWarnings is how many warnings of a file are reported.
const maxWarnings = 100

func (p *parser) warn(at int, format string, args ...any) {
	if len(p.c.Warnings) == maxWarnings {
		format, args = "more warnings dropped", nil
	} else if len(p.c.Warnings) > maxWarnings {
		return
	}
	p.c.Warnings = append(p.c.Warnings, *p.fault(at, fmt.Sprintf(format, args...)))
}

// top finds the servers. An error says why none can be used.
func (p *parser) top(v value) error {
	if v.kind != object {
		return p.fault(v.at, fmt.Sprintf("the configuration is %s, and not an object", kinds[v.kind]))
	}
	if v.twice != nil {
		return v.twice
	}
	servers, rest, err := p.find(v)
	if err != nil {
		return err
	}
	if servers.twice != nil {
		return servers.twice
	}
	for _, m := range rest {
		if twice := m.again(); twice != nil {
			return twice
		}
	}
	p.recognize(v, servers)
	if err := p.rest(rest); err != nil {
		return err
	}
	switch servers.kind {
	case object:
		for _, m := range servers.members {
			p.server(m)
		}
	case array: // of Continue
		for _, item := range servers.items {
			p.server(member{at: item.at, name: nameOf(item), value: item})
		}
	default:
		return p.fault(servers.value.at, fmt.Sprintf("%s is %s, and not an object", servers.name, kinds[servers.kind]))
	}
	return nil
}

// nameOf returns the name of an entry of an array.
func nameOf(v value) string {
	for _, m := range v.members {
		if m.name == "name" && m.kind == text {
			return m.text
		}
	}
	return ""
}

// find returns the servers, and the other members.
func (p *parser) find(v value) (servers *member, rest []member, err error) {
	for i, m := range v.members {
		switch m.name {
		case "mcpServers", "servers", "context_servers":
			if servers != nil {
				return nil, nil, p.fault(m.at, fmt.Sprintf("both %s and %s are set; give the gateway a file with one of them", servers.name, m.name))
			}
			servers = &v.members[i]
		default:
			rest = append(rest, m)
		}
	}
	if servers == nil {
		servers, rest = nested(v, rest)
	}
	if servers == nil && flat(v) {
		servers, rest = &member{at: v.at, name: "the file", value: v}, nil
	}
	if servers == nil {
		return nil, nil, p.fault(v.at, "no servers: want mcpServers, servers, context_servers or mcp")
	}
	return servers, rest, nil
}

// nested finds the servers in "mcp", of opencode or of the settings of VS Code.
func nested(v value, rest []member) (servers *member, others []member) {
	for i, m := range v.members {
		if m.name != "mcp" || m.kind != object {
			continue
		}
		for _, inner := range m.members {
			if inner.name == "servers" && !isEntry(inner.value) {
				servers = &inner
			}
		}
		if servers == nil && flat(m.value) {
			servers = &v.members[i]
		}
		if servers != nil {
			for _, r := range rest {
				if r.at != m.at {
					others = append(others, r)
				}
			}
			for _, inner := range m.members { // what stands beside the servers
				if servers.name == "servers" && inner.name != "servers" {
					others = append(others, inner)
				}
			}
			return servers, others
		}
	}
	return nil, rest
}

// flat reports whether all members of an object are entries, as in the files of plugins.
func flat(v value) bool {
	entries := 0
	for _, m := range v.members {
		switch {
		case isEntry(m.value):
			entries++
		case m.name != "$schema":
			return false
		}
	}
	return entries > 0
}

// isEntry reports whether a value has a command or a url.
func isEntry(v value) bool {
	for _, m := range v.members {
		if u := fields[plainName(m.name)]; u == useCommand || u == useAddress {
			return true
		}
	}
	return false
}

// recognize finds out the dialect of the file.
func (p *parser) recognize(v value, servers *member) {
	defer func() {
		if p.dialect != nil {
			p.c.Dialect = p.dialect.name
		}
	}()
	if p.opt.Dialect != "" {
		p.dialect = dialectOf(p.opt.Dialect)
		return
	}
	switch servers.name {
	case "servers":
		p.dialect = dialectOf("vscode")
	case "context_servers":
		p.dialect = dialectOf("zed")
	case "mcp":
		p.dialect = dialectOf("opencode")
	default:
		p.dialect = marked(v, servers)
	}
}

// marked returns the dialect whose marks are there, if those of no other are.
func marked(v value, servers *member) (found *dialect) {
	names := map[string]bool{}
	for _, m := range v.members {
		names[m.name] = true
	}
	for _, m := range servers.members {
		for _, f := range m.members {
			names[f.name] = true
		}
	}
	for i := range dialects {
		for _, mark := range dialects[i].marks {
			if !names[mark] {
				continue
			}
			if found != nil && found != &dialects[i] {
				return nil
			}
			found = &dialects[i]
		}
	}
	return found
}

// rest takes in what stands beside the servers. An error is a restriction of all servers that is not
// understood.
func (p *parser) rest(members []member) error {
	var names []string
	for _, m := range members {
		known, err := p.restriction(m)
		switch {
		case err != nil:
			return err
		case known, m.name == "$schema":
		case m.name == "inputs":
			p.readInputs(m)
		default:
			names = append(names, m.name)
		}
	}
	for _, m := range members { // a warning has the place of the first
		if len(names) > 0 && m.name == names[0] {
			p.warn(m.at, "not known here, and ignored: %s", strings.Join(names, ", "))
			break
		}
	}
	return nil
}

// readInputs reads the inputs of VS Code. What is wrong with one is told where it is used.
func (p *parser) readInputs(m member) {
	for _, item := range m.items {
		in, id := Input{}, ""
		for _, f := range item.members {
			switch {
			case f.name == "id" && f.kind == text:
				id = f.text
			case f.name == "description" && f.kind == text:
				in.Description = f.text
			case f.name == "default" && f.kind == text:
				in.Default = f.text
			case f.name == "password":
				in.Secret = f.kind != truth || f.text == "true"
			case f.name == "type" && f.text != "promptString" && f.text != "pickString":
				id = ""
			case f.name == "options":
				in.Choices = choices(f)
			}
		}
		if in.ID = id; id != "" {
			p.inputs[id] = in
		}
	}
}

// choices are the options of an input: texts, or objects with a value.
func choices(f member) []string {
	list := []string{}
	for _, o := range f.items {
		if o.kind == text {
			list = append(list, o.text)
		}
		for _, m := range o.members {
			if m.name == "value" && m.kind == text {
				list = append(list, m.text)
			}
		}
	}
	return list
}
