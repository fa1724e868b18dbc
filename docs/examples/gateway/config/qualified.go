package config

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
)

// qualified returns what rules mean that name tools as clients show them, with their server: as
// mcp__server__tool, server__tool, @server/tool or server/tool, or with the server alone.
func qualified(server string, rules []catalog.Rule) (more []catalog.Rule) {
	add := func(name string) {
		same := func(r catalog.Rule) bool { return r.Name == name }
		if !slices.ContainsFunc(rules, same) && !slices.ContainsFunc(more, same) {
			more = append(more, catalog.Rule{Kind: protocol.ToolList, Name: name})
		}
	}
	for _, n := range []string{server, opencodeName(server)} {
		for _, r := range rules {
			if r.Name == "mcp__"+n || r.Name == "@"+n {
				add("*")
			}
			for _, prefix := range []string{"mcp__" + n + "__", n + "__", "@" + n + "/", n + "/"} {
				for _, left := range remainders(r.Name, prefix) {
					add(left)
				}
			}
		}
	}
	return more
}

// opencodeName is the name of a server in the names of its tools.
func opencodeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// remainders returns the patterns that are left of a pattern with * and ? where its beginning matches
// a text.
func remainders(pattern, text string) (left []string) {
	at := map[int]bool{0: true}
	skip := func() {
		for i := 0; i < len(pattern); i++ {
			if at[i] && pattern[i] == '*' {
				at[i+1] = true
			}
		}
	}
	skip()
	for i := range len(text) {
		next := map[int]bool{}
		for j := range at {
			switch {
			case j == len(pattern):
			case pattern[j] == '*':
				next[j] = true
			case pattern[j] == '?' || pattern[j] == text[i]:
				next[j+1] = true
			}
		}
		at = next
		skip()
	}
	for j := range len(pattern) {
		if at[j] {
			left = append(left, pattern[j:])
		}
	}
	return left
}
