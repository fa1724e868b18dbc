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
	// Filter selects its tools.
	Filter catalog.Filter
	// Line is the line where the definition begins.
	Line int
}

// Definition returns what the connection is made from as a text: it is the same for two servers that
// are started or reached in the same way, wherever they are defined and whatever their Filter. It
// contains the secrets of the definition.
func (s Server) Definition() string {
	s.Line, s.Filter = 0, catalog.Filter{}
	text, _ := json.Marshal(s) // cannot fail: every field can be written
	return string(text)
}

// Config is the content of a file.
type Config struct {
	Servers  []Server  // in the order of the file, without those that are disabled or refused
	Disabled []string  // the names of servers that are switched off
	Refused  []Refusal // entries with faults, in the order of the file
	Warnings []Error
	Dialect  string // the one that the file was read as; "" if it is not certain
}

// Refusal is an entry with faults. It does not affect the others.
type Refusal struct {
	Name   string
	Faults []Error // at least one, at most maxFaults
}

// Refuses reports whether the entries with a name are refused, and none of them is a server.
func (c Config) Refuses(name string) bool {
	return slices.ContainsFunc(c.Refused, func(r Refusal) bool { return r.Name == name }) &&
		!slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == name })
}

// Error is what is wrong with a file, and where.
type Error struct {
	File   string
	Line   int // from 1, like Column, which counts characters; 0 for the whole file
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
	// Folder is the value of ${workspaceFolder}, and the start of relative commands and folders,
	// and of servers without a folder. Load uses the folder of the file.
	Folder string
	// Env looks up variables. Load uses those of the process by default.
	Env func(name string) (string, bool)
	// Input returns the user's value for ${input:id}; false if there is no user to ask. nil means no
	// user.
	Input func(Input) (string, bool)
	// Dialect is one of Dialects, or "" to find it out.
	Dialect string
}

// Input is a value that VS Code asks its user for.
type Input struct {
	ID          string
	Description string
	Default     string   // offered to the user, and never used without asking
	Choices     []string // nil for any text
	Secret      bool
}

// maxFile is how large a file may be, in bytes.
const maxFile = 4 << 20

// Load reads a file, with the environment of the process. Errors: *Error, if nothing in the file can
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
