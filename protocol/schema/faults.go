package schema

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// faults are all faults of a value, at most maxArgumentErrors.
type faults struct {
	root *rule
	list []Fault
}

func (f *faults) count() int {
	if f == nil {
		return 0
	}
	return len(f.list)
}

// goesOn notes the fault of a member or an element, and reports whether to check its neighbors
// too: if all faults are wanted and no open branch could undo the fault.
// It restores the lengths of the path and the list.
func (e *evaluator) goesOn(path, list int) bool {
	if e.all == nil || e.quiet > 0 || e.dead {
		return false
	}
	e.noteFault()
	e.back(path)
	e.drop(list)
	return len(e.all.list) < maxArgumentErrors
}

// noteFault notes the last fault, unless it was noted before.
func (e *evaluator) noteFault() {
	f := *e.fault
	if f.Keyword == "" {
		return // the failing part has noted all its faults
	}
	f.SchemaPath = locate(e.all.root, e.failed, f.Keyword)
	e.all.list = append(e.all.list, f)
	*e.fault, e.failed = Fault{}, nil
}

// faults returns the faults of a value for which evaluate returned the error: those of
// neighboring members and elements, the first of each.
func (s Schema) faults(value jsonrpc.Raw, err error) []error {
	v := strings.Trim(string(value), space)
	if f := (Fault{}); !errors.As(err, &f) || v == "" || f.Keyword == KeywordSyntax || f.Keyword == KeywordLimit || f.Keyword == KeywordSchema {
		return []error{err}
	}
	all := faults{root: s.rule()}
	if _, first := evaluate(allowed(s.size+len(value)), all.root, v, &all); first == nil || len(all.list) == 0 {
		return []error{err}
	}
	return all.errors()
}

// errors returns the faults, at most as many as ArgumentErrors may have.
func (f *faults) errors() []error {
	list := make([]error, 0, len(f.list))
	for _, one := range f.list[:min(len(f.list), maxArgumentErrors)] {
		list = append(list, one)
	}
	return list
}

// CheckArguments is like the function CheckArguments for this schema, whose text is input, and for
// arguments from a message that jsonrpc.Decode has decoded. Absent arguments count as {}. It returns
// nil or ArgumentErrors.
func (s Schema) CheckArguments(input, raw jsonrpc.Raw) error {
	if raw = jsonrpc.Raw(strings.Trim(string(raw), space)); raw == "" || raw == "null" {
		raw = "{}" // TOOL-013
	}
	if raw[0] != '{' { // ValidateDecoded reports it
		return explained(input, raw, s.faults(raw, s.ValidateDecoded(raw)))
	}
	all := faults{root: s.rule()}
	_, err := evaluate(allowed(s.size+len(raw)), all.root, string(raw), &all)
	switch {
	case err == nil:
		return nil
	case len(all.list) == 0:
		return explained(input, raw, []error{err})
	}
	return explained(input, raw, all.errors())
}

// explained returns ArgumentErrors for faults, or the first fault.
func explained(input, value jsonrpc.Raw, list []error) error {
	if all := explain(input, value, list); all != nil {
		return all
	}
	return list[0]
}

// explain is Explain for several faults.
func explain(input, value jsonrpc.Raw, faults []error) (all ArgumentErrors) {
	for _, one := range faults {
		if len(all) == maxArgumentErrors { // explaining another one would read the value again
			return all
		}
		for _, e := range Explain(input, value, one) {
			if !all.has(e) && len(all) < maxArgumentErrors {
				all = append(all, e)
			}
		}
	}
	return all
}
