package oauth_test

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// phases returns a Flow in each phase, and in each step of a run.
func phases(t *testing.T) map[string]*rig {
	at := func(x *rig, calls int) *rig {
		for x.refuse(401, headers.Challenge{Scope: "a"}); len(x.calls) < calls; {
			x.answer()
		}
		return x
	}
	machine := oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}, Provider: oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p"}}}
	signer := oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Method: "private_key_jwt"}}, Algorithm: "ES256"}
	all := map[string]*rig{
		"idle": start(t, oauth.Config{}, server, usual()), "resource": at(start(t, oauth.Config{}, server, usual()), 0), "issuer": at(start(t, oauth.Config{}, server, usual()), 1),
		"register": at(start(t, oauth.Config{}, server, usual()), 2), "person": at(start(t, oauth.Config{}, server, usual()), 3), "ready": start(t, oauth.Config{}, server, usual()).login(),
		"waiting": at(start(t, oauth.Config{}, server, usual().with(issuerAt, told(503, ""))), 2), "failed": start(t, oauth.Config{}, server, usual().with(resourceAt, resourceOf("https://o.example", "", issuer))).begin(),
		"subject": at(start(t, machine, server, usual()), 2), "signature": at(start(t, signer, server, usual()), 2),
	}
	x := at(start(t, oauth.Config{}, server, usual()), 3)
	all["token"] = x.step(x.f.Returned(x.now, x.random(), "code=k1&state="+x.f.Page().State))
	x = at(start(t, machine, server, usual().with(idpToken, idJAG)), 2)
	all["provider"] = x.step(x.f.Given(x.now, x.random(), []byte("subject")))
	x = at(start(t, machine, server, usual().with(idpToken, idJAG)), 2)
	all["grant"] = x.step(x.f.Given(x.now, x.random(), []byte("subject"))).answer()
	x = at(start(t, signer, server, usual()), 2)
	all["signed"] = x.step(x.f.Given(x.now, x.random(), []byte("signature")))
	x = start(t, oauth.Config{}, server, usual()).login()
	all["refresh"] = x.refuse(401, headers.Challenge{}).answer().answer()
	return all
}

// What is recorded before a person is sent off: the issuer, the state and the verifier; without one of them a Flow
// does not come back, and with them it goes on the same.
//
// rows: AUTH-206
// revisions: all 2026-07-28
func TestPersonElsewhere(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).begin()
	text := string(x.f.Snapshot(oauth.With))
	f, err := oauth.Restore(oauth.Config{Redirect: callback}, server, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	back := "code=k1&iss=https%3A%2F%2Fas.example&state=" + x.f.Page().State
	if a, b := x.f.Returned(x.now, oauth.Random{}, back), f.Returned(x.now, oauth.Random{}, back); !reflect.DeepEqual(seen(a), seen(b)) || b.Phase() != oauth.Requesting {
		t.Errorf("%v and %v", seen(a), seen(b))
	}
	back = "code=k1&iss=https%3A%2F%2Fevil.example&state=" + x.f.Page().State
	if b := f.Returned(x.now, oauth.Random{}, back); b.Failure() == nil || b.Failure().Reason != oauth.IssuerMismatch {
		t.Errorf("%v, %v", b.Phase(), b.Failure())
	}
	for _, name := range []string{"state", "verifier"} {
		i := strings.Index(text, `,"`+name+`":"`)
		end := strings.Index(text[i+len(name)+5:], `"`)
		less := text[:i] + text[i+len(name)+5+end+1:]
		if _, err := oauth.Restore(oauth.Config{Redirect: callback}, server, []byte(less)); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("without the %s: %v", name, err)
		}
	}
	for old, less := range map[string]string{`"server":{"issuer":"https://as.example",`: `"server":{`, `"resource":"https://mcp.example/mcp",`: ``, `"authorize":"https://as.example/authorize",`: ``, `"authorize":"https:`: `"authorize":"javascript:`, `"step":5,`: `"step":8,`} {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		if _, err := oauth.Restore(oauth.Config{Redirect: callback}, server, []byte(strings.Replace(text, old, less, 1))); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("without %s: %v", old, err)
		}
	}
}

