package oauth

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// enterIdentity finds out what the authorization server knows the client by, in the order of the
// specification: registered beforehand, by its document, registered before, registered now (AUTH-111).
func (f *Flow) enterIdentity() {
	s := &f.run.server
	known, registered := f.rec.registration(s.Issuer)
	configured, preset := f.configured(s.Issuer)
	switch {
	case preset:
		f.run.client = Registration{Issuer: s.Issuer, ID: configured.ID, Secret: configured.Secret, Method: configured.Method}
		if configured.Issuer == "" {
			f.rec = f.rec.keep(Registration{Issuer: s.Issuer, ID: configured.ID, Bound: true})
		}
	case len(f.c.Clients) > 0:
		f.fail(Failure{Reason: WrongIssuer})
		return
	case f.c.Document != "" && s.Documents: // good at each issuer (AUTH-204, AUTH-212)
		f.run.client = Registration{Issuer: s.Issuer, ID: f.c.Document, Method: f.c.documentMethod()}
	case registered && !known.Bound && (f.refreshes() || known.Redirect == f.c.Redirect) && (known.Expires.IsZero() || f.now.Before(known.Expires)):
		f.run.client = known
	case f.c.Grant == Assertion: // it says who asks
		f.run.client = Registration{Issuer: s.Issuer}
	case f.c.Grant != AuthorizationCode || s.Register == "":
		f.fail(Failure{Reason: NoClient})
		return
	default:
		f.enter(stepRegister)
		return
	}
	f.identified()
}

// refreshes reports whether there is a refresh token of the issuer that is asked.
func (f *Flow) refreshes() bool { return f.run.refresh && f.rec.Issuer == f.run.server.Issuer }

// identified goes on with the client that is known; no other step leads to a page (AUTH-222).
func (f *Flow) identified() {
	f.count()
	f.run.scope = f.scopes()
	switch {
	case f.refreshes():
		f.enter(stepToken)
	case f.c.Grant == AuthorizationCode:
		f.run.refresh = false
		f.enter(stepPage)
	default:
		f.run.refresh = false
		f.enter(stepGrant)
	}
}

// scopes returns the scopes to ask for: those of the challenge, else all that the server lists, else none
// (AUTH-109, AUTH-110), and those that were asked for before (AUTH-218).
func (f *Flow) scopes() []string {
	list := f.run.wanted
	if len(list) == 0 {
		list = f.run.meta.Scopes
	}
	list = without(union(f.allowed(list), f.allowed(f.rec.Asked)), offline)
	if len(list) > 0 && f.run.server.Offline && !f.c.NoRefresh && f.c.Grant == AuthorizationCode {
		list = append(list, offline) // AUTH-215
	}
	return list
}

// registrationBody returns the body of a registration (RFC 7591, section 3.1).
func (f *Flow) registrationBody() string {
	w := rawjson.Writer{Dst: []byte("{")}
	f.c.describe(&w)
	w.Text("token_endpoint_auth_method", f.run.server.preferred())
	return string(append(w.Dst, '}'))
}

// describe writes what a client says of itself.
func (c *Config) describe(w *rawjson.Writer) {
	w.Text("client_name", c.Name)
	grants := []string{grantTypes[c.Grant]}
	if !c.NoRefresh {
		grants = append(grants, "refresh_token") // AUTH-214
	}
	if c.Grant == AuthorizationCode {
		w.Raw("redirect_uris", string(quotes([]string{c.Redirect}))) // AUTH-044
		w.Raw("response_types", `["code"]`)
	}
	w.Raw("grant_types", string(quotes(grants)))
	w.Text("application_type", c.ApplicationType)
}

// Metadata returns the client id metadata document that is to be served at Document (AUTH-112), "" without
// one.
func (c Config) Metadata() string {
	c, err := c.filled()
	if err != nil || c.Document == "" {
		return ""
	}
	w := rawjson.Writer{Dst: []byte("{")}
	w.Text("client_id", c.Document)
	c.describe(&w)
	w.Text("token_endpoint_auth_method", c.documentMethod())
	return string(append(w.Dst, '}'))
}

// documentMethod returns how a client with a Document authenticates.
func (c *Config) documentMethod() string {
	if c.Algorithm != "" {
		return methodJWT
	}
	return methodNone
}

// quotes returns a JSON array of strings.
func quotes(list []string) []byte {
	b := []byte("[")
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendQuote(b, s)
	}
	return append(b, ']')
}

// preferred returns how a client that is about to be registered asks to authenticate: a program that people
// run keeps no secret, where the server lets it.
func (s *issuerDocument) preferred() string {
	for _, m := range []string{methodNone, methodBasic, methodPost} {
		if slices.Contains(s.Methods, m) {
			return m
		}
	}
	return methodBasic // the default of RFC 8414, section 2
}

// answerRegister takes what the registration endpoint said.
func (f *Flow) answerRegister(status int, d document, ok bool) {
	id := d.text("client_id")
	if !ok || status != 200 && status != 201 || id == "" || strings.ContainsFunc(id, func(c rune) bool { return c < ' ' || c == 0x7F }) {
		x := Failure{Reason: RegistrationRefused, Status: status}
		if ok {
			x.Code, x.Text = code(d.text("error")), said(d.text("error_description"))
		}
		f.fail(x)
		return
	}
	k := Registration{Issuer: f.run.server.Issuer, ID: id, Secret: Secret(d.text("client_secret")), Method: d.text("token_endpoint_auth_method"), Redirect: f.c.Redirect}
	if k.Secret != "" {
		if raw, has := rawjson.Get(string(d), "client_secret_expires_at"); has {
			if at, good := rawjson.Int(raw); good && at > 0 {
				k.Expires = unix(at)
			}
		}
	}
	if k.Method != methodNone && k.Method != methodBasic && k.Method != methodPost { // nothing else was asked for
		k.Method = ""
	}
	if f.run.server.preferred() == methodNone {
		k.Method, k.Secret = methodNone, "" // that is what was asked for
	}
	f.rec = f.rec.keep(k)
	f.run.client = k
	f.identified()
}

// method returns how the client authenticates at the token endpoint.
func (s *issuerDocument) method(k Registration) string {
	listed := func(m string) bool { return s.Methods == nil || slices.Contains(s.Methods, m) }
	switch {
	case k.Method == methodJWT:
		return methodJWT
	case k.Secret == "":
		return methodNone
	case (k.Method == methodBasic || k.Method == methodPost || k.Method == methodNone) && listed(k.Method):
		return k.Method
	case s.Methods != nil && !slices.Contains(s.Methods, methodBasic) && slices.Contains(s.Methods, methodPost):
		return methodPost
	}
	return methodBasic
}
