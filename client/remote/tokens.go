package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

var errProof = errors.New("remote: Options.Token cannot prove DPoP tokens; use Options.Auth")

// tokens is Options.Token as an Authorizer. It makes one call at a time for all requests that need the
// token, and each request waits until its own context ends.
type tokens struct {
	ask   func(context.Context, headers.Challenge) (string, error)
	ctx   context.Context // of the Transport
	start func(func())    // a goroutine of the Transport

	mu      sync.Mutex
	changed waits.Change
	now     *question // the current call; nil if none
	asked   bool
	last    oauth.Secret
}

// question is one call of Options.Token.
type question struct {
	refused bool // the server refused the last token
	waiting int  // requests that wait for the result; none joins once the last has left
	stop    context.CancelFunc
	done    bool
	token   oauth.Token
	err     error
}

// Authorize implements Authorizer. It calls Options.Token the first time, and later only if the refused
// token is still the last one.
func (k *tokens) Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	refused := need.Status/100 == 4
	if need.Status != 0 && !refused {
		return oauth.Token{}, nil
	}
	for ctx.Err() == nil {
		q := k.now
		switch {
		case k.asked && (!refused || k.last != need.Used) && (q == nil || !q.refused):
			return bearer(k.last), nil
		case q == nil:
			q = k.question(refused, need.Challenge)
		case q.waiting == 0: // abandoned: wait for its end
			k.changed.Wait(ctx, &k.mu)
			continue
		}
		q.waiting++
		for !q.done && ctx.Err() == nil {
			k.changed.Wait(ctx, &k.mu)
		}
		if q.waiting--; q.done {
			return q.token, q.err
		}
		if q.waiting == 0 {
			q.stop()
		}
	}
	return oauth.Token{}, context.Cause(ctx)
}

// question starts a call of Options.Token. The lock is held.
func (k *tokens) question(refused bool, c headers.Challenge) *question {
	if refused && c == (headers.Challenge{}) {
		c.Error = "invalid_token" // to distinguish it from the first call
	}
	ctx, stop := context.WithCancel(k.ctx)
	q := &question{refused: refused, stop: stop}
	k.now = q
	k.start(func() {
		token, err := k.ask(ctx, c)
		stop()
		k.mu.Lock()
		defer k.mu.Unlock()
		q.done, q.token, q.err = true, bearer(oauth.Secret(token)), err
		if k.now = nil; err == nil {
			k.asked, k.last = true, oauth.Secret(token)
		}
		k.changed.Wake()
	})
	return q
}

// Prove implements Authorizer.
func (*tokens) Prove(context.Context, oauth.Proof) (string, error) { return "", errProof }

// bearer returns a token from Options.Token as an oauth.Token.
func bearer(token oauth.Secret) oauth.Token { return oauth.Token{Access: token, Type: "Bearer"} }
