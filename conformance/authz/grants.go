package authz

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	bearerGrant   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	idJAG         = "urn:ietf:params:oauth:token-type:id-jag"
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// S256 returns the challenge of a verifier.
func S256(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// secret returns a new secret, which no other secret of the World contains.
func (w *World) secret(kind string) string {
	return fmt.Sprintf("%s~%d~%d~", kind, len(w.Issued), len(w.Seen))
}

// Issue makes a token, and returns it.
func (w *World) Issue(now time.Time, t Token) *Token {
	t.Value, t.Expires = w.secret(t.Kind), now.Add(10*time.Minute)
	w.Issued = append(w.Issued, &t)
	return &t
}

func (w *World) issued(kind, value string) *Token {
	for _, t := range w.Issued {
		if t.Value == value && t.Kind == kind {
			return t
		}
	}
	return nil
}

func (t *Token) valid(now time.Time) bool { return t != nil && !t.Dead && now.Before(t.Expires) }

// kill ends all tokens of an authorization.
func (w *World) kill(family int) {
	for _, t := range w.Issued {
		t.Dead = t.Dead || t.Family == family
	}
}

func (w *World) client(i *Issuer, id string) *Client {
	if c := i.Clients[id]; c != nil || !i.CIMD {
		return c
	}
	return w.Documents[id]
}

// Approve returns where the browser of a person who opened a page ends: at the redirect uri
// with a code or an error, or "" if it stays at a page of the authorization server.
func (w *World) Approve(now time.Time, page string) string {
	w.Pages = append(w.Pages, page)
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	place, _, i := w.find(page)
	q := u.Query()
	if place != Authorize || w.Person == Wait {
		return ""
	}
	c := w.client(i, q.Get("client_id"))
	if c == nil || !slices.Contains(c.Redirects, q.Get("redirect_uri")) {
		return ""
	}
	said := map[string]any{"state": q.Get("state")}
	if !i.NoIss {
		said["iss"] = i.ID
	}
	switch {
	case q.Get("response_type") != "code":
		said["error"] = "unsupported_response_type"
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		said["error"], said["error_description"] = "invalid_request", "PKCE with S256 is required"
	case len(q["resource"]) != 1:
		said["error"] = "invalid_target"
	case w.Person == Refuse:
		said["error"], said["error_description"] = "access_denied", "no\x1b[31m, \"never\""
	default:
		said["code"] = w.Issue(now, Token{
			Kind: "code", Issuer: i.ID, Client: c.ID, Resource: q.Get("resource"), Scope: strings.Fields(q.Get("scope")),
			Redirect: q.Get("redirect_uri"), Challenge: q.Get("code_challenge"), Family: len(w.Issued),
		}).Value
	}
	back := url.Values{}
	for name, v := range w.change(Authorize, page, said) {
		if v != nil {
			back.Set(name, fmt.Sprint(v))
		}
	}
	to := q.Get("redirect_uri")
	if strings.Contains(to, "?") {
		return to + "&" + back.Encode()
	}
	return to + "?" + back.Encode()
}

func (w *World) register(i *Issuer, r Request) Response {
	var m map[string]any
	var body struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	if !i.DCR || json.Unmarshal([]byte(r.Body), &m) != nil || json.Unmarshal([]byte(r.Body), &body) != nil {
		return refusal(400, "invalid_client_metadata")
	}
	for _, to := range body.Redirects {
		if u, err := url.Parse(to); err != nil || u.Fragment != "" || u.Scheme == "http" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" && u.Hostname() != "::1" {
			return refusal(400, "invalid_redirect_uri")
		}
	}
	c := &Client{ID: w.secret("client"), Method: body.Method, Redirects: body.Redirects}
	if c.Method == "" {
		c.Method = "client_secret_basic"
	}
	m["client_id"], m["token_endpoint_auth_method"] = c.ID, c.Method
	if c.Method != "none" {
		c.Secret = w.secret("secret")
		m["client_secret"], m["client_secret_expires_at"] = c.Secret, 0
	}
	if i.Clients == nil {
		i.Clients = map[string]*Client{}
	}
	i.Clients[c.ID] = c
	m = w.change(Register, r.URL, m)
	if method, ok := m["token_endpoint_auth_method"].(string); ok {
		c.Method = method
	}
	if secret, ok := m["client_secret"].(string); ok && c.Method != "none" {
		c.Secret = secret
	}
	return answer(201, m)
}

