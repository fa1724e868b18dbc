package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/naming"
)

// entry is a definition that is being read.
type entry struct {
	p                  *parser
	s                  Server
	at                 int
	command, url, kind *member
	allowed            string         // the member that selects tools
	seen               map[use]string // the members that exist, by their use
	off                bool
	faults             []Error
	warnings           []warning
}

// warning is a warning of an entry, reported if the entry counts.
type warning struct {
	at   int
	text string
}

// maxFaults is how many faults of an entry are reported.
const maxFaults = 5

func (e *entry) wrong(at int, format string, args ...any) {
	if len(e.faults) < maxFaults {
		e.faults = append(e.faults, *e.p.fault(at, fmt.Sprintf("server %q: ", brief(e.s.Name))+fmt.Sprintf(format, args...)))
	}
}

func (e *entry) warn(at int, format string, args ...any) {
	e.warnings = append(e.warnings, warning{at, fmt.Sprintf("server %q: ", brief(e.s.Name)) + fmt.Sprintf(format, args...)})
}

// server reads one definition.
func (p *parser) server(m member) {
	line, _ := p.place(m.at)
	e := entry{p: p, s: Server{Name: m.name, Line: line}, at: m.at, seen: map[use]string{}}
	switch {
	case m.name == "":
		e.wrong(m.at, "it needs a name")
	case len(m.name) > maxName:
		e.wrong(m.at, "its name has more than %d bytes", maxName)
	case !naming.Valid(m.name, maxName):
		e.wrong(m.at, "its name has invisible characters, or blanks at an end")
	case m.kind != object:
		e.wrong(m.value.at, "it is %s, and not an object", kinds[m.kind])
	case p.names[m.name]:
		e.wrong(m.at, "duplicate name") // in an array
	}
	p.names[m.name] = true
	if twice := m.again(); twice != nil {
		e.faults = append(e.faults, *twice)
	}
	for _, f := range m.members {
		e.field(f)
	}
	if e.off { // its faults do not matter
		p.c.Disabled = append(p.c.Disabled, m.name)
		return
	}
	if len(e.faults) == 0 { // otherwise faults would be reported twice
		e.check()
	}
	if len(e.faults) > 0 {
		p.c.Refused = append(p.c.Refused, Refusal{Name: m.name, Faults: e.faults})
		return
	}
	if !p.global.apply(&e.s) {
		p.c.Disabled = append(p.c.Disabled, m.name)
		return
	}
	for _, w := range e.warnings {
		p.warn(w.at, "%s", w.text)
	}
	slices.Sort(e.s.Env)
	p.c.Servers = append(p.c.Servers, e.s)
}

// field reads one member of a definition.
func (e *entry) field(f member) {
	u := fields[plainName(f.name)]
	if f.kind == null && (u == useAllow || u == useFilter || u == useOn) {
		e.wrong(f.at, "%s is null, which is ambiguous: all or none; remove it, or write a list", f.name)
		return
	}
	if f.kind == null && u != useCommand && u != useAddress && u != useNothing {
		e.warn(f.at, "%s is null, and ignored", f.name)
		return
	}
	switch u {
	case useCommand, useArgs, useEnv, useFolder, useHeader, useSort, useAddress:
		if first, again := e.seen[u]; again {
			e.wrong(f.at, "both %s and %s are set; write one of them", first, f.name)
			return
		}
		e.seen[u] = f.name
	}
	switch u {
	case useCommand:
		e.program(f)
	case useArgs:
		e.s.Args = append(e.s.Args, e.list(f)...)
	case useEnv:
		e.env(f)
	case useFolder:
		e.s.Dir = e.text(f)
	case useAddress:
		if f.kind == null || f.kind == text && f.text == "" { // some clients write all members
			delete(e.seen, u)
			return
		}
		e.url = &f
		e.s.URL = e.text(f)
	case useHeader:
		e.s.Header = e.table(f, false)
	case useRequests:
		for _, m := range f.members {
			if fields[plainName(m.name)] == useHeader {
				e.field(m)
			} else {
				e.other(m, f.name+".")
			}
		}
	case useSort:
		e.kind = &f
	case useOff:
		e.switched(f, "true")
	case useOn:
		e.switched(f, "false")
	default:
		e.restriction(u, f)
	}
}

// restriction reads a member that restricts, or may.
func (e *entry) restriction(u use, f member) {
	switch u {
	case useDeny:
		e.deny(f)
	case useAllow:
		e.allow(f)
	case useFilter:
		e.filter(f)
	case useOptions:
		e.options(f)
	case useApprove:
		if f.kind != truth || f.text == "true" {
			e.warn(f.at, "%s has no effect: the gateway never asks before a call", f.name)
		}
	case useApprovals:
		if f.kind != text || f.text != "never" {
			e.wrong(f.value.at, "%s requires confirmation, which is not supported; write never, or use the server in a client that asks", f.name)
		}
	case useSandboxes:
		if e.truth(f) {
			e.wrong(f.value.at, "%s restricts the command, which is not supported; write a command that does so", f.name)
		}
	case usePlain:
	default:
		e.other(f, "")
	}
}

