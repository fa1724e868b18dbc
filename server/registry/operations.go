package registry

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Operation is something that a host may be asked to do with a live session.
type Operation string

// The operations.
const (
	OpAddGroup   Operation = "add_server"
	OpOAuthLogin Operation = "oauth_login"
	OpReload     Operation = "reload"
	OpReconnect  Operation = "reconnect"
	OpSetGroups  Operation = "set_servers"
	OpSetEnabled Operation = "set_enabled"
)

// Status says what came of an operation.
type Status string

// What can come of one.
const (
	StatusPending      Status = "pending"       // the host was asked
	StatusDone         Status = "done"          // what was asked for is so now
	StatusUnchanged    Status = "unchanged"     // it was so before
	StatusNotSupported Status = "not_supported" // nobody here can do it; Reason says why
	StatusNoRegistry   Status = "no_registry"   // the session has no groups
)

// Source says who did it.
type Source string

// The sources.
const (
	Native    Source = "native"    // the host
	Universal Source = "universal" // the Hub
)

// SessionResult is what came of an operation on a live session.
type SessionResult struct {
	Operation Operation // what was asked for
	Status    Status    // what came of it
	Source    Source    // who did it
	Session   string    // the session that it is about
	Group     string    // the group, if the operation is about one
	Enabled   bool      // of OpSetEnabled: as it was asked for
	Reason    string    // for people; never something of the peer
	// Params are those of OpOAuthLogin, but for what may be a secret.
	Params protocol.Raw
	// Groups are the groups of the session afterwards, or those that were announced anew.
	Groups []GroupStatus
	// Change is what is different.
	Change Change
	// Native is the number of the NativeRequest while Status is StatusPending.
	Native uint64
}

// NativeRequest asks the host to do an operation itself. It answers by Hub.Answer, once.
type NativeRequest struct {
	ID        uint64       // its number, for the answer
	Operation Operation    // what is asked for
	Session   string       // the session that it is about
	Group     string       // the name of the group, if there is one
	Groups    []*Group     // of OpAddGroup and OpSetGroups
	Enabled   bool         // of OpSetEnabled
	Params    protocol.Raw // of OpOAuthLogin, with its secrets: not for logs
}

// NativeAnswer is what the host says to a NativeRequest.
type NativeAnswer struct {
	// ID is that of the request.
	ID uint64
	// Declined says that the host cannot do it: then the Hub does what it can.
	Declined bool
	// Reason is for people.
	Reason string
}

// ErrAnswered says that nobody waits for an answer of the number.
var ErrAnswered = errors.New("registry: no such native request")

// AddGroup adds a group to a session, or replaces the one of its name. A session without groups
// gets some. Errors: ErrNil, and those of Registry.Register.
func (h Hub) AddGroup(now time.Time, session string, s *Group) (Hub, SessionResult, HubOutput, error) {
	if s == nil {
		return h, SessionResult{}, HubOutput{}, ErrNil
	}
	return h.do(now, NativeRequest{Operation: OpAddGroup, Session: session, Group: s.Name(), Groups: []*Group{s}})
}

// SetGroups replaces the groups of a session; those that stay keep their switch. Errors: those of
// Registry.SetGroups.
func (h Hub) SetGroups(now time.Time, session string, list ...*Group) (Hub, SessionResult, HubOutput, error) {
	return h.do(now, NativeRequest{Operation: OpSetGroups, Session: session, Groups: append([]*Group(nil), list...)})
}

// SetEnabled switches a group of a session on or off. Errors: ErrUnknownGroup.
func (h Hub) SetEnabled(now time.Time, session, name string, on bool) (Hub, SessionResult, HubOutput, error) {
	return h.do(now, NativeRequest{Operation: OpSetEnabled, Session: session, Group: name, Enabled: on})
}

// Reconnect clears the failure of a group of a session, and ends the State that spoke to it, so that
// the next message begins anew. Its switch stays as it is. Errors: ErrUnknownGroup.
func (h Hub) Reconnect(now time.Time, session, name string) (Hub, SessionResult, HubOutput, error) {
	return h.do(now, NativeRequest{Operation: OpReconnect, Session: session, Group: name})
}

// Reload announces the groups of a session anew: its driver is told to give it Effective again.
// Without groups the Status is StatusNoRegistry. Errors: none.
func (h Hub) Reload(now time.Time, session string) (Hub, SessionResult, HubOutput, error) {
	return h.do(now, NativeRequest{Operation: OpReload, Session: session})
}

// OAuthLogin asks the host to log in at a server. A Hub cannot: where the host does not do it, or
// declines, the Status is StatusNotSupported, which is no error. Params is a JSON object; of it
// the result has no more than what is known to be no secret. Errors: ErrInvalid for other params.
func (h Hub) OAuthLogin(now time.Time, session string, params protocol.Raw) (Hub, SessionResult, HubOutput, error) {
	if _, err := redacted(params); err != nil {
		return h, SessionResult{}, HubOutput{}, err
	}
	return h.do(now, NativeRequest{Operation: OpOAuthLogin, Session: session, Params: params})
}

// Status returns how the groups of a session are doing: nil for one without.
func (h Hub) Status(session string) []GroupStatus {
	sc, _ := h.sessions.find(session)
	return sc.r.Status()
}

// Answer takes in what the host says to a NativeRequest. If it has done it, the groups of the Hub
// stay as they are. Errors: ErrAnswered; where it declined, those of the operation.
func (h Hub) Answer(now time.Time, a NativeAnswer) (Hub, SessionResult, HubOutput, error) {
	native, leaf := h.native.Delete(a.ID)
	if leaf == nil {
		return h, SessionResult{}, HubOutput{}, ErrAnswered
	}
	h.native = native
	if a.Declined {
		next, r, out, err := h.universal(now, leaf.V)
		if r.Status == StatusNotSupported && a.Reason != "" {
			r.Reason = a.Reason
		}
		return next, r, out, err
	}
	r := h.result(leaf.V, StatusDone)
	r.Source, r.Reason = Native, a.Reason
	return h, r, HubOutput{}, nil
}

// Waiting returns how many NativeRequests have no answer.
func (h Hub) Waiting() int { return h.native.Len() }

// do asks the host, if it may know how, or does what the Hub can.
func (h Hub) do(now time.Time, q NativeRequest) (Hub, SessionResult, HubOutput, error) {
	for _, op := range h.opt.Native {
		if op == q.Operation {
			h.asked++
			q.ID = h.asked
			h.native = h.native.Put(q.ID, table.Never, q)
			r := h.result(q, StatusPending)
			r.Source, r.Native = Native, q.ID
			return h, r, HubOutput{Native: []NativeRequest{q}}, nil
		}
	}
	return h.universal(now, q)
}

func (h Hub) result(q NativeRequest, status Status) SessionResult {
	r := SessionResult{
		Operation: q.Operation, Status: status, Source: Universal, Session: q.Session, Group: q.Group, Enabled: q.Enabled, Groups: h.Status(q.Session),
	}
	if q.Operation == OpOAuthLogin {
		r.Params, _ = redacted(q.Params) // which it was before
	}
	return r
}
