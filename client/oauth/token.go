package oauth

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/headers"
)

const formType = "application/x-www-form-urlencoded"

// enterGrant begins the grant of a machine (AUTH-301): it asks for the Subject where there has to be one.
func (f *Flow) enterGrant() {
	f.rec.Asked = union(f.rec.Asked, f.run.scope)
	switch {
	case f.c.Grant != ClientCredentials && f.run.subject == "":
		f.run.step, f.phase = stepGrant, Asking
	case f.c.Grant == Enterprise:
		f.enter(stepProvider)
	default:
		f.enter(stepToken)
	}
}

// ask makes the request to a token endpoint; a client with a key signs first.
func (f *Flow) ask(r Random, at string) {
	k, server := f.requester()
	if server.method(k) != methodJWT || f.run.signed != "" {
		f.demand(at)
		return
	}
	audience := f.run.server.Issuer
	if f.run.step == stepProvider {
		audience = at
	}
	f.run.signing, f.phase = f.signing(r, k.ID, audience), Asking
}

// signing returns what is signed of an assertion of the client (RFC 7523, section 3; AUTH-302).
func (f *Flow) signing(r Random, id, audience string) string {
	head := rawjson.Writer{Dst: []byte("{")}
	head.Text("alg", f.c.Algorithm)
	head.Text("kid", f.c.KeyID)
	head.Text("typ", "JWT")
	claims := rawjson.Writer{Dst: []byte("{")}
	claims.Text("iss", id)
	claims.Text("sub", id)
	claims.Text("aud", audience)
	claims.Text("jti", f.derive(r, "jti"))
	now := f.now.Unix()
	claims.Raw("iat", strconv.FormatInt(now, 10))
	claims.Raw("exp", strconv.FormatInt(now+int64(assertionLife/time.Second), 10))
	return base64.RawURLEncoding.EncodeToString(append(head.Dst, '}')) + "." + base64.RawURLEncoding.EncodeToString(append(claims.Dst, '}'))
}

// assertionLife is how long an assertion of the client is good for.
const assertionLife = 5 * time.Minute

// requester returns what the client is known by at the token endpoint of the step, and what that server
// says of itself.
func (f *Flow) requester() (Registration, *issuerDocument) {
	if f.run.step == stepProvider {
		k := f.c.Provider.Client
		return Registration{ID: k.ID, Secret: k.Secret, Method: k.Method}, &issuerDocument{}
	}
	return f.run.client, &f.run.server
}

// tokenRequest returns the header fields and the form of the request to a token endpoint.
func (f *Flow) tokenRequest() ([]headers.Field, Secret) {
	var v values
	f.parameters(&v)
	k, server := f.requester()
	fields := []headers.Field{{Name: headers.Accept, Value: headers.JSON}, {Name: headers.ContentType, Value: formType}}
	switch server.method(k) {
	case methodBasic: // both are encoded as a form first (RFC 6749, section 2.3.1)
		pair := url.QueryEscape(k.ID) + ":" + url.QueryEscape(string(k.Secret))
		fields = append(fields, headers.Field{Name: headers.Authorization, Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))})
	case methodPost:
		v.add("client_id", k.ID)
		v.add("client_secret", string(k.Secret))
	case methodJWT:
		v.add("client_id", k.ID)
		v.add("client_assertion_type", typeAssertion)
		v.add("client_assertion", string(f.run.signed))
	default:
		if k.ID != "" {
			v.add("client_id", k.ID)
		}
	}
	return fields, Secret(v)
}

// parameters writes what a grant needs, and what every request has: the resource (AUTH-017).
func (f *Flow) parameters(v *values) {
	scope := strings.Join(f.run.scope, " ")
	switch {
	case f.run.step == stepProvider:
		v.add("grant_type", grantExchange)
		v.add("requested_token_type", typeIDJAG)
		v.add("audience", f.run.server.Issuer)
		v.add("subject_token", string(f.run.subject))
		v.add("subject_token_type", f.c.SubjectType)
	case f.run.refresh:
		v.add("grant_type", "refresh_token")
		v.add("refresh_token", string(f.rec.Token.Refresh))
		scope = "" // the same as before (AUTH-119)
	case f.c.Grant == AuthorizationCode:
		v.add("grant_type", "authorization_code")
		v.add("code", string(f.run.code))
		v.add("redirect_uri", f.run.redirect)
		v.add("code_verifier", string(f.run.verifier))
		scope = "" // the person agreed to it
	case f.c.Grant == ClientCredentials:
		v.add("grant_type", "client_credentials")
	case f.c.Grant == Exchange:
		v.add("grant_type", grantExchange)
		v.add("subject_token", string(f.run.subject))
		v.add("subject_token_type", f.c.SubjectType)
	case f.c.Grant == Enterprise: // AUTH-304
		v.add("grant_type", grantJWT)
		v.add("assertion", string(f.run.grant))
	default: // AUTH-307
		v.add("grant_type", grantJWT)
		v.add("assertion", string(f.run.subject))
	}
	v.add("resource", f.run.meta.Resource) // whatever the server says of it (AUTH-016, AUTH-017, AUTH-018, AUTH-023)
	if scope != "" {
		v.add("scope", scope)
	}
}

