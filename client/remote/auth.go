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

// wantsToken reports whether another token may change what the server says.
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

// reauthorize gets another token than the one that was refused.
func (k *talk) reauthorize(f exchange.Failure) error {
	_, err := k.ask(oauth.Need{Status: f.Status, Challenge: f.Challenge, Used: k.token.Access})
	return err
}

// pauseAfter is how long a token may take before the time of the request that waits for it stands still. Most are there at
// once, and nobody need hear of them.
const pauseAfter = 100 * time.Millisecond

// ask gets a token. It may take its time, for a person may be asked, and that is not the time of the server.
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

// asking notes whether the message waits for a token.
func (p *post) asking(is bool) {
	p.s.t.mu.Lock()
	p.asks = is
	p.s.t.mu.Unlock()
}

// token asks the Authorizer.
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

// covers reports whether a token of a resource is for a server: of the same origin, and of its path or one above it. A
// link to where the server was before may ask last for what is the token of another path by now.
func covers(of, server *url.URL) bool {
	above, path := strings.TrimSuffix(of.EscapedPath(), "/"), strings.TrimSuffix(server.EscapedPath(), "/")
	return sameOrigin(of, server) && (path == above || strings.HasPrefix(path, above+"/"))
}

// took tells the Authorizer that the server takes a token, once for each.
func (k *talk) took(status int) {
	t, used := k.s.t, k.token.Access
	if t.auth == nil || used == "" || status/100 != 2 {
		return
	}
	if last, _ := t.taken.Swap(used).(oauth.Secret); last != used {
		_, _ = t.auth.Authorize(k.ctx, oauth.Need{Status: status, Used: used})
	}
}

// sign puts the token on a request, and the proof of who uses it.
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

// proves reports whether each request has a proof.
func (k *talk) proves() bool { return strings.EqualFold(k.token.Type, "DPoP") }

// nonced keeps the nonce that the server wants in proofs from now on, and reports whether it refused the
// request for want of it (RFC 9449, section 9).
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
