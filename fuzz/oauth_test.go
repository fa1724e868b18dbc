package fuzz_test

import (
	"bytes"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// FuzzOAuth runs a program on a client's Flow: two bytes are a step, what happens and how, and text is what
// peers answer, alone or as a member of a good answer. Whatever happens, in any phase, the Flow has
// what its phase needs, asks only allowed hosts, restores unchanged, keeps less memory than the package says,
// and each run ends within 40 requests. A damaged snapshot or record is refused, or is sound too.
func FuzzOAuth(f *testing.F) {
	f.Add(byte(0), []byte("\x00\x00\x02\x00\x02\x00\x02\x00\x06\x00\x02\x00\x0a\x00\x01\x00"), "x")
	f.Add(byte(1), []byte("\x00\x00\x02\x00\x02\x00\x08\x00\x02\x00\x02\x00"), `{"access_token":"t","token_type":"Bearer"}`)
	f.Add(byte(2), []byte("\x00\x00\x02\x00\x0e\x03\x05\x00\x09\x00\x0b\x55\x0f\x20"), "https://10.0.0.1/")
	f.Add(byte(3), []byte("\x00\x00\x02\x00\x02\x00\x08\x00\x08\x00\x02\x00\x02\x00\x01\x00"), "a b")
	f.Add(byte(4), []byte("\x01\x00\x04\x2d\x04\x2d\x03\x00\x07\x00\x0c\x00\x0d\x00"), `Bearer resource_metadata="https://mcp.example/m", scope="a"`)
	f.Fuzz(func(t *testing.T, how byte, program []byte, text string) {
		cfg := oauth.Config{Redirect: "http://127.0.0.1:3000/callback", Grant: oauth.Grant(how % 5), Proof: how&64 != 0, NoLegacy: how&128 != 0}
		if cfg.Grant != oauth.AuthorizationCode {
			cfg.Clients = []oauth.Credentials{{ID: "c", Secret: "SECRET-client"}}
			cfg.Provider = oauth.Provider{TokenURL: "https://idp.example/token", Client: oauth.Credentials{ID: "p"}}
			if how&32 != 0 {
				cfg.Algorithm, cfg.Clients[0].Method = "ES256", "private_key_jwt"
			}
		}
		flow, err := oauth.New(cfg, oauthServer)
		if err != nil {
			t.Fatal(err)
		}
		x := oauthRun{t: t, cfg: cfg, f: flow, now: epoch, text: text}
		for ; len(program) > 1; program = program[2:] {
			old, was := x.f, string(x.f.Snapshot(oauth.With))
			x.act(program[0], program[1])
			if string(old.Snapshot(oauth.With)) != was {
				t.Fatal("an old Flow has changed")
			}
			x.check()
		}
		x.end()
	})
}

const oauthServer = "https://mcp.example/mcp"

// oauthAnswers are good answers, by the first URL prefix of a Call.
var oauthAnswers = [][2]string{
	{"https://mcp.example/.well-known/", `{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["a"]}`},
	{"https://as.example/.well-known/", `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize","token_endpoint":"https://as.example/token","registration_endpoint":"https://as.example/register",` +
		`"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["client_secret_basic"],"scopes_supported":["offline_access"]}`},
	{"https://as.example/register", `{"client_id":"c1","client_secret":"SECRET-client"}`},
	{"https://as.example/token", `{"access_token":"SECRET-access","token_type":"Bearer","expires_in":60,"refresh_token":"SECRET-refresh"}`},
	{"https://idp.example/token", `{"access_token":"SECRET-grant","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}`},
}

// oauthRun is a Flow in a run of the target.
type oauthRun struct {
	t        *testing.T
	cfg      oauth.Config
	f        oauth.Flow
	now      time.Time
	text     string
	n        byte
	requests int // of the run
}

func (x *oauthRun) random() (r oauth.Random) {
	x.n++
	r[0] = x.n
	return r
}

// good returns the good answer to a Call.
func (x *oauthRun) good() string {
	for _, a := range oauthAnswers {
		if strings.HasPrefix(x.f.Call().URL, a[0]) {
			return a[1]
		}
	}
	return x.text
}

func (x *oauthRun) respond(a oauth.Answer) {
	if x.f.Phase() == oauth.Requesting {
		x.requests++
	}
	x.f = x.f.Respond(x.now, x.random(), a)
}

// act does one step.
func (x *oauthRun) act(op, arg byte) {
	if !x.f.Phase().Running() {
		x.requests = 0
	}
	token, _ := x.f.Token(x.now)
	switch op % 16 {
	case 0, 1:
		c, _ := headers.ParseChallenge([]string{x.text})
		need := oauth.Need{Status: 401 + 2*int(op%16), Challenge: c, Used: token.Access}
		if op%16 == 1 && arg&1 != 0 {
			need.Challenge.Error = "insufficient_scope"
		}
		x.f = x.f.Want(x.now, x.random(), need)
	case 2:
		x.respond(oauth.Answer{Status: 200, Body: []byte(x.good())})
	case 3:
		x.respond(oauth.Answer{Status: 200, Body: []byte(x.text)})
	case 4:
		x.respond(oauth.Answer{Status: 256 + int(arg)*2, Location: x.text, Nonce: x.text, RetryAfter: time.Duration(arg) * time.Second, Body: []byte(x.text)})
	case 5:
		if x.f.Phase() == oauth.Requesting {
			x.requests++
		}
		x.f = x.f.Unanswered(x.now, x.random())
	case 6:
		x.f = x.f.Returned(x.now, x.random(), "code=SECRET-code&state="+x.f.Page().State)
	case 7:
		x.f = x.f.Returned(x.now, x.random(), x.text+"&state="+x.f.Page().State)
	case 8:
		x.f = x.f.Given(x.now, x.random(), []byte("SECRET-subject"))
	case 9:
		if due, ok := x.f.NextDeadline(); ok {
			x.now = later(x.now, due)
		}
		x.f = x.f.Tick(x.now, x.random())
	case 10:
		x.f = x.f.Want(x.now, x.random(), oauth.Need{Status: int(arg&1) * 200, Used: token.Access})
	case 11:
		x.damage(int(arg))
	case 12:
		if rec, err := oauth.ParseRecord([]byte(x.text)); err == nil {
			again, err := oauth.ParseRecord(oauth.AppendRecord(nil, rec))
			if err != nil || !bytes.Equal(oauth.AppendRecord(nil, again), oauth.AppendRecord(nil, rec)) {
				x.t.Fatalf("%v: %s", err, oauth.AppendRecord(nil, rec))
			}
			x.f.Adopt(x.now, rec) // a store's record is not from a peer, so the Flow does not continue
		} else if !errors.Is(err, lifecycle.ErrSnapshot) {
			x.t.Fatal(err)
		}
	case 13:
		x.f = x.f.Cancel(x.now)
	case 14:
		parts := strings.Split(x.good(), `"`)
		parts[int(arg)%len(parts)] = x.text
		x.respond(oauth.Answer{Status: 200, Body: []byte(strings.Join(parts, `"`))})
	case 15:
		x.now = x.now.Add(time.Millisecond << (arg % 32))
	}
}

// damage restores the snapshot with one byte changed, and the text as a snapshot.
func (x *oauthRun) damage(at int) {
	text := x.f.Snapshot(oauth.With)
	text[(at*37)%len(text)] ^= 1 << (at & 7)
	for _, s := range [][]byte{text, []byte(x.text)} {
		f, err := oauth.Restore(x.cfg, oauthServer, s)
		if err != nil {
			if !errors.Is(err, lifecycle.ErrSnapshot) || f.Phase() != oauth.Idle {
				x.t.Fatalf("%v: %s", err, s)
			}
			continue
		}
		y := oauthRun{t: x.t, cfg: x.cfg, f: f, now: x.now}
		y.shape()
		y.end()
	}
}

// shape checks that the Flow has what its phase needs.
func (x *oauthRun) shape() {
	f := x.f
	_, due := f.NextDeadline()
	if due != f.Phase().Running() || (f.Call().URL != "") != (f.Phase() == oauth.Requesting) || (f.Page().URL != "") != (f.Phase() == oauth.Person) ||
		(f.Ask().Kind != 0) != (f.Phase() == oauth.Asking) || (f.Failure() != nil) != (f.Phase() == oauth.Failed) {
		x.t.Fatalf("%v: %s", f.Phase(), f.Snapshot(oauth.With))
	}
}

// check checks what holds after each step.
func (x *oauthRun) check() {
	x.shape()
	text := x.f.Snapshot(oauth.With)
	if len(text) > 512<<10 {
		x.t.Fatalf("%d bytes", len(text))
	}
	next, err := oauth.Restore(x.cfg, oauthServer, text)
	if err != nil || !bytes.Equal(next.Snapshot(oauth.With), text) {
		x.t.Fatalf("%v: restored as\n%s\nfrom\n%s", err, next.Snapshot(oauth.With), text)
	}
	for _, at := range []string{x.f.Call().URL, x.f.Page().URL} {
		if at != "" && !oauthMayBeAsked(at) || strings.Contains(at, "SECRET-") && !strings.Contains(x.text, "SECRET-") {
			x.t.Fatalf("%q is asked", at)
		}
	}
	without := string(x.f.Snapshot(oauth.Without))
	if fault := x.f.Failure(); fault != nil {
		without += fault.Error()
		if strings.ContainsFunc(fault.Error(), func(c rune) bool { return c < ' ' || c > '~' }) {
			x.t.Fatalf("%q", fault.Error())
		}
	}
	if strings.Contains(without, "SECRET-") && !strings.Contains(x.text, "SECRET-") {
		x.t.Fatalf("a secret: %s", without)
	}
	if x.requests > 40 {
		x.t.Fatalf("%d requests of one run", x.requests)
	}
	x.f = next
}

// oauthMayBeAsked reports whether a URL is https and its host is not an address of a private network.
func oauthMayBeAsked(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Host == "" {
		return false
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err != nil || a.Zone() == "" && !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() && !a.IsUnspecified() && !a.IsMulticast()
}

// end lets time pass until the run is over, without an answer.
func (x *oauthRun) end() {
	for range 100 {
		due, ok := x.f.NextDeadline()
		if !ok {
			return
		}
		x.now = later(x.now, due)
		x.f = x.f.Tick(x.now, x.random())
	}
	x.t.Fatalf("no end: %s", x.f.Snapshot(oauth.With))
}