// A snapshot comes back in each phase, with all that it has or without its secrets; a damaged one does not panic, and
// what it comes back as has what its phase needs.
func TestSnapshots(t *testing.T) {
	for name, x := range phases(t) {
		text := x.f.Snapshot(oauth.With)
		less, err := oauth.Restore(x.cfg, x.server, x.f.Snapshot(oauth.Without))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := less.Token(x.now); ok || less.Phase().Running() || less.Phase() == oauth.Ready || (less.Phase() == oauth.Failed) != (x.f.Phase() == oauth.Failed) {
			t.Errorf("%s without secrets: %v", name, less.Phase())
		}
		for i := range text {
			for _, cut := range [][]byte{text[:i], append(append([]byte(nil), text[:i]...), text[i+1:]...), append(append(append([]byte(nil), text[:i]...), '9'), text[i+1:]...)} {
				f, err := oauth.Restore(x.cfg, x.server, cut)
				if err != nil {
					if !errors.Is(err, lifecycle.ErrSnapshot) || f.Phase() != oauth.Idle || len(err.Error()) > 300 {
						t.Fatalf("%s: %v", name, err)
					}
					continue
				}
				sound(t, name, f)
			}
		}
	}
	x := start(t, oauth.Config{}, server, usual()).login()
	text := string(x.f.Snapshot(oauth.With))
	for _, bad := range []string{"", "{}", "null", "[]", strings.Replace(text, `"version":1`, `"version":2`, 1), strings.Replace(text, server, "https://other.example", 1),
		strings.Replace(text, `"phase":5`, `"phase":7`, 1), strings.Replace(text, `"phase":5`, `"phase":-1`, 1), strings.Replace(text, `"access":"t1"`, `"access":"`+strings.Repeat("t", 64<<10+1)+`"`, 1), strings.Replace(text, `"now":`, `"now":"x","was":`, 1)} {
		if _, err := oauth.Restore(x.cfg, server, []byte(bad)); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%.60s: %v", bad, err)
		}
	}
	if _, err := oauth.Restore(x.cfg, "https://other.example", []byte(text)); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Errorf("a snapshot for another server: %v", err)
	}
	var bad *lifecycle.ConfigError
	if _, err := oauth.Restore(oauth.Config{}, server, []byte(text)); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
	if f, err := oauth.Restore(x.cfg, server, []byte(strings.Replace(text, `"access":"t1",`, "", 1))); err != nil || f.Phase() != oauth.Idle {
		t.Errorf("ready without a token: %v, %v", f.Phase(), err)
	}
}

// sound checks that a Flow has what its phase needs.
func sound(t *testing.T, name string, f oauth.Flow) {
	t.Helper()
	due, has := f.NextDeadline()
	if has != f.Phase().Running() || has && due.IsZero() ||
		(f.Call().URL != "") != (f.Phase() == oauth.Requesting) || (f.Page().URL != "") != (f.Phase() == oauth.Person) || (f.Ask().Kind != 0) != (f.Phase() == oauth.Asking) ||
		(f.Failure() != nil) != (f.Phase() == oauth.Failed) {
		t.Fatalf("%s: %v, %s", name, f.Phase(), f.Snapshot(oauth.With))
	}
	_ = f.Failure().Error
	f.Tick(due, oauth.Random{}).Respond(due, oauth.Random{}, oauth.Answer{Status: 200, Body: []byte(tokenAnswer)}).Unanswered(due, oauth.Random{}).Returned(due, oauth.Random{}, "code=x").Given(due, oauth.Random{}, []byte("x")).Cancel(due)
}

