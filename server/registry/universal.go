package registry

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// universal does an operation without the host.
func (h Hub) universal(now time.Time, q NativeRequest) (Hub, SessionResult, HubOutput, error) {
	sc, known := h.sessions.find(q.Session)
	switch q.Operation {
	case OpAddGroup:
		return h.change(now, q, func(r *Registry) (*Registry, Change, error) { return r.Register(q.Groups[0]) })
	case OpSetGroups:
		return h.change(now, q, func(r *Registry) (*Registry, Change, error) { return r.SetGroups(q.Groups...) })
	case OpSetEnabled:
		return h.change(now, q, func(r *Registry) (*Registry, Change, error) { return r.SetEnabled(q.Group, q.Enabled) })
	case OpReconnect:
		next, result, out, err := h.change(now, q, func(r *Registry) (*Registry, Change, error) { return r.Reset(q.Group) })
		if err != nil {
			return h, result, out, err
		}
		if c, ok := next.conn(q.Session, q.Group); ok {
			next, out = next.abort(c, now, errReconnect, out)
			result.Status = StatusDone
		}
		return next, result, out, nil
	case OpReload:
		if !known {
			return h, h.result(q, StatusNoRegistry), HubOutput{}, nil
		}
		h.sessions = h.sessions.with(q.Session, sc.r) // another version, so that whoever compares it looks again
		return h, h.result(q, StatusDone), HubOutput{Changed: []string{q.Session}}, nil
	}
	r := h.result(q, StatusNotSupported)
	r.Reason = "this host cannot log in"
	return h, r, HubOutput{}, nil
}

var errReconnect = errors.New("registry: the server is connected anew")

// change changes the groups of a session.
func (h Hub) change(now time.Time, q NativeRequest, f func(*Registry) (*Registry, Change, error)) (Hub, SessionResult, HubOutput, error) {
	sc, _ := h.sessions.find(q.Session)
	r, change, err := f(sc.r)
	if err != nil {
		return h, SessionResult{}, HubOutput{}, err
	}
	if r == sc.r {
		return h, h.result(q, StatusUnchanged), HubOutput{}, nil
	}
	next, out, err := h.SetSession(now, q.Session, r)
	if err != nil {
		return h, SessionResult{}, HubOutput{}, err
	}
	result := next.result(q, StatusDone)
	result.Change = change
	return next, result, out, nil
}

// open are the members of login params that are no secret.
const open = " server server_name name scope scopes client_id redirect_uri grant_type response_type issuer audience "

// redacted returns login params with the values of those members that are known to be no secret,
// where they are texts or lists of texts, and "[redacted]" in the place of all others.
func redacted(params protocol.Raw) (protocol.Raw, error) {
	if params == "" {
		params = "{}"
	}
	text := strings.TrimSpace(string(params))
	if !rawjson.Valid(text) || !strings.HasPrefix(text, "{") {
		return "", &NameError{Err: ErrInvalid, Kind: "params", Name: string(OpOAuthLogin)}
	}
	dst := []byte{'{'}
	o, ok := rawjson.Members(text)
	for n := 0; ok; n++ {
		var key, val string
		if key, val, ok = o.Next(); !ok {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		if !word(key) {
			key = "[redacted]"
		}
		dst = append(rawjson.AppendQuote(dst, key), ':')
		if strings.Contains(open, " "+key+" ") && plain(val) {
			dst = append(dst, val...)
		} else {
			dst = append(dst, `"[redacted]"`...)
		}
	}
	return protocol.Raw(append(dst, '}')), nil
}

// word reports whether a name is one that a member may have: a secret is no word.
func word(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// plain reports whether a value is a text, or a list of texts, and none of them looks like an
// address that may have a password in it: before an @, in a query or in a fragment.
func plain(val string) bool {
	if strings.HasPrefix(val, `"`) {
		s, ok := rawjson.Unquote(val)
		return ok && !strings.ContainsAny(s, "@?#")
	}
	list, ok := rawjson.Elements(val)
	for ok {
		var item string
		if item, ok = list.Next(); ok && !(strings.HasPrefix(item, `"`) && plain(item)) {
			return false
		}
	}
	return strings.HasPrefix(val, "[")
}
