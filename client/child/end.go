package child

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// EndError describes the unexpected end of a server. It is io.EOF for errors.Is, and so are Exit
// and Err.
type EndError struct {
	Early  bool   // before its first message, which the handshake waits for
	Exited bool   // the process of a Child has, as Exit says, which is nil for the status 0
	Exit   error  // an *exec.ExitError as a rule
	Stderr string // the last line on standard error, cut to 200 bytes
	Output string // the first line on its output that was not a message, cut to 200 bytes
	Err    error  // the error of writing, or nil
}

// Error returns the error text. What the server wrote is quoted.
func (e *EndError) Error() string {
	s := "child: server closed its output"
	switch exit := (*exec.ExitError)(nil); {
	case e.Exited && e.Exit == nil:
		s = "child: server exited (status 0)"
	case e.Exited && errors.As(e.Exit, &exit) && exit.Exited():
		s = "child: server exited (status " + strconv.Itoa(exit.ExitCode()) + ")"
	case e.Exited:
		s = "child: server exited (" + e.Exit.Error() + ")"
	}
	if e.Early {
		s += " before the handshake"
	}
	if e.Stderr != "" && (e.Early || e.Exit != nil) {
		s += "; its last line on standard error: " + strconv.Quote(e.Stderr)
	}
	if e.Output != "" {
		s += "; it wrote a line that is not a message: " + strconv.Quote(e.Output)
	}
	if e.Err != nil && !e.Exited {
		s += "; it cannot be written to: " + e.Err.Error()
	}
	return s
}

// Unwrap returns io.EOF, Exit and Err.
func (e *EndError) Unwrap() []error {
	list := []error{io.EOF}
	for _, err := range []error{e.Exit, e.Err} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// mostSaid bounds what is kept of a line of a server, in bytes.
const mostSaid = 200

// lastLine keeps the last line that is not blank of what is written to it, and passes it on.
type lastLine struct {
	to io.Writer // nil: nobody

	mu   sync.Mutex
	open []byte // the line that has no end yet, a byte more than is kept of it at most
	last []byte // the one before
}

// Write implements io.Writer.
func (l *lastLine) Write(b []byte) (int, error) {
	l.note(b)
	if l.to == nil {
		return len(b), nil
	}
	return l.to.Write(b)
}

func (l *lastLine) note(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		part, rest, whole := bytes.Cut(b, []byte{'\n'})
		l.open = append(l.open, part[:min(len(part), mostSaid+1-len(l.open))]...)
		if !whole {
			return
		}
		if len(bytes.TrimSpace(l.open)) > 0 {
			l.last, l.open = l.open, l.last
		}
		l.open, b = l.open[:0], rest
	}
}

// text returns the line, cut.
func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.open
	if len(bytes.TrimSpace(line)) == 0 {
		line = l.last
	}
	return rawjson.Clip(string(bytes.TrimSpace(line)), mostSaid)
}

// hears sets what takes the standard error of a server: cmd.Stderr, with its last line kept. A file
// of this process is left as it is. Of a server that nobody listens to there is a pipe: its two ends
// are returned, or nil.
func (l *lastLine) hears(cmd *exec.Cmd) (log, theirs *os.File, err error) {
	switch to := cmd.Stderr.(type) {
	case nil:
		if log, theirs, err = os.Pipe(); err != nil {
			return nil, nil, err
		}
		cmd.Stderr = theirs
	case *os.File:
	default:
		l.to = to
		cmd.Stderr = l
	}
	return log, theirs, nil
}
