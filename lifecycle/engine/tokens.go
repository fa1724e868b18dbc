package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// tokens are what requests of ours are known by beside their numbers: the progress tokens
// in use that are not ids of ours, by hash, and the wire ids of requests that went out
// under more than one.
type tokens struct {
	t   table.Table[owner]
	ids table.Table[uint64] // the number of the request, by wire id
}

// owner is a token, to be compared with the one that was looked for, and who carries it.
type owner struct {
	token jsonrpc.ID
	req   uint64
}

// The methods of tokens work on nil, which is the usual case: a request of ours has its id as
// token, and goes out once. A tokens is never changed; what changes returns the next one, and nil
// when nothing is left, so that the usual case comes back.
//
// Tokens are kept by keyed hash, for they are the choice of an application or, in a relay, of its
// peer. Of two tokens with one hash the second is refused (taken): that costs a request, where
// a chain of them would cost time without bound.

// find returns the request that a token belongs to. Tokens of the two JSON types differ
// (PROG-026).
func (t *tokens) find(env *Env, token jsonrpc.ID) (uint64, bool) {
	if t == nil {
		return 0, false
	}
	leaf := t.t.Get(env.key(token))
	if leaf == nil || leaf.V.token != token {
		return 0, false
	}
	return leaf.V.req, true
}

// has reports whether a request of ours carries the token.
func (t *tokens) has(env *Env, token jsonrpc.ID) bool {
	_, ok := t.find(env, token)
	return ok
}

// taken reports whether the place of the token is taken, be it by another one of the
// same hash.
func (t *tokens) taken(env *Env, token jsonrpc.ID) bool {
	return t != nil && t.t.Get(env.key(token)) != nil
}

// with returns the tokens with one more, of the request of that number. The zero token is none.
func (t *tokens) with(env *Env, token jsonrpc.ID, req uint64) *tokens {
	if token.IsZero() {
		return t
	}
	var next tokens
	if t != nil {
		next = *t
	}
	next.t = next.t.Put(env.key(token), table.Never, owner{token, req})
	return &next
}

// without returns the tokens without one.
func (t *tokens) without(env *Env, token jsonrpc.ID) *tokens {
	if t == nil || !t.has(env, token) {
		return t
	}
	next := *t
	next.t, _ = next.t.Delete(env.key(token))
	return next.orNil()
}

// moved returns the number of the request that goes by a wire id other than its number.
func (t *tokens) moved(id uint64) (seq uint64, ok bool) {
	if t == nil {
		return 0, false
	}
	leaf := t.ids.Get(id)
	if leaf == nil {
		return 0, false
	}
	return leaf.V, true
}

// move notes the wire id that a request goes by. Its own number needs no note.
func (t *tokens) move(id, seq uint64) *tokens {
	if id == seq {
		return t
	}
	var next tokens
	if t != nil {
		next = *t
	}
	next.ids = next.ids.Put(id, table.Never, seq)
	return &next
}

// settled forgets a wire id.
func (t *tokens) settled(id uint64) *tokens {
	if _, ok := t.moved(id); !ok {
		return t
	}
	next := *t
	next.ids, _ = next.ids.Delete(id)
	return next.orNil()
}

// orNil returns t, or nil if there is nothing in it.
func (t *tokens) orNil() *tokens {
	if tokens, ids := t.count(); tokens+ids == 0 {
		return nil
	}
	return t
}

// count returns how many tokens and wire ids there are.
func (t *tokens) count() (tokens, ids int) {
	if t == nil {
		return 0, 0
	}
	return t.t.Len(), t.ids.Len()
}
