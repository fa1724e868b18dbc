package nethttp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
)

// message is one that a client may send, and the scopes that it needs beside those of all.
type message struct {
	text  string
	needs []string
}

var messages = []message{
	{`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, nil},
	{`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, []string{"list"}},
	{`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, []string{"call"}},
	{`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"who","arguments":{}}}`, []string{"call", "who"}},
	{`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"arguments":{},"\u006eame":"\u0077ho"}}`, []string{"call", "who"}},
	{`[{"jsonrpc":"2.0","id":%d,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"tools/list"}]`, []string{"list"}},
	{`[{"jsonrpc":"2.0","id":%d,"method":"tools/list"},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"who"}}]`, []string{"list", "call", "who"}},
	{`{"jsonrpc":"2.0","id":%d,"method":"x/y"}`, nil},
	{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, []string{"cancel"}},
	{`{"jsonrpc":"2.0","id":%d,"result":{}}`, nil},
	{`{"jsonrpc":"2.0","id":%d,`, nil},
}

// Whatever tokens and messages come, those are refused that a naive reading of the Policy refuses, with
// that status, and a refused one leaves the record of the session as it was, byte for byte.
func TestRefusedChangesNothing(t *testing.T) {
	for seed := range uint64(8) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			all := map[string]guard.Identity{}
			scopes := []string{"base", "list", "call", "who", "cancel", "admin"}
			for i := range 30 {
				id := guard.Identity{Issuer: "https://a.example", Subject: "ada", Audience: []string{resource}, Expires: time.Now().Add(time.Duration(rnd.IntN(600)) * time.Second)}
				for _, s := range scopes {
					if rnd.IntN(3) > 0 {
						id.Scopes = append(id.Scopes, s)
					}
				}
				if rnd.IntN(6) == 0 {
					id.Audience = []string{"https://b.example"}
				}
				all[fmt.Sprint("t", i)] = id
			}
			all["good"] = guard.Identity{Issuer: "https://a.example", Subject: "ada", Audience: []string{resource}, Scopes: []string{"base"}}
			v := verifier(func(token string) (guard.Identity, error) {
				id, ok := all[token]
				if !ok {
					return id, errors.New("unknown")
				}
				return id, nil
			})
			store := nethttp.NewMemory()
			b := newBubble(t, nethttp.Options{Store: store, Authenticate: verified(t, v, guard.Policy{
				Base: []string{"base"}, Leeway: time.Minute, Implies: map[string][]string{"admin": {"list", "call", "cancel"}},
				Method: map[string][]string{"tools/list": {"list"}, "tools/call": {"call"}, "notifications/cancelled": {"cancel"}},
				Tool: func(name string, _ jsonrpc.Raw) []string {
					if name == "who" {
						return []string{"who"}
					}
					return nil
				},
			})})
			defer b.close()
			session := b.open("2025-03-26", bearer("good"))
			stored := func() string {
				r, err := store.Get(t.Context(), session)
				if err != nil {
					t.Fatal(err)
				}
				return string(r.Snapshot())
			}
			seen := map[int]int{}
			for n := range 200 {
				token, m := fmt.Sprint("t", rnd.IntN(32)), messages[rnd.IntN(len(messages))]
				id, known := all[token]
				want := 0
				has := func(s string) bool {
					implied := s == "list" || s == "call" || s == "cancel"
					return slices.Contains(id.Scopes, s) || implied && slices.Contains(id.Scopes, "admin")
				}
				switch {
				case !known, id.Audience[0] != resource, !time.Now().Before(id.Expires.Add(time.Minute)):
					want = 401
				case slices.ContainsFunc(append([]string{"base"}, m.needs...), func(s string) bool { return !has(s) }):
					want = 403
				}
				before := stored()
				r := b.serve("POST", session, "", fmt.Sprintf(m.text, n+10), nil, bearer(token))
				<-r.done
				challenged := r.head.Get("WWW-Authenticate") != ""
				if challenged != (want != 0) || want != 0 && r.status() != want {
					t.Fatalf("seed %d: %v with %v: %d %v, want %d", seed, m, id, r.status(), r.head, want)
				}
				if after := stored(); want != 0 && after != before {
					t.Fatalf("seed %d: %v with %v is refused:\n%s\nbecame\n%s", seed, m, id, before, after)
				} else if want == 0 && after == before && strings.Contains(m.text, "tools/call") {
					t.Fatalf("seed %d: %v has changed nothing", seed, m)
				}
				seen[want]++
				time.Sleep(time.Duration(rnd.IntN(3)) * time.Second)
			}
			if seen[0] < 10 || seen[401] < 10 || seen[403] < 10 {
				t.Errorf("seed %d: %v", seed, seen)
			}
		})
	}
}
