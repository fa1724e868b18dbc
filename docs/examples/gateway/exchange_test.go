//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/authz"
)

// A server's token is had for the user's own one, which goes to the issuer of the file alone: neither to the server, nor
// to an authorization server that a server names. Nobody is asked, and a user without a token has none of a server.
func TestExchange(t *testing.T) {
	at, world := guarded(t)
	elsewhere, foreign := guarded(t)
	issuer := strings.TrimSuffix(at, "/mcp") + "/as"
	const own, next = "the-own-token-of-ann", "the-next-token-of-ann"
	world.Lock()
	world.World.Issuers[0].Clients = map[string]*authz.Client{"gateway": {ID: "gateway", Secret: "s3cret", Method: "client_secret_basic"}}
	world.World.Issuers[0].Methods = nil
	world.World.Assertions = map[string]string{own: issuer, next: issuer}
	world.Unlock()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("token", own+"\n")
	addr := freePort(t)
	r := run(t, "-http", addr, "-login", "http://"+addr+"/login", "-status", "50ms",
		"-users", write("users", "ann "+annSecret+" "+token+"\nbob "+bobSecret+"\n"),
		"-exchange", write("exchange", "# where\nnotes "+issuer+" gateway s3cret\nforeign "+issuer+" gateway s3cret\n"),
		file(t, "", fmt.Sprintf(`"notes": {"type": "http", "url": %q}`, at), fmt.Sprintf(`"foreign": {"type": "http", "url": %q}`, elsewhere)))
	ann := openAs(t, r.url, annSecret)
	eventually(t, "no token", func() bool { return slices.Contains(ann.tools(), "who") })
	r.says("no authorization server that knows this client")
	bob := openAs(t, r.url, bobSecret)
	r.says("the user bob has no token to exchange")
	if tools := bob.tools(); len(tools) > 0 {
		t.Error(tools)
	}

	write("token", next+"\n") // the old one is of no use any more
	world.Lock()
	delete(world.World.Assertions, own)
	for _, issued := range world.World.Issued {
		issued.Dead = true
	}
	world.Unlock()
	if text := ann.call("who"); len(text) == 0 {
		t.Error("no token for the next one")
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
	for _, h := range []*authz.Handler{world, foreign} {
		h.Lock()
		for _, seen := range h.World.Seen {
			has := strings.Contains(fmt.Sprint(seen.Header, seen.Body, seen.URL), "-token-of-ann")
			if has != (h == world && seen.Place == authz.Tokens) || seen.Place == authz.Authorize {
				t.Errorf("%s at %s", seen.Place, seen.URL)
			}
		}
		h.Unlock()
	}
}

// Files that are not understood end the start.
func TestExchangeFile(t *testing.T) {
	for text, want := range map[string]string{
		"notes https://as.example gateway\n":                                   "x:1: want a server, an issuer, a client and its secret",
		"# a\nnotes https://as.example g s\nnotes https://other.example g s\n": "x:3: duplicate server",
	} {
		name := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readExchanges(name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
