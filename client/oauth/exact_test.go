package oauth_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// padded returns a JSON object with a member more, so that it has so many bytes.
func padded(object string, bytes int) string {
	const member = `,"pad":""}`
	return strings.TrimSuffix(object, "}") + member[:len(member)-2] + strings.Repeat("x", bytes-len(object)-len(member)+1) + member[len(member)-2:]
}

// As much is taken as the bound of each thing says, and no byte more.
//
// rows: SEC-012 SEC-101
// revisions: all 2026-07-28
func TestExactly(t *testing.T) {
	at := func(n int, w web, cfg oauth.Config) oauth.Phase {
		x := start(t, cfg, server, w).begin()
		if x.f.Phase() == oauth.Person {
			x.agree()
		}
		return x.f.Phase()
	}
	long := func(prefix string, n int) string { return prefix + strings.Repeat("x", n-len(prefix)) }
	for name, c := range map[string]struct {
		most int
		web  func(n int) web
	}{
		"a document": {256 << 10, func(n int) web { return usual().with(resourceAt, padded(resourceOf(server, "", issuer), n)) }},
		"an answer":  {64 << 10, func(n int) web { return usual().with(issuer+"/token", padded(tokenAnswer, n)) }},
		"a token": {8 << 10, func(n int) web {
			return usual().with(issuer+"/token", `{"token_type":"Bearer","access_token":"`+long("t", n)+`"}`)
		}},
		"an endpoint": {8 << 10, func(n int) web {
			return usual().with(issuerAt, issuerOf(issuer, `,"token_endpoint":"`+long(issuer+"/", n)+`"`), "", tokenAnswer)
		}},
		"issuers": {8, func(n int) web {
			var list []string
			for i := range n - 1 {
				list = append(list, fmt.Sprintf("https://as%d.example", i))
			}
			return usual().with(resourceAt, resourceOf(server, "", append(list, issuer)...))
		}},
	} {
		if got := at(c.most, c.web(c.most), oauth.Config{}); got != oauth.Ready {
			t.Errorf("%s of %d: %v", name, c.most, got)
		}
		if got := at(c.most, c.web(c.most+1), oauth.Config{}); got != oauth.Failed {
			t.Errorf("%s of %d: %v", name, c.most+1, got)
		}
	}

	// What is left out costs no run.
	var all []string
	for i := range 65 {
		all = append(all, fmt.Sprint("s", i))
	}
	for _, c := range []struct{ listed, asked []string }{
		{all[:64], all[:64]}, {all, all[:64]}, {[]string{long("a", 256), "b"}, []string{long("a", 256), "b"}}, {[]string{long("a", 257), "b"}, []string{"b"}},
	} {
		list, _ := json.Marshal(c.listed)
		x := start(t, oauth.Config{}, server, usual().with(resourceAt, resourceOf(server, `,"scopes_supported":`+string(list), issuer))).begin()
		if got := strings.Fields(x.query().Get("scope")); !slices.Equal(got, c.asked) {
			t.Errorf("asks for %d scopes, of %d", len(got), len(c.listed))
		}
	}
	for n, asked := range map[int]bool{8 << 10: true, 8<<10 + 1: false} {
		hint := long("https://mcp.example/", n)
		x := start(t, oauth.Config{}, server, usual()).refuse(401, headers.Challenge{ResourceMetadata: hint})
		if got := x.f.Call().URL == hint; got != asked {
			t.Errorf("a url of %d bytes is asked: %v", n, got)
		}
	}
	for n, kept := range map[int]int{64: 64, 65: 64} {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/token", told(400, `{"error":"`+long("e", n)+`"}`))).begin().agree()
		if got := len(x.f.Failure().Code); got != kept {
			t.Errorf("of a code of %d bytes %d are kept", n, got)
		}
	}
	for n, whole := range map[int]bool{200: true, 201: false} {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/token", told(400, `{"error":"e","error_description":"`+long("d", n)+`"}`))).begin().agree()
		if got := x.f.Failure().Text; strings.Contains(got, long("d", n)) != whole || len(got) > 210 {
			t.Errorf("a text of %d bytes is %q", n, got)
		}
	}
	for n, good := range map[int]bool{64 << 10: true, 64<<10 + 1: false} {
		text := strings.Replace(string(oauth.AppendRecord(nil, oauth.Record{Issuer: "x"})), `"x"`, `"`+long("x", n)+`"`, 1)
		if _, err := oauth.ParseRecord([]byte(text)); (err == nil) != good || !good && !strings.Contains(err.Error(), lifecycle.ErrSnapshot.Error()) {
			t.Errorf("a text of %d bytes in a record: %v", n, err)
		}
	}
}
