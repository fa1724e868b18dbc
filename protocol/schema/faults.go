package schema

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// faults are those of a value that was looked at as a whole, the first maxArgumentErrors.
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

// goesOn notes the fault of a member or an element, and reports whether its neighbours are looked
// at as well: if all faults are asked for and no branch is open that could make the fault good.
// The path and the list are as long again as they were.
func (e *evaluator) goesOn(path, list int) bool {
	if e.all == nil || e.quiet > 0 || e.dead {
		return false
	}
	e.noteFault()
	e.back(path)
	e.drop(list)
	return len(e.all.list) < maxArgumentErrors
}

// noteFault notes the fault that was found last, each once.
func (e *evaluator) noteFault() {
	f := *e.fault
	if f.Keyword == "" {
		return // what failed has noted all that is wrong in it
	}
	f.SchemaPath = locate(e.all.root, e.failed, f.Keyword)
	e.all.list = append(e.all.list, f)
	*e.fault, e.failed = Fault{}, nil
}

// faults returns what is wrong with a value for which evaluate returns the error: the faults of
// members and elements beside each other, the first of each.
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

// errors returns the faults, as many as arguments have at most.
func (f *faults) errors() []error {
	list := make([]error, 0, len(f.list))
	for _, one := range f.list[:min(len(f.list), maxArgumentErrors)] {
		list = append(list, one)
	}
	return list
}

// CheckArguments is the function CheckArguments for this schema, whose text is input, and for the
// arguments of a message that jsonrpc.Decode has decoded, where absent ones count as {}. It returns
// nil or ArgumentErrors.
func (s Schema) CheckArguments(input, raw jsonrpc.Raw) error {
	if raw = jsonrpc.Raw(strings.Trim(string(raw), space)); raw == "" || raw == "null" {
		raw = "{}" // TOOL-013
	}
	if raw[0] != '{' { // ValidateDecoded says why
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

// explained returns ArgumentErrors for faults, or else the first fault.
func explained(input, value jsonrpc.Raw, list []error) error {
	if all := explain(input, value, list); all != nil {
		return all
	}
	return list[0]
}

// explain is Explain for several faults.
func explain(input, value jsonrpc.Raw, faults []error) (all ArgumentErrors) {
	for _, one := range faults {
		if len(all) == maxArgumentErrors { // to explain one more would read the value once more
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
