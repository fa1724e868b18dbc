package purity

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
)

// Rule names the rule that a Finding violates. The package documentation explains each.
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

// Finding is one violation of a rule.
type Finding struct {
	// Pos is the place. The file name is relative to the directory passed
	// to Check; line and column are 0 if the whole file or package is
	// meant.
	Pos token.Position
	// Rule is the violated rule.
	Rule Rule
	// Text says what was found.
	Text string
}

// String returns the finding on one line, as compilers write theirs.
func (f Finding) String() string { return fmt.Sprintf("%v: %s: %s", f.Pos, f.Rule, f.Text) }

// arrange sorts the findings by place and rule, and keeps one of those that
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