func refusal(status int, code string) Response {
	return answer(status, map[string]any{"error": code, "error_description": "refused: " + code})
}

// authenticate returns the client of a form or a header.
func (w *World) authenticate(now time.Time, i *Issuer, r Request, form url.Values) *Client {
	id, secret, method := form.Get("client_id"), form.Get("client_secret"), "none"
	if secret != "" {
		method = "client_secret_post"
	}
	if basic, ok := strings.CutPrefix(r.Header["Authorization"], "Basic "); ok {
		text, err := base64.StdEncoding.DecodeString(basic)
		a, b, _ := strings.Cut(string(text), ":")
		a, errA := url.QueryUnescape(a)
		b, errB := url.QueryUnescape(b)
		if err != nil || errA != nil || errB != nil || secret != "" || id != "" && id != a {
			return nil
		}
		id, secret, method = a, b, "client_secret_basic"
	}
	if assertion := form.Get("client_assertion"); assertion != "" {
		return w.asserted(now, i, assertion, form)
	}
	c := w.client(i, id)
	if c == nil || c.Method != method || c.Secret != secret {
		return nil
	}
	return c
}

// asserted returns the client of a private_key_jwt.
func (w *World) asserted(now time.Time, i *Issuer, assertion string, form url.Values) *Client {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 || form.Get("client_assertion_type") != assertionType || w.Assertions[assertion] != "" {
		return nil
	}
	text, _ := base64.RawURLEncoding.DecodeString(parts[1])
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	var claims struct {
		Iss, Sub, Aud, Jti string
		Exp                int64
	}
	if json.Unmarshal(text, &claims) != nil || claims.Iss != claims.Sub || claims.Aud != i.ID || claims.Jti == "" || claims.Exp <= now.Unix() {
		return nil
	}
	c := w.client(i, claims.Sub)
	if c == nil || c.Method != "private_key_jwt" || c.Verify == nil || !c.Verify(parts[0]+"."+parts[1], string(signature)) {
		return nil
	}
	if w.Assertions == nil {
		w.Assertions = map[string]string{}
	}
	w.Assertions[assertion] = "used"
	return c
}

// token answers at the token endpoint.
func (w *World) token(now time.Time, i *Issuer, r Request) Response {
	form, err := url.ParseQuery(r.Body)
	if err != nil || len(form["resource"]) > 1 {
		return refusal(400, "invalid_request")
	}
	grant := form.Get("grant_type")
	c := w.authenticate(now, i, r, form)
	if c == nil && grant == bearerGrant && form.Get("client_id") == "" && r.Header["Authorization"] == "" { // a workload is not a client
		c = &Client{}
	}
	if c == nil {
		return refusal(401, "invalid_client")
	}
	t := Token{Issuer: i.ID, Client: c.ID, Resource: form.Get("resource"), Scope: strings.Fields(form.Get("scope")), Family: len(w.Issued)}
	switch grant {
	case "authorization_code", "refresh_token":
		old := w.issued("refresh", form.Get("refresh_token"))
		if grant == "authorization_code" {
			old = w.issued("code", form.Get("code"))
		}
		if old != nil && old.Used {
			w.kill(old.Family)
		}
		switch {
		case !old.valid(now), old.Used, old.Issuer != i.ID, old.Client != c.ID, old.Redirect != form.Get("redirect_uri"),
			old.Challenge != "" && old.Challenge != S256(form.Get("code_verifier")):
			return refusal(400, "invalid_grant")
		case t.Resource != old.Resource:
			return refusal(400, "invalid_target")
		case slices.ContainsFunc(t.Scope, func(s string) bool { return !slices.Contains(old.Scope, s) }):
			return refusal(400, "invalid_scope")
		}
		old.Used = true
		if t.Scope, t.Family = old.Scope, old.Family; form.Has("scope") {
			t.Scope = strings.Fields(form.Get("scope"))
		}
		return w.give(now, i, r.URL, t, true)
	case "client_credentials":
		if c.Method == "none" {
			return refusal(400, "unauthorized_client")
		}
		return w.give(now, i, r.URL, t, false)
	case exchangeGrant:
		return w.exchange(now, i, r.URL, t, form)
	case bearerGrant:
		jag := w.issued("id-jag", form.Get("assertion"))
		switch {
		case jag.valid(now) && jag.Client == i.ID && !jag.Used: // its audience
			t.Resource, jag.Used = jag.Resource, true
		case w.Assertions[form.Get("assertion")] != i.ID:
			return refusal(400, "invalid_grant")
		}
		return w.give(now, i, r.URL, t, false)
	}
	return refusal(400, "unsupported_grant_type")
}

