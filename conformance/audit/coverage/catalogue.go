package coverage

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Revisions are the revisions in the catalogue, oldest first.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Complete are the revisions in which every row must have a case.
var Complete = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Default is the revision of a Go test that does not name one.
const Default = "2025-06-18"

// Row is a row of the catalogue.
type Row struct {
	ID    string // never renamed
	Area  string // the page or topic
	Role  string // the side that must comply
	Level string // MUST, SHOULD, MAY, SCHEMA or IMPLIED
	Text  string // what is required, in our words
	Test  string // how to test it
	Since string // the first revision with the row, "" for the oldest
	Until string // the last one, "" for the newest
	Note  string // see the package comment
}

// TransportOnly reports whether the row requires nothing of the machines.
func (r Row) TransportOnly() bool { return strings.HasPrefix(r.Test, "transport only") }

// Open returns the missing feature that the row depends on, or "".
func (r Row) Open() string { return r.note("open") }

// Below reports whether the row is about sessions of older revisions than its own.
func (r Row) Below() bool { return slices.Contains(r.notes(), "below") }

func (r Row) notes() []string { return strings.Split(r.Note, "; ") }

// note returns the text of the note with that key, or "".
func (r Row) note(key string) string {
	for _, n := range r.notes() {
		if text, ok := strings.CutPrefix(n, key+": "); ok {
			return text
		}
	}
	return ""
}

// See returns the row that also proves this one, or "".
func (r Row) See() string {
	if id, ok := strings.CutPrefix(r.Test, "see "); ok && rowID.MatchString(id) {
		return rowID.FindString(id)
	}
	return ""
}

// Holds reports whether the revision has the row.
func (r Row) Holds(revision string) bool {
	return (r.Since == "" || r.Since <= revision) && (r.Until == "" || revision <= r.Until)
}

// Range returns the revisions of the row as text.
func (r Row) Range() string {
	switch {
	case r.Since == "" && r.Until == "":
		return "all"
	case r.Since == r.Until:
		return r.Since
	}
	return r.Since + ".." + r.Until
}

var (
	rowID   = regexp.MustCompile(`^[A-Z]+-[0-9]{3}`)
	oneNote = regexp.MustCompile(`^(|below|open: [-a-zA-Z0-9 ]+|(replaced|extended): [A-Z]+-[0-9]{3}( [A-Z]+-[0-9]{3})*)$`)
)

// Read reads a catalogue, which has a head line.
func Read(path string) ([]Row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		cells := strings.Split(in.Text(), "\t")
		if len(cells) != 9 {
			return nil, fmt.Errorf("%s:%d: %d cells", path, n, len(cells))
		}
		if n == 1 {
			continue
		}
		rows = append(rows, Row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]})
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if err := sound(rows); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// sound returns an error for a row that contradicts itself or names an unknown one.
func sound(rows []Row) error {
	byID := map[string]Row{}
	for _, r := range rows {
		if _, twice := byID[r.ID]; twice {
			return fmt.Errorf("%s is there twice", r.ID)
		}
		byID[r.ID] = r
	}
	for _, r := range rows {
		_, seen := byID[r.See()]
		known := func(name string) bool { return name == "" || slices.Contains(Revisions, name) }
		switch {
		case !rowID.MatchString(r.ID) || rowID.FindString(r.ID) != r.ID:
			return fmt.Errorf("%q is no row id", r.ID)
		case !known(r.Since) || !known(r.Until):
			return fmt.Errorf("%s holds from %q to %q", r.ID, r.Since, r.Until)
		case r.Since != "" && r.Until != "" && r.Until < r.Since:
			return fmt.Errorf("%s ends before it begins", r.ID)
		case slices.ContainsFunc(r.notes(), func(n string) bool { return !oneNote.MatchString(n) }), strings.HasSuffix(r.Note, "; "):
			return fmt.Errorf("%s: no such note: %q", r.ID, r.Note)
		case r.Below() && r.Since == "":
			return fmt.Errorf("%s: nothing is older", r.ID)
		case r.See() != "" && !seen:
			return fmt.Errorf("%s refers to %s, which is not there", r.ID, r.See())
		case (r.note("replaced") != "") != (r.Until != ""):
			return fmt.Errorf("%s: a row ends where others replace it", r.ID)
		}
		for _, key := range []string{"replaced", "extended"} {
			for _, id := range strings.Fields(r.note(key)) {
				if other, ok := byID[id]; !ok || other.Since <= r.Since || key == "replaced" && other.Since <= r.Until {
					return fmt.Errorf("%s: %s is no newer row", r.ID, id)
				}
			}
		}
	}
	return nil
}
