package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/oauth"
)

// Time limits of a request and of its connection.
const (
	requestTime = 30 * time.Second
	connectTime = 10 * time.Second
)

// newClients returns the clients for requests, one for each Reach. They follow no redirects and keep
// no cookies; the context of a request limits its time.
func newClients(through http.RoundTripper) (list [3]*http.Client) {
	for reach := range list {
		list[reach] = &http.Client{
			Transport:     through,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		if through == nil {
			list[reach].Transport = newTransport(oauth.Reach(reach)) //nolint:gosec // there are three
		}
	}
	return list
}

// newTransport returns a Transport that connects only to addresses that a Reach allows. It checks the
// address when it connects, because a name can resolve differently each time.
func newTransport(reach oauth.Reach) *http.Transport {
	dialer := net.Dialer{Timeout: connectTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err == nil && !reach.Allows(to.Addr()) {
			err = fmt.Errorf("login: address %s is not allowed; see Config.Trusted", to.Addr())
		}
		return err
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, DisableCompression: true,
		TLSHandshakeTimeout: connectTime, MaxResponseHeaderBytes: 64 << 10,
	}
}

// do sends a request.
func (r *Runner) do(c oauth.HTTPRequest) (oauth.Answer, error) {
	ctx, end := context.WithTimeout(r.ctx, requestTime)
	defer end()
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, strings.NewReader(string(c.Body)))
	if err != nil {
		return oauth.Answer{}, err
	}
	for _, f := range c.Fields {
		req.Header.Set(f.Name, f.Value)
	}
	if c.Proof {
		at, _, _ := strings.Cut(c.URL, "?")
		proof, err := r.proof(ctx, oauth.Proof{Method: c.Method, URL: at, Nonce: c.Nonce})
		if err != nil {
			return oauth.Answer{}, err
		}
		req.Header.Set("DPoP", proof)
	}
	resp, err := r.hc[c.Reach].Do(req)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return oauth.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.MaxBytes)+1))
	return oauth.Answer{
		Status: resp.StatusCode, Location: resp.Header.Get("Location"), Nonce: resp.Header.Get("DPoP-Nonce"), Body: body,
		RetryAfter: exchange.Read(resp.StatusCode, resp.Header.Values).RetryAfter,
	}, err
}
