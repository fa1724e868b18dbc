package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sansmcp/mcp/client/catalog"
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
	// Filter says which of its tools are offered.
	Filter catalog.Filter
	// Line is the one where the definition begins.
	Line int
}

// Definition returns what the connection is made from as a text: it is the same for two servers that
// are started or reached alike, wherever that is and whatever their Filter. It has the secrets of the
// definition.
func (s Server) Definition() string {
	s.Line, s.Filter = 0, catalog.Filter{}
	text, _ := json.Marshal(s) // it has nothing that cannot be written
	return string(text)
}

// Config is what a file says.
type Config struct {
	Servers  []Server  // in the order of the file, without those that are disabled or refused
	Disabled []string  // the names of those that are switched off
	Refused  []Refusal // those that something is wrong with, in the order of the file
	Warnings []Error
	Dialect  string // the one that the file was read as; "" if it is of none for sure
}

// Refusal is an entry that something is wrong with. It costs the others nothing.
type Refusal struct {
	Name   string
	Faults []Error // at least one, and not more than somebody reads
}

// Refuses reports whether the entries of a name are refused, and none of them is a server.
func (c Config) Refuses(name string) bool {
	return slices.ContainsFunc(c.Refused, func(r Refusal) bool { return r.Name == name }) &&
		!slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == name })
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

// Options say how a file is read.
type Options struct {
	// Folder is what ${workspaceFolder} stands for, and where relative commands and folders, and
	// servers without a folder, start from. Load takes that of the file.
	Folder string
	// Env looks variables up. Load takes those of the process by default.
	Env func(name string) (string, bool)
	// Input returns what somebody says for ${input:id}; false if nobody can be asked. nil is nobody.
	Input func(Input) (string, bool)
	// Dialect is one of Dialects, or "" to find it out.
	Dialect string
}

// Input is what VS Code asks its user for.
type Input struct {
	ID          string
	Description string
	Default     string   // offered to the user, and never taken without asking
	Choices     []string // nil for any text
	Secret      bool
}

// maxFile is how large a file may be, in bytes.
const maxFile = 4 << 20

// Load reads a file, with the environment of the process. Errors: *Error, if nothing of the file can
// be used.
func Load(path string, opt Options) (Config, error) {
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
	opt.Folder, err = filepath.Abs(filepath.Dir(path))
	if err != nil {
		return wrong(err)
	}
	switch filepath.Base(opt.Folder) { // where clients keep the files of a folder
	case ".vscode", ".cursor", ".gemini", ".roo", ".zed", ".kiro":
		opt.Folder = filepath.Dir(opt.Folder)
	}
	if opt.Env == nil {
		opt.Env = os.LookupEnv
	}
	return Parse(path, data, opt)
}

// Parse reads the text of a file, whose name is for errors. Errors: as Load.
func Parse(file string, data []byte, opt Options) (Config, error) {
	p := &parser{reader: reader{file: file, data: data}, opt: opt, inputs: map[string]Input{}, names: map[string]bool{}}
	if opt.Dialect != "" && dialectOf(opt.Dialect) == nil {
		return Config{}, &Error{File: file, Text: fmt.Sprintf("no dialect %q", opt.Dialect)}
	}
	if p.opt.Env == nil {
		p.opt.Env = func(string) (string, bool) { return "", false }
	}
	top, err := p.read()
	if err != nil {
		return Config{}, err
	}
	if err := p.top(top); err != nil {
		return Config{}, err
	}
	return p.c, nil
}