// Records are written and read again; what is too much is left out or refused.
func TestRecords(t *testing.T) {
	full := oauth.Record{Issuer: issuer, Legacy: true, Asked: []string{"a", "b"},
		Token:         oauth.Token{Access: "t1", Type: "Bearer", Resource: server, Scope: "a", Expires: epoch.Add(time.Hour), Renew: epoch.Add(59 * time.Minute), Refresh: "r1"},
		Registrations: []oauth.Registration{{Issuer: issuer, ID: "c1", Secret: "s1", Method: "none", Redirect: callback, Expires: epoch, Bound: true}, {Issuer: "https://b.example", ID: "c2"}}}
	for _, r := range []oauth.Record{{}, full, {Token: full.Token}, {Asked: []string{"a"}}} {
		text := oauth.AppendRecord([]byte("before"), r)
		got, err := oauth.ParseRecord(text[len("before"):])
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	text := string(oauth.AppendRecord(nil, full))
	for _, bad := range []string{"", "x", "[]", text[1:], text[:len(text)-1], strings.Replace(text, `"t1"`, "1", 1), strings.Replace(text, `"asked":[`, `"asked":[1,`, 1), `{"clients":[` + strings.Repeat(`{},`, 8) + `{}]}`, `{"clients":[1]}`, `{"asked":[` + strings.Repeat(`"a",`, 65) + `"a"]}`} {
		if got, err := oauth.ParseRecord([]byte(bad)); !errors.Is(err, lifecycle.ErrSnapshot) || !reflect.DeepEqual(got, oauth.Record{}) {
			t.Errorf("%.80s: %+v, %v", bad, got, err)
		}
	}
	got, err := oauth.ParseRecord([]byte(`{"asked":["a","a","b c",""]}`))
	if err != nil || !reflect.DeepEqual(got.Asked, []string{"a"}) {
		t.Errorf("%q, %v", got.Asked, err)
	}
	// The ninth registration takes the place of the first.
	x := start(t, oauth.Config{}, server, web{})
	for i := range 10 {
		at := "https://as" + strconv.Itoa(i) + ".example"
		x.web = web{resourceAt: resourceOf(server, "", at), at + wellServer: issuerOf(at, ""), at + "/register": `{"client_id":"c` + strconv.Itoa(i) + `"}`}
		x.begin().step(x.f.Cancel(x.now))
		x.now = x.now.Add(time.Hour)
	}
	if k := x.f.Record().Registrations; len(k) != 8 || k[0].ID != "c2" || k[7].ID != "c9" {
		t.Errorf("%+v", k)
	}
	k := x.f.Record()
	k.Registrations[0].ID = "changed"
	if x.f.Record().Registrations[0].ID == "changed" {
		t.Error("a Record shares its list with the Flow")
	}
}

// What another process wrote: its token ends a run, if it is good and another one.
func TestAdopt(t *testing.T) {
	good := oauth.Token{Access: "t9", Type: "Bearer", Resource: server, Expires: epoch.Add(time.Hour), Renew: epoch.Add(59 * time.Minute)}
	change := func(do func(*oauth.Token)) oauth.Record {
		tok := good
		do(&tok)
		return oauth.Record{Issuer: issuer, Token: tok}
	}
	for name, c := range map[string]struct {
		rec                   oauth.Record
		idle, run, renew, had oauth.Phase // what comes of each
	}{
		"good":                   {change(func(*oauth.Token) {}), oauth.Ready, oauth.Ready, oauth.Ready, oauth.Ready},
		"of the origin":          {change(func(t *oauth.Token) { t.Resource = "https://mcp.example" }), oauth.Ready, oauth.Ready, oauth.Ready, oauth.Ready},
		"of another server":      {change(func(t *oauth.Token) { t.Resource = "https://other.example/mcp" }), oauth.Idle, oauth.Person, oauth.Requesting, oauth.Ready},
		"expired":                {change(func(t *oauth.Token) { t.Expires = epoch }), oauth.Idle, oauth.Person, oauth.Requesting, oauth.Idle},
		"to be renewed":          {change(func(t *oauth.Token) { t.Renew = epoch }), oauth.Ready, oauth.Person, oauth.Requesting, oauth.Ready},
		"none":                   {change(func(t *oauth.Token) { t.Access = "" }), oauth.Idle, oauth.Person, oauth.Requesting, oauth.Idle},
		"the one that there was": {change(func(t *oauth.Token) { t.Access = "t1" }), oauth.Ready, oauth.Ready, oauth.Requesting, oauth.Ready},
		"nothing":                {oauth.Record{}, oauth.Idle, oauth.Person, oauth.Requesting, oauth.Idle},
	} {
		idle, run, had := start(t, oauth.Config{}, server, usual()), start(t, oauth.Config{}, server, usual()).begin(), start(t, oauth.Config{}, server, usual()).login()
		renew := start(t, oauth.Config{}, server, usual().with(issuer+"/token", strings.Replace(tokenAnswer, "3600", "1", 1))).login()
		renew.step(renew.f.Want(epoch.Add(950*time.Millisecond), renew.random(), oauth.Need{}))
		for i, x := range []*rig{idle, run, renew, had} {
			want := []oauth.Phase{c.idle, c.run, c.renew, c.had}[i]
			if x.step(x.f.Adopt(x.now, c.rec)); x.f.Phase() != want {
				t.Errorf("%s, %d: %v, want %v", name, i, x.f.Phase(), want)
			}
			if tok, ok := x.f.Token(x.now); want == oauth.Ready && c.rec.Token.Access == "t9" && c.rec.Token.Resource != "https://other.example/mcp" && (!ok || tok != c.rec.Token) {
				t.Errorf("%s, %d: %+v, %v", name, i, tok, ok)
			}
		}
	}
	failed := start(t, oauth.Config{NoLegacy: true}, server, nil).begin()
	if failed.step(failed.f.Adopt(epoch, oauth.Record{})); failed.f.Phase() != oauth.Failed {
		t.Errorf("%v", failed.f.Phase())
	}
	if failed.step(failed.f.Adopt(epoch, change(func(*oauth.Token) {}))); failed.f.Phase() != oauth.Ready || failed.f.Failure() != nil {
		t.Errorf("%v, %v", failed.f.Phase(), failed.f.Failure())
	}
}
