package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/authz"
)

// What must make no difference makes none: members that nobody knows, and the letter case of scheme and host of
// the server's url.
//
// rows: AUTH-021
// revisions: all 2026-07-28
func TestSame(t *testing.T) {
	for name, twist := range map[string]func(*drawing){
		"members": func(d *drawing) {
			for _, at := range []authz.Place{authz.Described, authz.Metadata, authz.Authorize, authz.Register, authz.Tokens} {
				d.w.Lies = append(d.w.Lies, &authz.Lie{Name: "more", At: at, Change: map[string]any{"x_more": "<x>", "x_more#de": "y"}})
			}
		},
		"case": func(d *drawing) {
			host := len(authz.Origin(d.server))
			d.server = strings.ToUpper(d.server[:host]) + d.server[host:]
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range uint64(*runs / 20) {
				plain, twisted := newParty(*seed+n, func(*drawing) {}), newParty(*seed+n, twist)
				plain.live()
				twisted.live()
				if plain.bad || twisted.bad || !slices.Equal(plain.steps, twisted.steps) || fmt.Sprint(plain.Record) != fmt.Sprint(twisted.Record) {
					t.Fatalf("seed %d:\n%s\n\ntwisted:\n%s", *seed+n, strings.Join(plain.trace, "\n"), strings.Join(twisted.trace, "\n"))
				}
			}
		})
	}
}