// exchange answers a token exchange: for an id-jag with Client as the audience, or an access token.
func (w *World) exchange(now time.Time, i *Issuer, at string, t Token, form url.Values) Response {
	if w.Assertions[form.Get("subject_token")] != i.ID || form.Get("subject_token_type") == "" {
		return refusal(400, "invalid_grant")
	}
	if form.Get("requested_token_type") != idJAG {
		return w.give(now, i, at, t, false)
	}
	if form.Get("audience") == "" || t.Resource == "" {
		return refusal(400, "invalid_target")
	}
	t.Kind, t.Client = "id-jag", form.Get("audience")
	return answer(200, w.change(Tokens, at, map[string]any{
		"access_token": w.Issue(now, t).Value, "issued_token_type": idJAG, "token_type": "N_A", "expires_in": 300,
	}))
}

// give issues an access token, and a refresh token with it.
func (w *World) give(now time.Time, i *Issuer, at string, t Token, refresh bool) Response {
	life := i.Life
	if life == 0 {
		life = time.Hour
	}
	t.Kind = "access"
	access := w.Issue(now, t)
	access.Expires = now.Add(life)
	m := map[string]any{"access_token": access.Value, "token_type": "Bearer", "expires_in": int(life / time.Second), "scope": strings.Join(t.Scope, " ")}
	if refresh && (!slices.Contains(i.Scopes, "offline_access") || slices.Contains(t.Scope, "offline_access")) {
		t.Kind = "refresh"
		fresh := w.Issue(now, t)
		fresh.Expires = now.Add(1000 * life)
		m["refresh_token"] = fresh.Value
	}
	return answer(200, w.change(Tokens, at, m))
}

// lookup revokes a token, with its family if it is a refresh token, or describes it.
func (w *World) lookup(now time.Time, i *Issuer, p Place, r Request) Response {
	form, err := url.ParseQuery(r.Body)
	if err != nil || w.authenticate(now, i, r, form) == nil {
		return refusal(401, "invalid_client")
	}
	t := w.issued("access", form.Get("token"))
	if t == nil {
		t = w.issued("refresh", form.Get("token"))
	}
	switch {
	case p == Introspect && t.valid(now) && t.Issuer == i.ID:
		return answer(200, map[string]any{"active": true, "iss": t.Issuer, "client_id": t.Client, "aud": t.Resource, "scope": strings.Join(t.Scope, " "), "exp": t.Expires.Unix()})
	case p == Introspect:
		return answer(200, map[string]any{"active": false})
	case t != nil && t.Issuer == i.ID && t.Kind == "refresh":
		w.kill(t.Family)
	case t != nil && t.Issuer == i.ID:
		t.Dead = true
	}
	return Response{Status: 200}
}
