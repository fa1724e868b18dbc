package jwt_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

const issuer = "https://auth.example"

// web is all that can be reached: pages by URL, each with how often it was asked for.
type web struct {
	mu    sync.Mutex
	pages map[string]func(*http.Request) (int, string)
	asked map[string]int
	down  bool
}

// RoundTrip is a request to a page; it is 404 where there is none.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	page, down := w.pages[r.URL.String()], w.down
	w.asked[r.URL.String()]++
	w.mu.Unlock()
	if down {
		return nil, errors.New("nobody answers")
	}
	status, body := 404, ""
	if page != nil {
		status, body = page(r)
	}
	header := http.Header{}
	if status == http.StatusFound {
		header.Set("Location", body)
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: header, Request: r}, nil
}

func (w *web) times(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[url]
}

func (w *web) put(url string, page func(*http.Request) (int, string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[url] = page
}

func (w *web) text(url string, status int, body string) {
	w.put(url, func(*http.Request) (int, string) { return status, body })
}

// newWeb returns a web with one issuer, which publishes the keys.
func newWeb(list ...key) *web {
	w := &web{pages: map[string]func(*http.Request) (int, string){}, asked: map[string]int{}}
	w.text(issuer+"/.well-known/oauth-authorization-server", 200, `{"issuer":"`+issuer+`","jwks_uri":"`+issuer+`/keys","introspection_endpoint":"`+issuer+`/ask"}`)
	w.publish(list...)
	return w
}

func (w *web) publish(list ...key) { w.text(issuer+"/keys", 200, published(list...)) }

// verifier returns a Verifier for the issuer of a web.
func (w *web) verifier(t testing.TB, edit ...func(*jwt.Config)) nethttp.Verifier {
	t.Helper()
	c := jwt.Config{Issuers: []jwt.Issuer{{URL: issuer}}, Client: &http.Client{Transport: w}}
	for _, f := range edit {
		f(&c)
	}
	v, err := jwt.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// key is a key of an issuer: ed25519.PrivateKey or *rsa.PrivateKey.
type key struct {
	id      string
	private crypto.Signer
}

func newKey(id string) key {
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	return key{id, private}
}

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// published is the key set of keys.
func published(list ...key) string {
	var items []string
	for _, k := range list {
		switch p := k.private.Public().(type) {
		case ed25519.PublicKey:
			items = append(items, fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","kid":%q,"x":%q}`, k.id, b64(p)))
		case *rsa.PublicKey:
			items = append(items, fmt.Sprintf(`{"kty":"RSA","kid":%q,"n":%q,"e":%q}`, k.id, b64(p.N.Bytes()), b64(big.NewInt(int64(p.E)).Bytes())))
		}
	}
	return `{"keys":[` + strings.Join(items, ",") + `]}`
}

// claims are those of a good token, with the changes of pairs; nil leaves one out.
func claims(pairs ...any) map[string]any {
	now := time.Now().Unix()
	c := map[string]any{"iss": issuer, "sub": "ann", "client_id": "app", "aud": "https://mcp.example/mcp", "scope": "tools files", "iat": now, "exp": now + 300}
	for i := 0; i < len(pairs); i += 2 {
		c[pairs[i].(string)] = pairs[i+1]
		if pairs[i+1] == nil {
			delete(c, pairs[i].(string))
		}
	}
	return c
}

// sign returns a JWT by the key, with the changes of pairs in its header.
func (k key) sign(c map[string]any, pairs ...string) string {
	head := map[string]string{"alg": "EdDSA", "kid": k.id, "typ": "at+jwt"}
	if _, ok := k.private.(*rsa.PrivateKey); ok {
		head["alg"] = "RS256"
	}
	for i := 0; i < len(pairs); i += 2 {
		head[pairs[i]] = pairs[i+1]
		if pairs[i+1] == "" {
			delete(head, pairs[i])
		}
	}
	h, _ := json.Marshal(head)
	p, _ := json.Marshal(c)
	text := b64(h) + "." + b64(p)
	var sig []byte
	switch private := k.private.(type) {
	case ed25519.PrivateKey:
		sig = ed25519.Sign(private, []byte(text))
	case *rsa.PrivateKey:
		sum := sha256.Sum256([]byte(text))
		sig, _ = rsa.SignPKCS1v15(nil, private, crypto.SHA256, sum[:])
	}
	return text + "." + b64(sig)
}

// outcome is what Verify says in a word: "ok", the description of a 401, or "503".
func outcome(t testing.TB, v nethttp.Verifier, token string) string {
	t.Helper()
	_, err := v.Verify(context.Background(), token, nil)
	var bad *nethttp.AuthError
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &bad):
		t.Fatalf("%T: %v", err, err)
	case bad.Status == 503 && bad.Code == "" && bad.Description == "" && bad.Err != nil:
		return "503"
	case bad.Status != 0 || bad.Code != "invalid_token":
		t.Fatalf("%+v", bad)
	}
	return bad.Description
}

func issuedBy(url string) func(*jwt.Config) {
	return func(c *jwt.Config) { c.Issuers[0].URL = url }
}
