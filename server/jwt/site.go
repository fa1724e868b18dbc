package jwt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

const (
	maxDocument    = 256 << 10        // bytes of an issuer's answer
	requestTimeout = 10 * time.Second // of a request to an issuer
	keepDocument   = time.Hour        // metadata, and the keys of an issuer
	retryAfter     = 5 * time.Second  // between two failures
)

// site is an issuer as a web site. Its metadata is read when it is needed, and kept.
type site struct {
	issuer string
	client *http.Client

	mu   sync.Mutex
	doc  metadata
	err  error
	next time.Time // when doc may be read again
}

// metadata is the metadata of an issuer (RFC 8414).
type metadata struct {
	Issuer        string `json:"issuer"`
	Keys          string `json:"jwks_uri"`
	Introspection string `json:"introspection_endpoint"`
}

// requester returns the client of all requests to issuers. It follows no redirect: an endpoint must
// be where the issuer says, because it may get a token.
func requester(c *http.Client) *http.Client {
	var own http.Client
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if own.Timeout == 0 {
		own.Timeout = requestTimeout
	}
	return &own
}

// metadata returns the metadata of the issuer. If the issuer does not answer, its last metadata
// stays valid.
func (s *site) metadata(ctx context.Context) (metadata, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Before(s.next) {
		doc, err := s.read(ctx)
		if err == nil {
			s.doc, s.err, s.next = doc, nil, now.Add(keepDocument)
		} else {
			if s.doc.Issuer == "" {
				s.err = err
			}
			s.next = now.Add(retryAfter)
		}
	}
	return s.doc, s.err
}

// read asks at each place where the metadata may be. After a place without a document, or with the
// document of another issuer, it asks at the next.
func (s *site) read(ctx context.Context) (doc metadata, err error) {
	for _, place := range places(s.issuer) {
		status, body, failed := s.get(ctx, place)
		switch {
		case failed != nil:
			return doc, failed
		case status >= 500:
			return doc, fmt.Errorf("jwt: %s: status %d", place, status)
		case status != http.StatusOK:
			err = errors.Join(err, fmt.Errorf("jwt: %s: status %d", place, status))
			continue
		}
		doc = metadata{}
		if failed = json.Unmarshal(body, &doc); failed == nil && doc.Issuer == s.issuer {
			return doc, nil
		}
		err = errors.Join(err, fmt.Errorf("jwt: %s: not the metadata of %s: %.100s", place, s.issuer, body))
	}
	return metadata{}, err
}

// get reads a URL.
func (s *site) get(ctx context.Context, place string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Accept", "application/json")
	return s.do(r)
}

func (s *site) do(r *http.Request) (status int, body []byte, err error) {
	a, err := s.client.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("jwt: issuer %s: %w", s.issuer, err)
	}
	defer func() { _ = a.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(a.Body, maxDocument+1))
	if err == nil && len(body) > maxDocument {
		err = errors.New("the answer is longer than 256 KiB")
	}
	if err != nil {
		return 0, nil, fmt.Errorf("jwt: issuer %s: %w", s.issuer, err)
	}
	return a.StatusCode, body, nil
}

// endpoint returns the URL of an endpoint in the metadata, if a token may be sent there.
func (s *site) endpoint(name, u string) (string, error) {
	var f lifecycle.Filler
	checkURL(&f, name, u, s.issuer)
	if err := f.Err("jwt"); err != nil {
		return "", fmt.Errorf("jwt: metadata of %s: %w", s.issuer, err)
	}
	return u, nil
}

// places returns the URLs where the metadata of an issuer may be.
func places(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	list := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		list = append(list, origin+path+"/.well-known/openid-configuration")
	}
	return list
}

// checkURL reports a URL that is not safe for keys or tokens: https is, and http on a loopback
// address. If the issuer has https, its endpoints need it too.
func checkURL(f *lifecycle.Filler, field, text, issuer string) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || issuer == "" && u.RawQuery != "" {
		f.Wrong(field, text, "want an absolute URL, without user, fragment, and for an issuer without query")
		return
	}
	local := u.Scheme == "http" && headers.Loopback(u.Hostname()) && !strings.HasPrefix(issuer, "https:")
	if u.Scheme != "https" && !local {
		f.Wrong(field, text, "want https, or http on a loopback address")
	}
}
