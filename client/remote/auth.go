package remote

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

var (
	errToken  = errors.New("remote: invalid token; want it alone, without Bearer")
	errOrigin = errors.New("remote: the token is for another server; want an Authorizer for each") // AUTH-032
)

// wantsToken reports whether the server may accept the request with another token.
func wantsToken(f exchange.Failure) bool {
	e := f.Challenge.Error
	return f.Reason == exchange.Unauthorized && (f.Status != http.StatusForbidden || e == "" || e == "insufficient_scope")
}

// authorize gets the token of the next request.
func (k *talk) authorize() bool {
	token, err := k.ask(oauth.Need{})
	if err != nil {
		k.fatal = err
		return false
	}
	k.token = token
	return true
}

// reauthorize gets a token to replace the refused one.
func (k *talk) reauthorize(f exchange.Failure) error {
	_, err := k.ask(oauth.Need{Status: f.Status, Challenge: f.Challenge, Used: k.token.Access})
	return err
}

// pauseAfter is how long to wait for a token before the Transport reports the request as paused. Most tokens
// are available at once, without a report.
const pauseAfter = 100 * time.Millisecond

// ask gets a token. If a person must be asked, that can take long, and does not count against the server's
// time.
func (k *talk) ask(need oauth.Need) (oauth.Token, error) {
	if p := k.waits; k.s.t.auth != nil && p.request() {
		p.asking(true)
		defer p.asking(false)
		told := make(chan struct{})
		timer := time.AfterFunc(pauseAfter, func() {
			defer close(told)
			p.report(links.Arrival{Req: p.o.Req, Paused: true})
		})
		defer func() {
			if !timer.Stop() {
				<-told
				p.report(links.Arrival{Req: p.o.Req, Resumed: true})
			}
		}()
	}
	return k.s.t.token(k.ctx, need)
}

// asking records whether the message waits for a token.
func (p *post) asking(is bool) {
	p.s.t.mu.Lock()
	p.asks = is
	p.s.t.mu.Unlock()
}

// token gets a token from the Authorizer.
func (t *transport) token(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	if t.auth == nil {
		return oauth.Token{}, nil
	}
	token, err := t.auth.Authorize(ctx, need)
	if err != nil || token.Access == "" {
		return oauth.Token{}, err
	}
	if !t.safe {
		return oauth.Token{}, ErrInsecure
	}
	for _, word := range [...]string{token.Type, string(token.Access)} {
		if _, ok := headers.Bearer("Bearer " + word); !ok {
			return oauth.Token{}, errToken
		}
	}
	if token.Resource != "" {
		of, err := url.Parse(token.Resource)
		own, _ := url.Parse(t.url)
		if err != nil || own == nil || !covers(of, own) {
			return oauth.Token{}, errOrigin
		}
	}
	return token, nil
}

// covers reports whether a token for the resource of is valid for a server: same origin, and its path or one
// above it. After the url of a server has changed, its last link may still ask, and would get the token of
// the new path.
func covers(of, server *url.URL) bool {
	above, path := strings.TrimSuffix(of.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	return sameOrigin(of, server) && (path == above || strings.HasPrefix(path, above+"/"))
}

// took reports to the Authorizer that the server accepts a token, once for each token.
func (k *talk) took(status int) {
	t, used := k.s.t, k.token.Access
	if t.auth == nil || used == "" || status/100 != 2 {
		return
	}
	if last, _ := t.taken.Swap(used).(oauth.Secret); last != used {
		_, _ = t.auth.Authorize(k.ctx, oauth.Need{Status: status, Used: used})
	}
}

// sign adds the token to a request, and the proof of its owner.
func (k *talk) sign(req *http.Request) error {
	if k.token.Access == "" {
		return nil
	}
	req.Header.Set(headers.Authorization, k.token.Type+" "+string(k.token.Access))
	if !k.proves() {
		return nil
	}
	at := *req.URL
	at.RawQuery, at.Fragment, at.RawFragment, at.ForceQuery, at.User = "", "", "", false, nil
	nonce, _ := k.s.t.nonce.Load().(string)
	proof, err := k.s.t.auth.Prove(req.Context(), oauth.Proof{Method: req.Method, URL: at.String(), Nonce: nonce, Token: k.token.Access})
	if err == nil {
		req.Header.Set("DPoP", proof)
	}
	return err
}

// proves reports whether each request needs a proof.
func (k *talk) proves() bool { return strings.EqualFold(k.token.Type, "DPoP") }

// nonced stores the nonce that the server requires in later proofs, and reports whether the server
// refused the request for lack of it (RFC 9449, section 9).
func (k *talk) nonced(resp *http.Response) bool {
	if !k.proves() {
		return false
	}
	nonce := resp.Header.Get("DPoP-Nonce")
	if nonce == "" {
		return false
	}
	k.s.t.nonce.Store(nonce)
	return resp.StatusCode == http.StatusUnauthorized && strings.Contains(strings.Join(resp.Header.Values(headers.Authenticate), ","), "use_dpop_nonce")
}
