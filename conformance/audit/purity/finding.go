package purity

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
)

// Rule names what a Finding breaks. The package documentation explains each.
type Rule string

// The rules.
const (
	RuleGo        Rule = "go"
	RuleChan      Rule = "chan"
	RuleSelect    Rule = "select"
	RuleAmbient   Rule = "ambient"
	RuleImport    Rule = "import"
	RuleMapOrder  Rule = "maporder"
	RuleGlobal    Rule = "global"
	RuleArrow     Rule = "arrow"
	RuleOrder     Rule = "order"
	RuleBuild     Rule = "build"
	RuleDirective Rule = "directive"
	RuleLoad      Rule = "load"
	RuleRules     Rule = "rules"
)

// Finding is one place where a rule is broken.
type Finding struct {
	// Pos says where. The file name is relative to the directory that was
	// given to Check; line and column are 0 if the whole file or package is
	// meant.
	Pos token.Position
	// Rule says which rule.
	Rule Rule
	// Text says what was found.
	Text string
}

// String returns the finding on one line, as compilers write theirs.
func (f Finding) String() string { return fmt.Sprintf("%v: %s: %s", f.Pos, f.Rule, f.Text) }

// arrange sorts the findings by place and rule, and leaves one of those that
// have both in common.
func arrange(fs []Finding) []Finding {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
		)
	})
	return slices.CompactFunc(fs, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Pos.Line > 0 && a.Pos.Line == b.Pos.Line && a.Pos.Filename == b.Pos.Filename
	})
}
