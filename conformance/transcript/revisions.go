package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// Revisions reads a list of revisions, separated by spaces: the name of one, FIRST.. for
// it and all newer ones, ..LAST for it and all older ones, FIRST..LAST, or all. An open
// range includes all revisions with a handshake that the library supports
// in that direction; those without one must be named. They are returned newest first.
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

// Excuse says why a transcript does not run in revisions in which its rows hold.
type Excuse struct {
	Revisions []string // their names, including future revisions
	Reason    string   // the obstacle
}

// excuse reads the head line "not at REVISION…: REASON" and removes these revisions.
func (f *File) excuse(names, reason string) error {
	e := Excuse{strings.Fields(names), reason}
	if len(e.Revisions) == 0 || reason == "" {
		return fmt.Errorf("not at which revisions, and why: %q", names+": "+reason)
	}
	f.NotAt = append(f.NotAt, e)
	return nil
}

// runnable removes the revisions that the head excuses from those that it names.
func (f *File) runnable() error {
	for _, e := range f.NotAt {
		f.Revisions = slices.DeleteFunc(f.Revisions, func(r protocol.Revision) bool { return slices.Contains(e.Revisions, r.String()) })
	}
	if len(f.Revisions) == 0 {
		return fmt.Errorf("%s runs at no revision", f.Path)
	}
	return nil
}
