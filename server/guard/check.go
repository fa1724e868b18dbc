package guard

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// maxScope bounds the scopes of a challenge, in bytes: clients do not read longer ones.
const maxScope = 4096

// Challenge returns the challenge for a request without a token (AUTH-057, AUTH-108).
func (g Guard) Challenge() headers.Challenge {
	if g.p == nil {
		return headers.Challenge{}
	}
	return headers.Challenge{Scope: join(nil, g.p.Base)}
}

// Check returns a challenge for an invalid token; nil if it is valid. Its Identity must have an ID,
// be for this server, and not have expired (AUTH-029, AUTH-031, AUTH-052).
func (g Guard) Check(now time.Time, id Identity) *headers.Challenge {
	why := ""
	switch until := g.Until(id); {
	case g.p == nil || id.ID() == "":
		why = "the token names nobody"
	case !g.p.AnyAudience && !slices.ContainsFunc(id.Audience, g.p.names):
		why = "the token is not for this server"
	case !until.IsZero() && !now.Before(until):
		why = "the token has expired"
	default:
		return nil
	}
	c := g.Challenge()
	c.Error, c.ErrorDescription = "invalid_token", why
	return &c
}

// Until returns when a token becomes invalid: Leeway after it expires; the zero Time means never.
func (g Guard) Until(id Identity) time.Time {
	if g.p == nil || id.Expires.IsZero() {
		return id.Expires
	}
	return id.Expires.Add(max(g.p.Leeway, 0))
}

func (p *policy) names(audience string) bool {
	return slices.Contains(p.Audience, canonical(audience))
}

// Allow returns a challenge for scopes that messages need and the token lacks; nil if it has all. It checks
// Base and all messages together, including elements of batches (AUTH-116, AUTH-220). Without messages it
// checks only Base. It does not Check.
func (g Guard) Allow(id Identity, list ...jsonrpc.Message) *headers.Challenge {
	if g.p == nil {
		return &headers.Challenge{Error: "insufficient_scope", ErrorDescription: "nothing is allowed"}
	}
	w := wanted{p: g.p, has: id.Scopes}
	w.add(g.p.Base)
	for _, m := range list {
		w.message(m)
	}
	if len(w.lacks) == 0 {
		return nil
	}
	return &headers.Challenge{Error: "insufficient_scope", ErrorDescription: "the token needs more scopes", Scope: join(w.lacks, w.held)}
}

// wanted are the scopes that messages need.
type wanted struct {
	p           *policy
	has         []string // of the token
	lacks, held []string // each once
}

func (w *wanted) message(m jsonrpc.Message) {
	if m.Kind == jsonrpc.KindBatch {
		for _, e := range m.Batch() {
			w.message(e)
		}
		return
	}
	w.add(w.p.Method[m.Method])
	if w.p.Tool == nil || m.Method != protocol.ToolList.Use {
		return
	}
	if name, args, ok := called(m); ok {
		w.add(w.p.Tool(name, args))
	}
}

// called returns the tool that a message calls, as a State reads it: strictly, or as loosely as a
// Policy of the State allows. A State refuses a message that can be read in neither way.
func called(m jsonrpc.Message) (name string, args jsonrpc.Raw, ok bool) {
	var p protocol.CallToolParams
	if err := p.DecodeJSON(m.Body, m.Span); err == nil {
		return p.Name, p.Arguments, true
	}
	info, err := protocol.Revision20251125.Row(m.Method).LooseParams(m.Body, m.Span)
	return info.Subject, info.Arguments, err == nil
}

// add adds scopes.
func (w *wanted) add(list []string) {
	for _, s := range list {
		if slices.Contains(w.lacks, s) || slices.Contains(w.held, s) {
			continue
		}
		if w.covers(s) {
			w.held = append(w.held, s)
		} else {
			w.lacks = append(w.lacks, s)
		}
	}
}

// covers reports whether the token has a scope, or a broader one (AUTH-221).
func (w *wanted) covers(scope string) bool {
	broader := w.p.broader[scope]
	return slices.ContainsFunc(w.has, func(s string) bool { return s == scope || slices.Contains(broader, s) })
}

// join returns scopes separated by spaces, as far as they fit and may be named. Missing ones come
// first, so that a token with the named scopes lacks fewer.
func join(lists ...[]string) string {
	var b strings.Builder
	for _, list := range lists {
		for _, s := range list {
			if !Offerable(s) || b.Len()+1+len(s) > maxScope {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}
