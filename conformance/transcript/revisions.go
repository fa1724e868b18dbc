package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// Revisions reads a list of revisions, separated by blanks: the name of one, FIRST.. for
// it and all newer ones, ..LAST for it and all older ones, FIRST..LAST, or all. A list that
// is open to one end takes in whatever revision with a handshake the library comes to speak
// there; those without one are named. They are returned newest first.
func Revisions(list string) ([]protocol.Revision, error) {
	known := protocol.AllRevisions()
	sessions := slices.IndexFunc(known, protocol.Revision.Handshake)
	index := func(name string, open int) (int, error) {
		if name == "" {
			return open, nil
		}
		i := slices.IndexFunc(known, func(r protocol.Revision) bool { return r.String() == name })
		if i < 0 {
			return 0, fmt.Errorf("unknown revision %q", name)
		}
		return i, nil
	}
	var out []protocol.Revision
	for _, part := range strings.Fields(list) {
		first, last, isRange := strings.Cut(part, "..")
		switch {
		case part == "all":
			first, last = "", ""
		case !isRange:
			last = first
		case first == "" && last == "":
			return nil, fmt.Errorf("%q names no revision: all is the word", part)
		}
		oldest, err := index(first, len(known)-1)
		if err != nil {
			return nil, err
		}
		newest, err := index(last, sessions)
		if err != nil {
			return nil, err
		}
		if newest > oldest {
			return nil, fmt.Errorf("%q ends before it begins", part)
		}
		out = append(out, known[newest:oldest+1]...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%q names no revision", list)
	}
	return protocol.SortRevisions(out), nil
}

// Excuse is why a transcript does not run at revisions in which its rows hold.
type Excuse struct {
	Revisions []string // their names, of revisions that are yet to come as well
	Reason    string   // what is in the way
}

// excuse reads the head line "not at REVISION…: REASON" and leaves these revisions out.
func (f *File) excuse(names, reason string) error {
	e := Excuse{strings.Fields(names), reason}
	if len(e.Revisions) == 0 || reason == "" {
		return fmt.Errorf("not at which revisions, and why: %q", names+": "+reason)
	}
	f.NotAt = append(f.NotAt, e)
	return nil
}

// runnable takes the revisions that the head excuses out of those that it names.
func (f *File) runnable() error {
	for _, e := range f.NotAt {
		f.Revisions = slices.DeleteFunc(f.Revisions, func(r protocol.Revision) bool { return slices.Contains(e.Revisions, r.String()) })
	}
	if len(f.Revisions) == 0 {
		return fmt.Errorf("%s runs at no revision", f.Path)
	}
	return nil
}
