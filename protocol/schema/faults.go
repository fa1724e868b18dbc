package schema

import (
	"slices"
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
	if f, ok := err.(Fault); !ok || v == "" || f.Keyword == KeywordSyntax || f.Keyword == KeywordLimit || f.Keyword == KeywordSchema {
		return []error{err}
	}
	all := &faults{root: s.rule()}
	e := evaluator{work: work{steps: allowed(s.size + len(value)), fault: &Fault{}}, text: new(text), all: all}
	if e.apply(all.root, v) == no && !e.dead {
		e.noteFault()
	}
	var list []error
	for i := 0; i < min(len(all.list), maxArgumentErrors); i++ {
		list = append(list, all.list[i])
	}
	if len(list) == 0 || e.dead {
		return []error{err}
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
	err := s.ValidateDecoded(raw)
	if err == nil {
		return nil
	}
	if all := s.explain(input, raw, err); all != nil {
		return all
	}
	return err
}

// explain is Explain for all the faults that there are.
func (s Schema) explain(input, value jsonrpc.Raw, err error) (all ArgumentErrors) {
	for _, one := range s.faults(value, err) {
		for _, e := range Explain(input, value, one) {
			told := slices.ContainsFunc(all, func(o *ArgumentError) bool { return o.Path == e.Path && o.Kind == e.Kind && o.Want == e.Want })
			if !told && len(all) < maxArgumentErrors {
				all = append(all, e)
			}
		}
	}
	return all
}

// absent returns the error for arguments that are absent where they have to be there.
func absent(input jsonrpc.Raw) error {
	if required, free := needs(string(input)); !free {
		return ArgumentErrors{{Kind: ArgumentNull, Want: "an object", Names: Hints(required)}}
	}
	return nil
}
