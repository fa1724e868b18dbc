package login_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// patience is how long what has to happen may take, however busy the machine is.
const patience = 20 * time.Second

// authServer is a server of MCP and its authorization server in one, on this machine. It issues each code and
// each refresh token for one use; a refresh token that comes twice ends the family.
type authServer struct {
	t   testing.TB
	url string

	mu       sync.Mutex
	calls    []string            // method and path of each request
	codes    map[string][]string // challenge and redirect
	refresh  string              // the one that is good; "" after a reuse
	serial   int
	life     int // of tokens, in seconds; 0: not said
	answer   func(w http.ResponseWriter, r *http.Request) bool
	logins   int
	renewals int
}

func newAuthServer(t testing.TB) *authServer {
	s := &authServer{t: t, codes: map[string][]string{}}
	srv := httptest.NewServer(s)
	s.url = srv.URL
	t.Cleanup(srv.Close)
	return s
}

func (s *authServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	reply := func(v map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		reply(map[string]any{"resource": s.url + "/mcp", "authorization_servers": []string{s.url}, "scopes_supported": []string{"a"}})
	case "/.well-known/oauth-authorization-server":
		reply(map[string]any{"issuer": s.url, "authorization_endpoint": s.url + "/authorize", "token_endpoint": s.url + "/token",
			"registration_endpoint": s.url + "/register", "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"}})
	case "/register":
		reply(map[string]any{"client_id": "c1"})
	case "/authorize":
		q := r.URL.Query()
		code := s.next("code")
		s.codes[code] = []string{q.Get("code_challenge"), q.Get("redirect_uri")}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code="+code+"&state="+q.Get("state"), http.StatusFound)
	case "/token":
		q, _ := parseForm(body)
		sum := sha256.Sum256([]byte(q["code_verifier"]))
		code := s.codes[q["code"]]
		delete(s.codes, q["code"])
		switch {
		case q["grant_type"] == "authorization_code" && len(code) == 2 && code[0] == base64.RawURLEncoding.EncodeToString(sum[:]) && code[1] == q["redirect_uri"]:
			s.logins++
		case q["grant_type"] == "refresh_token" && s.refresh != "" && q["refresh_token"] == s.refresh:
			s.renewals++
		default:
			s.refresh = ""
			w.WriteHeader(http.StatusBadRequest)
			reply(map[string]any{"error": "invalid_grant"})
			return
		}
		s.refresh = s.next("refresh")
		token := map[string]any{"access_token": s.next("access"), "token_type": "Bearer", "refresh_token": s.refresh}
		if s.life > 0 {
			token["expires_in"] = s.life
		}
		reply(token)
	default:
		http.NotFound(w, r)
	}
}

func (s *authServer) next(what string) string {
	s.serial++
	return fmt.Sprintf("%s-%d", what, s.serial)
}

func (s *authServer) set(answer func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// count returns how many requests there were for a path.
func (s *authServer) count(call string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

func parseForm(body []byte) (map[string]string, error) {
	r, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	err = r.ParseForm()
	form := map[string]string{}
	for name := range r.Form {
		form[name] = r.Form.Get(name)
	}
	return form, err
}

// browse is a person who agrees at once, in a browser that follows the redirect.
func browse(ctx context.Context, p oauth.Page) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || !strings.Contains(string(text), "close this window") {
		return fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return nil
}

// answerOf returns the query by which the authorization server sends a person back.
func answerOf(t testing.TB, p oauth.Page) string {
	t.Helper()
	hc := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := hc.Get(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	return back.RawQuery
}

// refused is what a server wants that takes no token.
func (s *authServer) refused(used oauth.Secret) oauth.Need {
	return oauth.Need{Status: 401, Used: used, Challenge: headers.Challenge{ResourceMetadata: s.url + "/.well-known/oauth-protected-resource/mcp"}}
}
