package guard_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
)

func check(p guard.Policy) error {
	_, err := guard.New(p)
	return err
}

// What a Policy cannot be is an error that says which field it is and what it may be.
//
// rows: AUTH-217 AUTH-221
// revisions: 2026-07-28
func TestSettings(t *testing.T) {
	settings.Test(t, "guard", guard.Policy{AnyAudience: true}, check, settings.Wants{"Leeway": "positive, 0 for 30s, or NoTimeout"})
	one := []string{site}
	const scope = "want a scope as of RFC 6749, without blanks and quotes, other than offline_access"
	for _, tt := range []struct {
		p    guard.Policy
		text string
	}{
		{guard.Policy{}, "guard: Audience is empty: want what tokens call this server, such as its url, or AnyAudience"},
		{guard.Policy{Audience: []string{}}, "guard: Audience is empty: want what tokens call this server, such as its url, or AnyAudience"},
		{guard.Policy{Audience: one, AnyAudience: true}, "guard: AnyAudience is true: want false with Audience"},
		{guard.Policy{Audience: []string{site, ""}}, `guard: Audience is "": want no empty name`},
		{guard.Policy{Audience: one, Base: []string{"a b"}}, `guard: Base is "a b": ` + scope},
		{guard.Policy{Audience: one, Base: []string{"a", ""}}, `guard: Base is "": ` + scope},
		{guard.Policy{Audience: one, Base: []string{"offline_access"}}, `guard: Base is "offline_access": ` + scope},
		{guard.Policy{Audience: one, Method: map[string][]string{"ping": {`"`}}}, `guard: Method["ping"] is "\"": ` + scope},
		{guard.Policy{Audience: one, Method: map[string][]string{"": {"a"}}}, `guard: Method is "": want no empty name`},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a": {"offline_access"}}}, `guard: Implies["a"] is "offline_access": ` + scope},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a b": {"a"}}}, `guard: Implies is "a b": ` + scope},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a": {"a"}}}, `guard: Implies["a"] is itself: want no circle`},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"x", "a"}}}, `guard: Implies["a"] is itself: want no circle`},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"d", "b"}}}, `guard: Implies["b"] is itself: want no circle`},
		{guard.Policy{Audience: one, Implies: map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}}, ""},
		{guard.Policy{Audience: one, Method: map[string][]string{"ping": nil}, Implies: map[string][]string{"a": nil}}, ""},
	} {
		g, err := guard.New(tt.p)
		if tt.text == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || err.Error() != tt.text || !errors.Is(err, lifecycle.ErrConfig) || g != (guard.Guard{}) {
			t.Errorf("got %v, want %s", err, tt.text)
		}
	}
}
