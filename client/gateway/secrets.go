package gateway

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// shortest is the length in bytes from which a text counts as a secret: shorter ones are words of
// errors.
const shortest = 6

// secretsOf returns, by server, the texts in their definitions that must not be shown: what the
// method Secrets of their endpoints returns, such as those of client/dial. The longest come first.
func secretsOf(servers []relay.Server) map[string][]string {
	all := map[string][]string{}
	for _, s := range servers {
		endpoints := []any{s.Options.Endpoint}
		for _, f := range s.Options.Fallbacks {
			endpoints = append(endpoints, f.Endpoint)
		}
		var list []string
		for _, e := range endpoints {
			if of, ok := e.(interface{ Secrets() []string }); ok {
				list = append(list, of.Secrets()...)
			}
		}
		list = slices.DeleteFunc(list, func(text string) bool { return len(text) < shortest })
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
		all[s.Name] = slices.Compact(list)
	}
	return all
}

// hide returns text with its secrets replaced, also a secret that is cut at the end of the
// text.
func hide(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "•••")
	}
	end := strings.TrimRight(text, ".…")
	for _, s := range secrets {
		for n := len(s) - 1; n >= shortest; n-- {
			if strings.HasSuffix(end, s[:n]) {
				return end[:len(end)-n] + "•••"
			}
		}
	}
	return text
}

// hidden is an error whose text has no secrets.
type hidden struct {
	error
	text string
}

// Error implements error.
func (h hidden) Error() string { return h.text }

// Unwrap returns the original error.
func (h hidden) Unwrap() error { return h.error }

// maxText bounds a shown text from a peer, in bytes.
const maxText = 200

// clean returns a peer's text for one line of output: cut, without control characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, rawjson.Clip(text, maxText))
}
