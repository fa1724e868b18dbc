package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance"
	"github.com/sansmcp/mcp/protocol"
)

// File is a parsed transcript.
type File struct {
	Path      string              // its place
	Head      []string            // the head as written
	Rows      []string            // the requirement rows that it proves
	Role      protocol.Party      // of the machine under test
	Config    []string            // its options
	Ready     bool                // it starts after a handshake
	Peer      string              // the capabilities of the peer in it
	Revisions []protocol.Revision // the revisions in which it runs
	NotAt     []Excuse            // revisions of its rows in which it does not run
	HTTP      bool                // the peer speaks HTTP, not a stream of messages
	Site      Site                // the configuration of the server
	Exchange  exchange.Options    // the configuration of a client
	Exact     bool                // requests of a client are shown with all their headers
	Bare      bool                // it shows the additions of a revision without a session
	Wire      bool                // it can run over a real transport of messages
	Socket    bool                // it can run over a real server of Streamable HTTP
	Steps     []Step              // the script
}

// Step is one input with its expected effects.
type Step struct {
	Comment []string // lines above it
	Input   string   // the line as written
	Want    []string // the expected lines
}

// All returns the transcripts of this module, which are embedded in the program. Their paths
// are not writable.
func All() ([]*File, error) {
	paths, err := fs.Glob(conformance.Transcripts, "testdata/*/*.txt")
	if err != nil {
		return nil, err
	}
	var files []*File
	for _, path := range paths {
		text, err := conformance.Transcripts.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := ParseText(path, text)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Parse reads a transcript.
func Parse(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseText(path, text)
}

// ParseText reads the text of a transcript with the path.
func ParseText(path string, text []byte) (*File, error) {
	f := &File{Path: path, Revisions: protocol.Revisions(), Peer: "{}"}
	f.Site, _ = site(nil)
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 16<<20)
	var comment []string
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		switch {
		case line == "":
			if len(f.Steps) > 0 || f.Role != 0 {
				comment = append(comment, line)
			}
		case line[0] == '#' && len(f.Steps) == 0 && !f.done(comment):
			f.Head = append(f.Head, line)
			if err := f.head(strings.TrimSpace(line[1:])); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
		case line[0] == '#':
			comment = append(comment, line)
		case f.isInput(line):
			f.Steps = append(f.Steps, Step{Comment: comment, Input: line})
			comment = nil
		case len(f.Steps) == 0:
			return nil, fmt.Errorf("%s:%d: %q comes before any input", path, n, line)
		default:
			s := &f.Steps[len(f.Steps)-1]
			s.Want = append(s.Want, line)
		}
	}
	if f.Role == 0 {
		return nil, fmt.Errorf("%s: the head names no role", path)
	}
	if err := f.runnable(); err != nil {
		return nil, err
	}
	if f.HTTP {
		f.Wire, f.Socket = false, f.Wire
	}
	if err := f.wireable(); f.Wire && err != nil {
		return nil, fmt.Errorf("%s is marked wire: %w", path, err)
	}
	if err := f.socketable(); f.Socket && err != nil {
		return nil, fmt.Errorf("%s is marked wire: %w", path, err)
	}
	return f, in.Err()
}

// wireable returns an error for a script that needs more than a stream and the fixture.
func (f *File) wireable() error {
	switch {
	case f.Role != protocol.Server:
		return errors.New("only servers run the fixture")
	case f.Bare:
		return errors.New("what is bare is run in memory")
	}
	for i, s := range f.Steps {
		if !strings.HasPrefix(s.Input, "> ") || strings.HasPrefix(s.Input, "> message ") {
			return fmt.Errorf("step %d, %s: no line of the peer", i+1, s.Input)
		}
		for _, line := range s.Want {
			if strings.HasPrefix(line, "close ") {
				return fmt.Errorf("step %d, %s: it closes", i+1, s.Input)
			}
		}
	}
	return nil
}

// done reports whether the head has ended, with a blank line after it.
func (f *File) done(comment []string) bool { return len(comment) > 0 }

// isInput reports whether a line is an input of the script.
func (f *File) isInput(line string) bool {
	kind, _, more := strings.Cut(line, " ")
	switch {
	case more && (kind == "@" || kind == "clock" || kind == "app"):
		return true
	case f.HTTP && f.Role == protocol.Client:
		return isAnswer(line)
	case f.HTTP:
		return isRequest(line) || isLink(line)
	}
	return more && kind == ">"
}

func (f *File) head(line string) error {
	key, val, ok := strings.Cut(line, ":")
	if !ok {
		f.Wire, f.Bare = f.Wire || line == "wire", f.Bare || line == "bare"
		return nil
	}
	val = strings.TrimSpace(val)
	switch key {
	case "rows":
		f.Rows = append(f.Rows, strings.Fields(val)...)
	case "role":
		switch val {
		case "server":
			f.Role = protocol.Server
		case "client":
			f.Role = protocol.Client
		default:
			return fmt.Errorf("unknown role %q", val)
		}
	case "config":
		options, err := words(val)
		if err != nil {
			return fmt.Errorf("config: %w", err)
		}
		f.Config = append(f.Config, options...)
	case "start":
		if f.Ready = val == "ready"; !f.Ready && val != "fresh" {
			return fmt.Errorf("unknown start %q", val)
		}
	case "peer":
		f.Peer = val
	case "transport":
		if f.HTTP = val == "http"; !f.HTTP && val != "stream" {
			return fmt.Errorf("unknown transport %q", val)
		}
	case "http":
		list, err := words(val)
		if err == nil {
			err = f.settings(list)
		}
		return err
	case "revisions":
		list, err := Revisions(val)
		f.Revisions = list
		return err
	default:
		if names, ok := strings.CutPrefix(key, "not at"); ok {
			return f.excuse(names, val)
		}
	}
	return nil
}

// Write writes the transcript back.
func (f *File) Write() error { return os.WriteFile(f.Path, f.Text(), 0o644) }

// Text returns the transcript as it is written.
func (f *File) Text() []byte {
	var b bytes.Buffer
	for _, line := range f.Head {
		b.WriteString(line + "\n")
	}
	for _, s := range f.Steps {
		for _, line := range s.Comment {
			b.WriteString(line + "\n")
		}
		b.WriteString(s.Input + "\n")
		for _, line := range s.Want {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}

// Bytes returns what the peer sends in the step; nothing for other kinds of steps.
func (s Step) Bytes() ([]byte, error) {
	if !strings.HasPrefix(s.Input, "> ") {
		return nil, nil
	}
	return input(s.Input)
}

// input returns the bytes of a peer line.
func input(line string) ([]byte, error) {
	text := strings.TrimPrefix(line, "> ")
	if message, ok := strings.CutPrefix(text, "message "); ok {
		s, err := strconv.Unquote(message)
		return []byte(s), err
	}
	if quoted, ok := strings.CutPrefix(text, "quoted "); ok {
		s, err := strconv.Unquote(quoted)
		return []byte(s), err
	}
	if count, ok := strings.CutPrefix(text, "repeat "); ok {
		// repeat N BEFORE|PART|AFTER
		n, rest, _ := strings.Cut(count, " ")
		times, err := strconv.Atoi(n)
		part := strings.Split(rest, "|")
		if err != nil || len(part) != 3 {
			return nil, fmt.Errorf("repeat needs a number and three parts: %q", line)
		}
		return []byte(part[0] + strings.Repeat(part[1], times) + part[2] + "\n"), nil
	}
	return []byte(text + "\n"), nil
}
