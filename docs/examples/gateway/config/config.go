package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Server is one server that a file defines.
type Server struct {
	Name string
	// Of a command:
	Command string
	Args    []string
	Env     []string // as "NAME=value", in order of name
	Dir     string
	// Of a url:
	URL    string
	Header map[string]string
	// Line is the one where the definition begins.
	Line int
}

// Definition returns the definition as a text: it is the same for two servers if they are defined
// alike, wherever that is.
func (s Server) Definition() string {
	s.Line = 0
	text, _ := json.Marshal(s) // it has nothing that cannot be written
	return string(text)
}

// Config is what a file says.
type Config struct {
	Servers  []Server // in the order of the file, without those that are disabled
	Disabled []string // their names
	Warnings []Error
}

// Error says what is wrong with a file, and where.
type Error struct {
	File   string
	Line   int // from 1 on, as Column, which counts characters; 0 for the whole file
	Column int
	Text   string
}

// Error returns file:line:column: text.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// maxFile is how large a file may be, in bytes.
const maxFile = 4 << 20

// Load reads a file, with the environment of the process. Errors: *Error, joined if there are
// several.
func Load(path string) (Config, error) {
	wrong := func(err error) (Config, error) {
		var of *os.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return Config{}, &Error{File: path, Text: err.Error()}
	}
	if info, err := os.Stat(path); err != nil {
		return wrong(err)
	} else if !info.Mode().IsRegular() {
		return wrong(errors.New("it is not a regular file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return wrong(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return wrong(err)
	case len(data) > maxFile:
		return wrong(fmt.Errorf("it has more than %d bytes", maxFile))
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return wrong(err)
	}
	if filepath.Base(folder) == ".vscode" || filepath.Base(folder) == ".cursor" {
		folder = filepath.Dir(folder)
	}
	return Parse(path, data, folder, os.LookupEnv)
}

// Parse reads the text of a file. folder is what ${workspaceFolder} stands for and a relative cwd
// is relative to, env looks variables up. Errors: as Load.
func Parse(file string, data []byte, folder string, env func(name string) (string, bool)) (Config, error) {
	p := &parser{reader: reader{file: file, data: data}, folder: folder, env: env}
	top, err := p.read()
	if err != nil {
		return Config{}, err
	}
	p.top(top)
	if len(p.faults) > 0 {
		errs := make([]error, 0, len(p.faults))
		for _, f := range p.faults {
			errs = append(errs, f)
		}
		return Config{}, errors.Join(errs...)
	}
	return p.c, nil
}

// parser makes a Config of what was read.
type parser struct {
	reader
	folder string
	env    func(string) (string, bool)
	c      Config
	faults []*Error
}

// maxFaults is how many errors of a file are told.
const maxFaults = 10

func (p *parser) wrong(at int, format string, args ...any) {
	if len(p.faults) < maxFaults {
		p.faults = append(p.faults, p.fault(at, fmt.Sprintf(format, args...)))
	}
}

func (p *parser) warn(at int, format string, args ...any) {
	p.c.Warnings = append(p.c.Warnings, *p.fault(at, fmt.Sprintf(format, args...)))
}

// top looks for the servers.
func (p *parser) top(v value) {
	if v.kind != object {
		p.wrong(v.at, "the configuration is %s, and not an object", kinds[v.kind])
		return
	}
	servers, unknown := p.find(v)
	if servers == nil {
		p.wrong(v.at, "there is neither mcpServers nor servers")
		return
	}
	if len(unknown) > 0 {
		names := make([]string, 0, len(unknown))
		for _, m := range unknown {
			names = append(names, m.name)
		}
		p.warn(unknown[0].at, "not known here, and ignored: %s", strings.Join(names, ", "))
	}
	if servers.kind != object {
		p.wrong(servers.value.at, "%s is %s, and not an object", servers.name, kinds[servers.kind])
		return
	}
	for _, m := range servers.members {
		p.server(m)
	}
}

// find returns the object of the servers, and what else is there.
func (p *parser) find(v value) (servers *member, unknown []member) {
	for i, m := range v.members {
		switch m.name {
		case "mcpServers", "servers":
			if servers != nil {
				p.wrong(m.at, "both %s and %s are there", servers.name, m.name)
			}
			servers = &v.members[i]
		case "inputs", "$schema": // of VS Code; inputs are missed where they are used
		case "mcp": // of the settings of VS Code
			if found, _ := p.find(m.value); found != nil && servers == nil {
				servers = found
				continue
			}
			unknown = append(unknown, m)
		default:
			unknown = append(unknown, m)
		}
	}
	return servers, unknown
}

// server takes in one definition.
func (p *parser) server(m member) {
	if m.name == "" {
		p.wrong(m.at, "a server needs a name")
		return
	}
	if m.kind != object {
		p.wrong(m.value.at, "server %q is %s, and not an object", m.name, kinds[m.kind])
		return
	}
	line, _ := p.place(m.at)
	e := entry{p: p, s: Server{Name: m.name, Line: line}, at: m.at}
	before := len(p.faults)
	for _, f := range m.members {
		e.field(f)
	}
	if e.disabled { // what is wrong with it costs nobody anything
		p.faults = p.faults[:before]
		p.c.Disabled = append(p.c.Disabled, m.name)
		return
	}
	if len(p.faults) == before { // else it would be told twice
		e.check()
	}
	if len(p.faults) == before {
		slices.Sort(e.s.Env)
		p.c.Servers = append(p.c.Servers, e.s)
	}
}

// entry is a definition while it is read.
type entry struct {
	p                  *parser
	s                  Server
	at                 int
	command, url, kind *member
	disabled           bool
}

// field takes in one member of a definition.
func (e *entry) field(f member) {
	switch f.name {
	case "command":
		e.command = &f
		e.s.Command = e.text(f)
	case "args":
		e.s.Args = e.list(f)
	case "env":
		for name, v := range e.table(f) {
			e.s.Env = append(e.s.Env, name+"="+v)
		}
	case "cwd":
		if e.s.Dir = e.text(f); e.s.Dir != "" && !filepath.IsAbs(e.s.Dir) {
			e.s.Dir = filepath.Join(e.p.folder, e.s.Dir)
		}
	case "url", "serverUrl", "httpUrl": // the latter two of other clients
		if e.url != nil {
			e.p.wrong(f.at, "both %s and %s are there", e.url.name, f.name)
		}
		e.url = &f
		e.s.URL = e.text(f)
	case "headers":
		e.s.Header = e.table(f)
	case "type", "transport":
		e.kind = &f
	case "disabled":
		e.disabled = e.disabled || e.truth(f)
	case "enabled":
		e.disabled = e.disabled || !e.truth(f)
	default:
		e.p.warn(f.at, "server %q: %q is not known here, and ignored", e.s.Name, f.name)
	}
}

func (e *entry) wrong(f member, want string) {
	e.p.wrong(f.value.at, "server %q: %s is %s, and not %s", e.s.Name, f.name, kinds[f.kind], want)
}

// text returns the text of a member.
func (e *entry) text(f member) string {
	if f.kind != text {
		e.wrong(f, kinds[text])
		return ""
	}
	return e.expanded(f.value)
}

// expanded returns a text with its variables.
func (e *entry) expanded(v value) string {
	s, err := e.p.expand(v.text)
	switch {
	case err != nil:
		e.p.wrong(v.at, "server %q: %v", e.s.Name, err)
	case strings.ContainsRune(s, 0):
		e.p.wrong(v.at, "server %q: a text has a NUL", e.s.Name)
	}
	return s
}

func (e *entry) list(f member) (list []string) {
	if f.kind != array {
		e.wrong(f, "an array of texts")
		return nil
	}
	for _, v := range f.items {
		if v.kind != text && v.kind != number && v.kind != truth {
			e.p.wrong(v.at, "server %q: an element of %s is %s, and not a text", e.s.Name, f.name, kinds[v.kind])
			continue
		}
		list = append(list, e.expanded(v))
	}
	return list
}

func (e *entry) table(f member) map[string]string {
	if f.kind != object {
		e.wrong(f, "an object of texts")
		return nil
	}
	table := map[string]string{}
	for _, v := range f.members {
		switch {
		case v.kind == null:
			e.p.warn(v.at, "server %q: %s of %s is null, and ignored", e.s.Name, v.name, f.name)
		case v.kind != text && v.kind != number && v.kind != truth:
			e.p.wrong(v.value.at, "server %q: %s of %s is %s, and not a text", e.s.Name, v.name, f.name, kinds[v.kind])
		case f.name == "env" && (v.name == "" || strings.ContainsAny(v.name, "=\x00")):
			e.p.wrong(v.at, "server %q: %q is no name of a variable", e.s.Name, v.name)
		default:
			table[v.name] = e.expanded(v.value)
		}
	}
	return table
}

func (e *entry) truth(f member) bool {
	if f.kind != truth {
		e.wrong(f, "a boolean")
	}
	return f.text == "true"
}

// where returns the place of a member, that of the definition if it is not there.
func (e *entry) where(f *member) int { return cmp.Or(f, &member{at: e.at}).at }