// other handles an unknown member: one that looks like a restriction leaves the server out, any other
// is a warning.
func (e *entry) other(f member, within string) {
	switch {
	case f.kind != null && restrictive(f.name):
		e.wrong(f.at, "%s%s looks like a restriction, and is not supported; remove it if it is not one", within, brief(f.name))
	case plainName(f.name) == "oauth" || plainName(f.name) == "auth":
		e.warn(f.at, "%s%s is not supported, and ignored; write headers", within, brief(f.name))
	case plainName(f.name) == "envfile":
		e.warn(f.at, "%s%s is not read; write its variables in env", within, brief(f.name))
	default:
		if in := f.restriction(); in != nil {
			e.wrong(in.at, "%s in %s%s looks like a restriction, and is not supported; remove it if it is not one", brief(in.name), within, brief(f.name))
			return
		}
		e.warn(f.at, "%s%s is not supported, and ignored", within, brief(f.name))
	}
}

// program reads a command: a text, an array with its arguments, or an object with a path.
func (e *entry) program(f member) {
	switch {
	case f.kind == null || f.kind == text && f.text == "":
		delete(e.seen, useCommand)
	case f.kind == array:
		list := e.list(f)
		if len(list) == 0 {
			e.wrong(f.value.at, "%s is empty", f.name)
			return
		}
		if _, both := e.seen[useArgs]; both {
			e.wrong(f.at, "%s is an array, and args is set too; write one of them", f.name)
		}
		e.seen[useArgs] = f.name
		e.command, e.s.Command, e.s.Args = &f, list[0], list[1:]
	case f.kind == object:
		for _, m := range f.members {
			switch m.name {
			case "path":
				e.command, e.s.Command = &f, e.text(m)
			case "args", "env":
				if m.kind != null {
					e.field(m)
				}
			default:
				e.other(m, f.name+".")
			}
		}
	default:
		e.command, e.s.Command = &f, e.text(f)
	}
}

// text returns the text of a member.
func (e *entry) text(f member) string {
	if f.kind != text {
		e.wrong(f.value.at, "%s is %s, and not %s", f.name, kinds[f.kind], kinds[text])
		return ""
	}
	return e.expanded(f.value)
}

// expanded returns a text with its variables replaced.
func (e *entry) expanded(v value) string {
	s, err := e.p.expand(v.text)
	switch {
	case err != nil:
		e.wrong(v.at, "%v", err)
	case strings.ContainsRune(s, 0):
		e.wrong(v.at, "a string has a NUL")
	}
	return s
}

func (e *entry) list(f member) (list []string) {
	if f.kind != array {
		e.wrong(f.value.at, `%s is %s, and not an array of texts; write ["one", "two"]`, f.name, kinds[f.kind])
		return nil
	}
	for _, v := range f.items {
		if v.kind != text && v.kind != number && v.kind != truth {
			e.wrong(v.at, "an element of %s is %s, and not a text", f.name, kinds[v.kind])
			continue
		}
		list = append(list, e.expanded(v))
	}
	return list
}

func (e *entry) env(f member) {
	table := e.table(f, true)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		e.s.Env = append(e.s.Env, name+"="+table[name])
	}
}

func (e *entry) table(f member, variables bool) map[string]string {
	if f.kind != object {
		e.wrong(f.value.at, `%s is %s, and not an object of texts; write {"NAME": "text"}`, f.name, kinds[f.kind])
		return nil
	}
	table := map[string]string{}
	for _, v := range f.members {
		switch {
		case v.kind == null:
			e.warn(v.at, "%s of %s is null, and ignored", v.name, f.name)
		case v.kind != text && v.kind != number && v.kind != truth:
			e.wrong(v.value.at, "%s of %s is %s, and not a text", v.name, f.name, kinds[v.kind])
		case variables && (v.name == "" || strings.ContainsAny(v.name, "=\x00")):
			name, _, is := strings.Cut(v.name, "=") // what follows may be its value
			if is {
				name += "=…"
			}
			e.wrong(v.at, "%q is not the name of a variable", brief(name))
		default:
			table[v.name] = e.expanded(v.value)
		}
	}
	return table
}

// switched reads a boolean, which leaves the entry out if it is off.
func (e *entry) switched(f member, off string) {
	e.truth(f)
	e.off = e.off || f.kind == truth && f.text == off
}

func (e *entry) truth(f member) bool {
	if f.kind != truth {
		e.wrong(f.value.at, "%s is %s, and not a boolean; write true or false", f.name, kinds[f.kind])
	}
	return f.text == "true"
}

// where returns the place of a member, that of the definition if it does not exist.
func (e *entry) where(f *member) int {
	if f == nil {
		return e.at
	}
	return f.at
}

// within returns a path of the file: a relative one starts from the folder of the file.
func (e *entry) within(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.p.opt.Folder, path)
}
