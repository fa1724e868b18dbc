package oauth_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/conformance/authz"
)

const (
	redirectTo = "http://127.0.0.1:1234/back"
	documentAt = "https://client.example/id.json"
	provider   = "https://idp.example"
	evil       = "https://evil.example"
	subject    = "subject~of~a~person~"
)

// lies are all that a World can tell: for each place by what stands in its answers, and other answers.
var lies = func() (all [][]*authz.Lie) {
	for _, at := range []authz.Place{authz.Challenge, authz.Described, authz.Metadata, authz.Authorize, authz.Authorize, authz.Register, authz.Tokens, authz.Tokens} {
		all = append(all, slices.DeleteFunc(authz.Changes(), func(l *authz.Lie) bool { return l.At != at }))
		if at != authz.Challenge && at != authz.Authorize { // nothing is asked there
			all = append(all, authz.Answers(at, 0, 0))
		}
	}
	return append(all, []*authz.Lie{{Name: "no iss", At: authz.Authorize, Change: map[string]any{"iss": nil}}})
}()

// drawing is what a run is made of.
type drawing struct {
	w      *authz.World
	cfg    oauth.Config
	server string
	honest bool // nobody lies, and all that a login takes is there
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// some returns a part of a list.
func some(r *rand.Rand, list ...string) []string {
	var out []string
	for _, s := range list {
		if r.IntN(2) == 0 {
			out = append(out, s)
		}
	}
	return out
}

// draw returns servers, settings of a client, and lies.
func draw(r *rand.Rand) drawing {
	d := drawing{w: &authz.World{Documents: map[string]*authz.Client{}, Assertions: map[string]string{}}}
	d.server = pick(r, "https://mcp.example", "https://mcp.example/", "https://mcp.example/a/mcp", "https://MCP.example:443/a/mcp", "http://127.0.0.1:8080/mcp")
	local := strings.HasPrefix(d.server, "http:")
	at := strings.TrimSuffix(strings.Replace(d.server, "MCP.example:443", "mcp.example", 1), "/")
	res := &authz.Resource{
		URL: at, Hint: r.IntN(2) == 0, Need: some(r, "read", "write"), Scopes: some(r, "read", "list"),
		Forms: authz.Form(pick(r, 1, 2, 4, 7, 3, 0)),
	}
	res.Name = pick(r, "", "", at+"/", authz.Origin(at), strings.Replace(at, "mcp.example", "MCP.example", 1))
	ids := []string{pick(r, "https://as.example", "https://as.example/", "https://as.example/t/u"), "https://as2.example/x"}
	switch {
	case res.Forms == 0:
		ids = []string{authz.Origin(at)}
		res.Name = ""
	case local && r.IntN(2) == 0:
		ids = []string{"http://127.0.0.1:9090/t"}
	case r.IntN(2) == 0:
		ids = ids[:1]
	}
	res.Issuers = ids
	d.w.Resources = []*authz.Resource{res}
	for _, id := range ids {
		d.w.Issuers = append(d.w.Issuers, d.issuer(r, id))
	}
	if res.Forms == 0 && r.IntN(2) == 0 {
		d.w.Issuers[0].Forms = 0
		d.w.Issuers[0].NoIss = true // nothing would announce it
	}
	d.w.Person = pick(r, authz.Agree, authz.Agree, authz.Agree, authz.Agree, authz.Refuse, authz.Wait)
	d.client(r)
	d.honest = len(ids) == 1 && d.w.Person == authz.Agree && d.possible()
	d.lie(r)
	return d
}

func (d *drawing) issuer(r *rand.Rand, id string) *authz.Issuer {
	i := &authz.Issuer{
		ID: id, DCR: r.IntN(4) > 0, CIMD: r.IntN(2) == 0, NoIss: r.IntN(3) == 0, Clients: map[string]*authz.Client{},
		Life:    pick(r, 0, time.Second, 30*time.Second, time.Minute, 10*time.Hour),
		Scopes:  pick(r, nil, []string{"read"}, []string{"read", "offline_access"}),
		Methods: pick(r, nil, []string{"none"}, []string{"client_secret_basic"}, []string{"client_secret_post"}, []string{"client_secret_post", "client_secret_basic", "none", "private_key_jwt"}),
	}
	for i.Forms == 0 {
		i.Forms = authz.Form(r.IntN(8)) * authz.OAuth
	}
	if id == strings.TrimSuffix(id, "/") && strings.Count(id, "/") == 2 || strings.HasSuffix(id, "example/") {
		i.Forms |= pick(r, authz.OAuth, authz.OpenID) // without a path nothing is appended
	}
	return i
}

// client draws the settings of the client, and makes it known where they need that.
func (d *drawing) client(r *rand.Rand) {
	first := d.w.Issuers[0]
	d.cfg = oauth.Config{Redirect: redirectTo, NoRefresh: r.IntN(5) == 0, Grant: oauth.Grant(max(0, r.IntN(16)-11))}
	if r.IntN(4) == 0 {
		d.cfg.Scopes = []string{"read", "write", "list"}
	}
	if r.IntN(2) == 0 {
		d.cfg.Document = documentAt
		c := &authz.Client{ID: documentAt, Method: "none", Redirects: []string{redirectTo}}
		if r.IntN(3) == 0 {
			d.cfg.Algorithm, c.Method, c.Verify = "ES256", "private_key_jwt", verify
		}
		d.w.Documents[documentAt] = c
	}
	if d.cfg.Grant == oauth.AuthorizationCode && r.IntN(3) > 0 {
		return
	}
	c := &authz.Client{ID: "client~preset~", Secret: "secret~é +:%~", Method: pick(r, "client_secret_basic", "client_secret_post", "private_key_jwt", "none"), Redirects: []string{redirectTo}, Verify: verify}
	k := oauth.Credentials{Issuer: pick(r, first.ID, ""), ID: c.ID, Secret: oauth.Secret(c.Secret), Method: c.Method}
	switch {
	case c.Method == "private_key_jwt":
		d.cfg.Algorithm = "ES256"
		k.Secret, c.Secret = "", ""
	case c.Method == "none" && d.cfg.Grant != oauth.AuthorizationCode, d.cfg.Grant == oauth.Enterprise:
		c.Method, k.Method = "client_secret_basic", "client_secret_basic"
	case c.Method == "none":
		k.Secret, c.Secret = "", ""
	}
	first.Methods = nil
	first.Clients[c.ID] = c
	d.cfg.Clients = []oauth.Credentials{k}
	switch d.cfg.Grant {
	case oauth.Assertion, oauth.Exchange:
		d.w.Assertions[subject] = first.ID
	case oauth.Enterprise:
		d.w.Assertions[subject] = provider
		own := &authz.Client{ID: "client~idp~", Secret: "secret~idp~", Method: "client_secret_basic"}
		d.w.Issuers = append(d.w.Issuers, &authz.Issuer{ID: provider, Clients: map[string]*authz.Client{own.ID: own}})
		d.cfg.Provider = oauth.Provider{TokenURL: provider + "/token", Client: oauth.Credentials{ID: own.ID, Secret: oauth.Secret(own.Secret), Method: own.Method}}
	}
}

// verify takes what sign makes.
func verify(signed, signature string) bool { return signature == string(sign(signed)) }

func sign(data string) []byte { return []byte("signed " + authz.S256(data)) }

// possible reports whether the first issuer knows, or would register, the client.
func (d *drawing) possible() bool {
	i := d.w.Issuers[0]
	told := i.Forms
	if d.w.Resources[0].Forms == 0 { // as revision 2025-03-26 does
		told &= authz.OAuth
	}
	switch {
	case len(d.cfg.Clients) > 0:
		return true
	case d.cfg.Document != "" && i.CIMD && told != 0:
		return d.cfg.Algorithm == "" || i.Methods == nil || slices.Contains(i.Methods, "private_key_jwt")
	}
	return i.DCR && d.cfg.Grant == oauth.AuthorizationCode
}

// lie adds up to three lies, and at times an issuer that wants the codes of the honest one.
func (d *drawing) lie(r *rand.Rand) {
	first, res := d.w.Issuers[0], d.w.Resources[0]
	if r.IntN(8) == 0 && !first.NoIss && first.Forms != 0 && res.Forms != 0 && d.cfg.Grant == oauth.AuthorizationCode {
		borrowed := map[string]*authz.Client{"borrowed~": {ID: "borrowed~", Method: "none", Redirects: []string{redirectTo}}}
		maps.Copy(first.Clients, borrowed)
		d.w.Issuers = append(d.w.Issuers, &authz.Issuer{ID: evil, Forms: authz.OAuth | authz.OpenID, DCR: true, NoIss: r.IntN(2) == 0, Methods: []string{"none"}, Clients: borrowed})
		d.w.Lies = append(d.w.Lies,
			&authz.Lie{Name: "mix-up", At: authz.Metadata, Host: evil, Change: map[string]any{"authorization_endpoint": strings.TrimSuffix(first.ID, "/") + "/authorize"}},
			&authz.Lie{Name: "mix-up", At: authz.Register, Host: evil, Change: map[string]any{"client_id": "borrowed~"}})
		res.Issuers, d.honest, d.cfg.Clients, d.cfg.Document = []string{evil}, false, nil, ""
	}
	for range pick(r, 0, 0, 1, 1, 1, 2, 3) {
		l := *pick(r, pick(r, lies...)...)
		if v, ok := l.Change["iss"]; ok && v == nil && res.Issuers[0] == evil {
			continue // without it nothing tells the honest one from the other
		}
		l.Skip, l.Times = pick(r, 0, 0, 1, 2), pick(r, 0, 1, 1, 2)
		d.w.Lies, d.honest = append(d.w.Lies, &l), false
	}
	if !d.honest && d.cfg.Clients != nil { // the first issuer that is named has it otherwise, whoever names it
		d.cfg.Clients[0].Issuer = first.ID
	}
}
