package coverage

import (
	"fmt"
	"slices"
	"strings"
)

// Result is a row with the cases that prove it.
type Result struct {
	Row
	Cases []Case // its own, or those of the row it refers to
}

// State is the state of a row in a revision.
type State uint8

// The states of a row.
const (
	Absent    State = iota // the revision does not have the row
	Transport              // it requires nothing of the machines
	Open                   // it needs a feature that is not built yet
	Missing                // no case runs in the revision
	Covered                // a case does
)

// In returns the state of the row in a revision. A row about sessions of older revisions
// is proved by a case that runs in one of them.
func (r Result) In(revision string) State {
	proves := func(c Case) bool {
		return slices.ContainsFunc(c.Revisions, func(at string) bool { return at == revision || r.Below() && at < r.Since })
	}
	switch {
	case !r.Holds(revision):
		return Absent
	case r.TransportOnly():
		return Transport
	case slices.ContainsFunc(r.Cases, proves):
		return Covered
	case r.Open() != "":
		return Open
	}
	return Missing
}

// Lacks returns those of the given revisions in which the row is missing.
func (r Result) Lacks(revisions []string) (out []string) {
	for _, name := range revisions {
		if r.In(name) == Missing {
			out = append(out, name)
		}
	}
	return out
}

// Names returns the names of the cases.
func (r Result) Names() (out []string) {
	for _, c := range r.Cases {
		out = append(out, c.Name)
	}
	return out
}

// Check joins the catalogue and the cases. It fails for a case that names an unknown
// id.
func Check(rows []Row, cases map[string][]Case) ([]Result, error) {
	known := map[string]bool{}
	for _, r := range rows {
		known[r.ID] = true
	}
	var strays []string
	for id, list := range cases {
		if !known[id] {
			strays = append(strays, id+" in "+list[0].Name)
		}
	}
	if slices.Sort(strays); len(strays) > 0 {
		return nil, fmt.Errorf("no such row: %s", strings.Join(strays, ", "))
	}
	var out []Result
	for _, r := range rows {
		id := r.ID
		if see := r.See(); see != "" && len(cases[id]) == 0 {
			id = see
		}
		out = append(out, Result{r, cases[id]})
	}
	return out, nil
}
