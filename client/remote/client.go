package remote

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxRedirects is how many redirects within the origin are followed.
const maxRedirects = 5

// newClient returns a copy of an http.Client that stays within its origin, and the CheckRedirect of the
// original.
func newClient(from *http.Client) (hc *http.Client, redirect func(*http.Request, []*http.Request) error, own bool) {
	hc = new(http.Client)
	if from != nil {
		*hc = *from
	} else {
		pool, ok := http.DefaultTransport.(*http.Transport)
		if !ok {
			pool = new(http.Transport) // the program has replaced it
		}
		pool = pool.Clone()
		pool.DisableCompression = true // some servers compress streams, and so delay events
		pool.MaxResponseHeaderBytes = 1 << 20
		pool.MaxIdleConnsPerHost = 16
		// Servers on Node.js and on uvicorn close a connection after 5 s of silence. A message sent at that
		// moment may or may not have run.
		pool.IdleConnTimeout = 4 * time.Second
		pool.HTTP2 = &http.HTTP2Config{SendPingTimeout: time.Minute} // detects dead connections
		hc.Transport, own = pool, true
	}
	hc.Timeout = 0
	mine := hc.CheckRedirect
	hc.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0]
		switch {
		case !sameOrigin(req.URL, first.URL), first.Method == http.MethodPost:
			// Neither messages nor tokens go to another origin (AUTH-062), and a message must not
			// become a GET. The redirect response itself counts, which is not a success. talk.do
			// repeats a POST, because it records what happened to each.
			return http.ErrUseLastResponse
		case req.Method != first.Method:
			return http.ErrUseLastResponse
		case len(via) > maxRedirects:
			return errors.New("remote: too many redirects")
		case mine != nil:
			return mine(req, via)
		}
		return nil
	}
	return hc, mine, own
}

// trip sends a request. An http.Client follows no redirect of a POST (see newClient); the rest of its work is
// done here, without copies of the header and the url.
func (t *transport) trip(req *http.Request) (*http.Response, error) {
	if t.pool == nil || req.Method != http.MethodPost {
		return t.hc.Do(req)
	}
	resp, err := t.pool.RoundTrip(req)
	if err != nil {
		var begin tls.RecordHeaderError // on the heap, for errors.As
		if errors.As(err, &begin) && string(begin.RecordHeader[:]) == "HTTP/" {
			err = http.ErrSchemeMismatch
		}
	}
	return resp, err
}

// sameOrigin reports whether scheme, host and port are the same.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	default:
		return "80"
	}
}
