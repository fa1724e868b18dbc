package gateway

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// shortest is how long a text is at least that counts as a secret: shorter ones are words of errors.
const shortest = 6

// secretsOf returns what the definitions of servers have that is not to be shown, by server, as their
// endpoints say by a method Secrets, as those of client/dial do. The longest come first.
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

// hide returns a text without secrets. One that was cut may end with the beginning of one.
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

// Unwrap returns the error as it was.
func (h hidden) Unwrap() error { return h.error }

// maxText is how much of a text of others is shown.
const maxText = 200

// clean is a text of others for a line of ours.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, rawjson.Clip(text, maxText))
}
