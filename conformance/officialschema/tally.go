package officialschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Tally counts what was checked. Each goroutine has its own; Add sums them up.
type Tally struct {
	// NullIDs counts the errors with the id null.
	NullIDs int

	books map[protocol.Revision]*Book
	lines map[protocol.Revision]int
	seen  map[sight]int // what lines were checked against
	parts map[sight]int // the parts found in them, without a party
}

// sight is a definition of a revision, in a line of a party.
type sight struct {
	revision protocol.Revision
	party    lifecycle.Party
	name     string
}

// NewTally returns an empty Tally.
func NewTally(books map[protocol.Revision]*Book) *Tally {
	return &Tally{books: books, lines: map[protocol.Revision]int{}, seen: map[sight]int{}, parts: map[sight]int{}}
}

// often is how many lines of a definition are searched for parts.
const often = 1000

func (t *Tally) count(r protocol.Revision, party lifecycle.Party, names []string, m map[string]any) {
	t.lines[r]++
	for _, name := range names {
		key := sight{r, party, name}
		if t.seen[key]++; t.seen[key] < often {
			part := any(m)
			if strings.HasSuffix(name, "Result") {
				part = m["result"]
			}
			t.walk(r, t.books[r].defs[name], part)
		}
	}
}

// walk records the definitions of the parts of v, which is valid.
func (t *Tally) walk(r protocol.Revision, s *jsonschema.Schema, v any) {
	if name := nameOf(s); name != "" {
		t.parts[sight{revision: r, name: name}]++
	}
	if s.Ref != nil {
		t.walk(r, s.Ref, v)
	}
	for _, s := range slices.Concat(s.AllOf, s.AnyOf) {
		if s.Validate(v) == nil {
			t.walk(r, s, v)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		rest := schemaOf(s.AdditionalProperties)
		for key, val := range v {
			if p := s.Properties[key]; p != nil {
				t.walk(r, p, val)
			} else if rest != nil {
				t.walk(r, rest, val)
			}
		}
	case []any:
		if items := itemsOf(s); items != nil {
			for _, val := range v {
				t.walk(r, items, val)
			}
		}
	}
}

// Add adds the counts of u.
func (t *Tally) Add(u *Tally) {
	t.NullIDs += u.NullIDs
	for r, n := range u.lines {
		t.lines[r] += n
	}
	for key, n := range u.seen {
		t.seen[key] += n
	}
	for key, n := range u.parts {
		t.parts[key] += n
	}
}

// Lines returns how many lines were checked.
func (t *Tally) Lines() (n int) {
	for _, lines := range t.lines {
		n += lines
	}
	return n
}

// Missing returns what a State can emit and did not: the messages of each party by
// definition, the envelopes, and the definitions of their parts.
func (t *Tally) Missing() (list []string) {
	for _, r := range protocol.Revisions() {
		b := t.books[r]
		for _, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
			for _, name := range b.messages(party) {
				if t.seen[sight{r, party, name}] == 0 {
					list = append(list, fmt.Sprintf("%v: %s of a %v", r, name, party))
				}
			}
		}
		for name := range b.reachable() {
			if t.parts[sight{revision: r, name: name}] == 0 {
				list = append(list, fmt.Sprintf("%v: %s", r, name))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// String returns the counts, by revision, definition and sender.
func (t *Tally) String() string {
	var text strings.Builder
	for _, r := range protocol.Revisions() {
		fmt.Fprintf(&text, "%v: %d lines\n", r, t.lines[r])
		names := map[string]bool{}
		for key := range t.seen {
			names[key.name] = names[key.name] || key.revision == r
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if names[name] {
				fmt.Fprintf(&text, "  %-34s client %8d  server %8d\n", name, t.seen[sight{r, lifecycle.Client, name}], t.seen[sight{r, lifecycle.Server, name}])
			}
		}
	}
	return text.String()
}