// answerProvider takes the ID-JAG.
func (f *Flow) answerProvider(status int, d document, ok bool) {
	grant := d.text("access_token")
	if !ok || status != 200 || !token(grant) || d.text("issued_token_type") != typeIDJAG || !strings.EqualFold(d.text("token_type"), "N_A") {
		f.refused(status, d, ok)
		return
	}
	f.run.grant, f.run.signed, f.run.nonced = Secret(grant), "", false
	f.enter(stepToken)
}

// answerToken handles the answer to a token request: the token, or the error.
func (f *Flow) answerToken(status int, d document, ok bool) {
	kind := "Bearer"
	if f.c.Proof {
		kind = "DPoP"
	}
	access := d.text("access_token")
	if ok && status == 200 && token(access) && strings.EqualFold(d.text("token_type"), kind) {
		f.accept(kind, Secret(access), d)
		return
	}
	e := d.text("error")
	unknown := ok && (e == "invalid_client" || e == "unauthorized_client") && f.dynamic() && !f.run.renewed
	if unknown {
		f.rec = f.rec.drop(f.run.server.Issuer)
		f.run.renewed = true
	}
	switch {
	case ok && e == "use_dpop_nonce" && f.c.Proof && f.run.nonce != "" && !f.run.nonced:
		f.run.nonced, f.run.signed = true, ""
		f.enter(f.run.step)
	case f.run.refresh && (status == 400 || status == 401):
		f.renounced()
	case unknown:
		f.run.code = ""
		f.enter(stepIdentity)
	case f.c.Grant == Enterprise && ok && e == "invalid_grant" && !f.run.twice: // the ID-JAG may have expired
		f.run.twice, f.run.grant, f.run.signed = true, "", ""
		f.enter(stepProvider)
	default:
		f.refused(status, d, ok)
	}
}

// dynamic reports whether the client was registered by the Flow.
func (f *Flow) dynamic() bool {
	k, ok := f.rec.registration(f.run.server.Issuer)
	return ok && !k.Bound && k.ID == f.run.client.ID
}

// renounced drops the refresh token, which the authorization server no longer accepts: some answer
// invalid_request to it. A token that is still good stays in use.
func (f *Flow) renounced() {
	f.rec.Token.Refresh, f.run.refresh, f.run.signed = "", false, ""
	if _, ok := f.live(); ok && f.run.why == renewal {
		f.rec.Token.Renew = f.rec.Token.Expires
		f.phase, f.run = Ready, run{}
		return
	}
	f.rec.Token.Access = ""
	if f.run.why == login {
		f.logins = max(f.logins-1, 0) // it is counted where it goes on
	}
	f.run.why = login
	if !f.run.found { // nothing but the issuer was asked
		f.run.place, f.run.server = 0, issuerDocument{}
		f.enter(stepResource)
		return
	}
	f.enter(stepIdentity)
}

// live returns the token if it is good. One that is bound to a key needs Config.Proof.
func (f *Flow) live() (Token, bool) {
	t := f.rec.Token
	return t, t.Access != "" && (f.c.Proof || !strings.EqualFold(t.Type, "DPoP")) && (t.Expires.IsZero() || f.now.Before(t.Expires))
}

// refused ends the run with what a token endpoint said.
func (f *Flow) refused(status int, d document, ok bool) {
	x := Failure{Reason: Refused, Status: status}
	if !ok || status/100 == 2 {
		x.Reason = Malformed
	}
	if ok {
		x.Code, x.Text = code(d.text("error")), said(d.text("error_description"))
	}
	f.fail(x)
}

// accept ends the run with a token, which goes to the server of its resource alone (AUTH-032), with a refresh
// token or without (AUTH-216).
func (f *Flow) accept(kind string, access Secret, d document) {
	t := Token{Access: access, Type: kind, Resource: f.run.meta.Resource, Refresh: Secret(d.text("refresh_token"))}
	t.Scope = strings.Join(scopes(strings.Fields(d.text("scope"))), " ")
	old := f.rec.Token
	if f.run.refresh {
		t.Refresh = cmp.Or(t.Refresh, old.Refresh)
		t.Scope = cmp.Or(t.Scope, old.Scope)
	}
	t.Scope = cmp.Or(t.Scope, strings.Join(without(f.run.scope, offline), " "))
	if life, ok := d.seconds("expires_in"); ok {
		t.Expires = f.now.Add(life)
		t.Renew = t.Expires.Add(-min(time.Minute, life/10))
	}
	f.rec.Issuer, f.rec.Token, f.rec.Legacy = f.run.server.Issuer, t, f.run.server.Legacy
	f.phase, f.run, f.failure = Ready, run{}, nil
}

// token reports whether a text can be a token: no header carries anything else (RFC 6750, section 2.1).
func token(s string) bool {
	_, ok := headers.Bearer("Bearer " + s)
	return ok
}
