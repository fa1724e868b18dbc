package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

var errProof = errors.New("remote: Options.Token gives no proofs of DPoP; use Options.Auth")

// tokens is Options.Token as an Authorizer. It asks one question at a time, for all who need the answer,
// and each of them waits no longer than its own context.
type tokens struct {
	ask   func(context.Context, headers.Challenge) (string, error)
	ctx   context.Context // of the Transport
	start func(func())    // a goroutine of the Transport

	mu      sync.Mutex
	changed waits.Change
	now     *question // nil if nobody is asked
	asked   bool
	last    oauth.Secret
}

// question is one call of Options.Token.
type question struct {
	refused bool // the last token was
	waiting int  // for the answer; nobody after the last one has left
	stop    context.CancelFunc
	done    bool
	token   oauth.Token
	err     error
}

// Authorize implements Authorizer. The first time somebody is asked without a refusal, later only if the
// token that was refused is still the last one.
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
		case q.waiting == 0: // it was given up, and its end is waited for
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

// question asks for a token. The lock is held.
func (k *tokens) question(refused bool, c headers.Challenge) *question {
	if refused && c == (headers.Challenge{}) {
		c.Error = "invalid_token" // so that it is not taken for the first question
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

// bearer returns a token as Options.Token returns them.
func bearer(token oauth.Secret) oauth.Token { return oauth.Token{Access: token, Type: "Bearer"} }
