package oauth_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const (
	server   = "https://mcp.example/mcp"
	issuer   = "https://as.example"
	callback = "http://127.0.0.1:3000/callback"

	resourceAt = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
	rootAt     = "https://mcp.example/.well-known/oauth-protected-resource"
	issuerAt   = "https://as.example/.well-known/oauth-authorization-server"
	openIDAt   = "https://as.example/.well-known/openid-configuration"
)

// web is what a server and its authorization servers answer, by url: a JSON object, which is sent with
// status 200, or an oauth.Answer. What is not there is what "" has, or 404.
type web map[string]any

// resourceOf returns protected resource metadata.
func resourceOf(resource string, members string, issuers ...string) string {
	return `{"resource":"` + resource + `","authorization_servers":["` + strings.Join(issuers, `","`) + `"]` + members + `}`
}

// issuerOf returns the metadata of an authorization server with all that a login needs. Of a member that is given
// twice the last counts.
func issuerOf(issuer string, members string) string {
	return `{"issuer":"` + issuer + `","authorization_endpoint":"` + issuer + `/authorize","token_endpoint":"` + issuer + `/token","registration_endpoint":"` +
		issuer + `/register","code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none","client_secret_basic"]` + members + `}`
}

const tokenAnswer = `{"access_token":"t1","token_type":"Bearer","expires_in":3600,"refresh_token":"r1"}`

// usual returns a web in which a login succeeds.
func usual() web {
	return web{
		resourceAt: resourceOf(server, "", issuer), issuerAt: issuerOf(issuer, ""),
		issuer + "/register": `{"client_id":"c1"}`, issuer + "/token": tokenAnswer,
	}
}

// with returns a copy of a web with other answers: url, answer, url, answer.
func (w web) with(changes ...any) web {
	next := web{}
	for at, a := range w {
		next[at] = a
	}
	for i := 0; i < len(changes); i += 2 {
		next[changes[i].(string)] = changes[i+1]
	}
	return next
}

// rig drives a Flow. After each step the Flow is restored from its snapshot, has to be the same, and goes on in
// place of the old one.
type rig struct {
	t      *testing.T
	cfg    oauth.Config
	server string
	f      oauth.Flow
	now    time.Time
	n      byte
	web    web
	calls  []oauth.HTTPRequest
}

// start returns the rig of a new Flow.
func start(t *testing.T, cfg oauth.Config, server string, w web) *rig {
	t.Helper()
	if cfg.Grant == oauth.AuthorizationCode && cfg.Redirect == "" {
		cfg.Redirect = callback
	}
	f, err := oauth.New(cfg, server)
	if err != nil {
		t.Fatalf("%s: %v", server, err)
	}
	return &rig{t: t, cfg: cfg, server: server, f: f, now: epoch, web: w}
}

// random returns other bytes at each call.
func (x *rig) random() (r oauth.Random) {
	x.n++
	r[0] = x.n
	return r
}

// step takes the next Flow, by way of its snapshot.
func (x *rig) step(f oauth.Flow) *rig {
	x.t.Helper()
	text := f.Snapshot(oauth.With)
	next, err := oauth.Restore(x.cfg, x.server, text)
	if err != nil {
		x.t.Fatalf("%v: %s", err, text)
	}
	if again := next.Snapshot(oauth.With); !bytes.Equal(again, text) {
		x.t.Fatalf("restored as\n%s\nfrom\n%s", again, text)
	}
	if got, want := seen(next), seen(f); !reflect.DeepEqual(got, want) {
		x.t.Fatalf("restored as\n%v\nfrom\n%v", got, want)
	}
	without := f.Snapshot(oauth.Without)
	if _, err := oauth.Restore(x.cfg, x.server, without); err != nil {
		x.t.Fatalf("%v: %s", err, without)
	}
	x.f = next
	return x
}

// seen returns all that a Flow shows.
func seen(f oauth.Flow) []any {
	at, due := f.NextDeadline()
	fault := oauth.Failure{}
	if f.Failure() != nil {
		fault = *f.Failure()
	}
	return []any{f.Phase(), f.Call(), f.Page(), f.Ask(), at.Format(time.RFC3339Nano), due, fault, string(oauth.AppendRecord(nil, f.Record()))}
}

// refuse says that the server refused a request.
func (x *rig) refuse(status int, c headers.Challenge) *rig {
	x.t.Helper()
	used := x.f.Record().Token.Access
	return x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: status, Challenge: c, Used: used}))
}

// answer gives the answer of the web to the Call.
func (x *rig) answer() *rig {
	x.t.Helper()
	c := x.f.Call()
	x.calls = append(x.calls, c)
	var a oauth.Answer
	to, ok := x.web[c.URL]
	if !ok {
		to = x.web[""]
	}
	switch to := to.(type) {
	case nil:
		a = oauth.Answer{Status: 404}
	case string:
		a = oauth.Answer{Status: 200, Body: []byte(to)}
	case oauth.Answer:
		a = to
	case func(oauth.HTTPRequest) oauth.Answer:
		a = to(c)
	}
	return x.step(x.f.Respond(x.now, x.random(), a))
}

// run goes on until the Flow needs somebody, or the run is over.
func (x *rig) run() *rig {
	x.t.Helper()
	for range 200 {
		switch x.f.Phase() {
		case oauth.Requesting:
			x.answer()
		case oauth.Waiting:
			x.now, _ = x.f.NextDeadline()
			x.step(x.f.Tick(x.now, x.random()))
		default:
			return x
		}
	}
	x.t.Fatal("no end")
	return x
}

// begin refuses a request without a challenge, and runs.
func (x *rig) begin() *rig {
	x.t.Helper()
	return x.refuse(401, headers.Challenge{}).run()
}

// agree sends the person back with a code, and runs.
func (x *rig) agree() *rig {
	x.t.Helper()
	if x.f.Phase() != oauth.Person {
		x.t.Fatalf("nobody is asked: %v, %v", x.f.Phase(), x.f.Failure())
	}
	return x.step(x.f.Returned(x.now, x.random(), "code=k1&state="+x.f.Page().State)).run()
}

// login has a token in the end.
func (x *rig) login() *rig {
	x.t.Helper()
	x.begin().agree()
	if x.f.Phase() != oauth.Ready {
		x.t.Fatalf("no token: %v", x.f.Failure())
	}
	return x
}

// made returns the Calls so far, as "GET url", without those before at.
func (x *rig) made(at int) (list []string) {
	for _, c := range x.calls[at:] {
		list = append(list, c.Method+" "+c.URL)
	}
	return list
}

// reason returns why the run failed.
func (x *rig) reason() oauth.Reason {
	if x.f.Failure() == nil {
		return 0
	}
	return x.f.Failure().Reason
}

// last returns the last Call.
func (x *rig) last() oauth.HTTPRequest { return x.calls[len(x.calls)-1] }

// sent reports whether a text is in any Call from at on.
func (x *rig) sent(at int, text string) bool {
	return slices.ContainsFunc(x.calls[at:], func(c oauth.HTTPRequest) bool {
		return strings.Contains(c.URL+string(c.Body), text) || slices.ContainsFunc(c.Fields, func(f headers.Field) bool { return strings.Contains(f.Value, text) })
	})
}

// idJAG is what an identity provider answers.
const idJAG = `{"access_token":"jag","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}`
