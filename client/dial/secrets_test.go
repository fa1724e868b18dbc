package dial_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/client/dial"
)

// What may be a secret is told, in each way in which it is spelled, and words are not.
func TestSecrets(t *testing.T) {
	u := dial.URL{URL: "https://user:pa%20ss@host/mcp/a1b2c3d4e5f6%2F/x?key=quer%2By&flag#frag", Header: http.Header{"Authorization": {"Bearer token"}}}
	got := u.Secrets()
	for _, want := range []string{"user", "pa ss", "user:pa%20ss", "a1b2c3d4e5f6%2F", "quer%2By", "quer+y", "frag", "Bearer token", "token"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	c := dial.Command{Args: []string{"/a/long/program/name", "-y", "server", "--token=0123456789abcdef", "abcdef0123456789", "/home/user/files/x", "./a/relative/path"}, Env: []string{"A=value", "B=x=y", "C"}}
	if got := c.Secrets(); !slices.Equal(got, []string{"value", "x=y", "", "0123456789abcdef", "abcdef0123456789"}) {
		t.Errorf("%q", got)
	}
	// What has 12 characters may be one.
	for word, want := range map[string]bool{"elevenchars": false, "twelve-chars": true} {
		if got := (dial.Command{Args: []string{"", word}}).Secrets(); slices.Contains(got, word) != want {
			t.Errorf("the argument %s: %q", word, got)
		}
		if got := (dial.URL{URL: "https://h/" + word}).Secrets(); slices.Contains(got, word) != want {
			t.Errorf("the segment %s: %q", word, got)
		}
	}
	for _, u := range []dial.URL{{}, {URL: ":"}} {
		if got := u.Secrets(); slices.ContainsFunc(got, func(s string) bool { return s != "" }) {
			t.Errorf("%q", got)
		}
	}
}
