package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// link is an event of the connection that reads a stream: "cut stream 2" or "read
// stream 2".
type link struct {
	cut    bool // it breaks; otherwise a slow peer reads what is there
	stream uint64
}

// isLink reports whether a line is an input about a connection.
func isLink(line string) bool {
	_, err := parseLink(line)
	return err == nil
}

func parseLink(line string) (link, error) {
	verb, rest, _ := strings.Cut(line, " stream ")
	n, err := strconv.ParseUint(rest, 10, 64)
	if verb != "cut" && verb != "read" {
		err = fmt.Errorf("no such line: %q", line)
	}
	return link{verb == "cut", n}, err
}

// primed reports whether a line is the event that primes a stream, which only some revisions
// have.
func primed(line string) bool {
	return strings.HasPrefix(line, "[stream ") && strings.HasSuffix(line, " prime")
}

// versionWord is in the requests of a client if the revision has the header.
const versionWord = " version=${revision}"

// Wanted returns the expected lines of a step in a revision. In the HTTP form it omits
// the events that prime a stream if the revision has none, and the version in requests if
// the revision has no header for it.
func (f *File) Wanted(s Step, r protocol.Revision) (want []string) {
	if !f.HTTP {
		return s.Want
	}
	for _, line := range s.Want {
		switch {
		case f.Role == protocol.Client && !r.VersionHeader():
			line = strings.Replace(line, versionWord, "", 1)
		case f.Role == protocol.Server && !r.Polling() && primed(line):
			continue
		}
		want = append(want, line)
	}
	return want
}

// reachable are the application's verbs that a server with a socket has.
var reachable = []string{"shutdown", "notify", "hangup"}

// socketable returns an error for a script that needs more than a socket, a clock and the
// fixture.
func (f *File) socketable() error {
	if f.Role != protocol.Server {
		return errors.New("only servers run the fixture")
	}
	for i, s := range f.Steps {
		if strings.HasPrefix(s.Input, "GET slow") || strings.HasPrefix(s.Input, "read ") {
			return fmt.Errorf("step %d, %s: no client reads when it is told to", i+1, s.Input)
		}
		if word, _, _ := strings.Cut(strings.TrimPrefix(s.Input, "app "), " "); strings.HasPrefix(s.Input, "app ") && !slices.Contains(reachable, word) {
			return fmt.Errorf("step %d, %s: only the site is within reach", i+1, s.Input)
		}
	}
	return nil
}

// Waits reports whether the script lets time pass.
func (f *File) Waits() bool {
	for _, s := range f.Steps {
		if strings.HasPrefix(s.Input, "@ ") {
			return true
		}
	}
	return false
}
