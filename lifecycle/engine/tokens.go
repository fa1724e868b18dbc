package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// tokens are the progress tokens in use that are not ids of ours, by hash.
type tokens struct{ t table.Table[owner] }

type owner struct {
	token jsonrpc.ID
	req   uint64
}

// The methods of tokens work on nil, which is the usual case.

func (t *tokens) find(env *Env, token jsonrpc.ID) (uint64, bool) {
	if t == nil {
		return 0, false
	}
	leaf := t.t.Get(env.Key(token))
	if leaf == nil || leaf.V.token != token {
		return 0, false
	}
	return leaf.V.req, true
}

func (t *tokens) has(env *Env, token jsonrpc.ID) bool {
	_, ok := t.find(env, token)
	return ok
}

// taken reports whether the place of the token is taken, be it by another one of the
// same hash.
func (t *tokens) taken(env *Env, token jsonrpc.ID) bool {
	return t != nil && t.t.Get(env.Key(token)) != nil
}

func (t *tokens) with(env *Env, token jsonrpc.ID, req uint64) *tokens {
	if token.IsZero() {
		return t
	}
	var next tokens
	if t != nil {
		next = *t
	}
	next.t = next.t.Put(env.Key(token), table.Never, owner{token, req})
	return &next
}

func (t *tokens) without(env *Env, token jsonrpc.ID) *tokens {
	if t == nil || !t.has(env, token) {
		return t
	}
	next := *t
	if next.t, _ = next.t.Delete(env.Key(token)); next.t.Len() == 0 {
		return nil
	}
	return &next
}
