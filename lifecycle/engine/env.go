package engine

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// What holds for all sessions of a Config, and what holds for all requests of a session. Both are
// shared and never changed: a State has a pointer to each, and is small.

// Env is what the Config of a role says to the engine. It is built once, shared by
// all sessions of that Config and never changed.
type Env struct {
	Self         protocol.Party      // the role of this side, which the rows and the transition table are asked with
	Opens        bool                // this side opens the session
	EarlyRule    string              // the requirement row that a request breaks which comes during the handshake
	Revisions    []protocol.Revision // those of sessions, newest first; none for a server without any
	Stateless    []protocol.Revision // those that a request may bring, newest first; none for all that came before 2026-07-28
	Rows         protocol.Revision   // whose rows say what the application answers
	Caps         protocol.Capability // what this side declares
	Theirs       protocol.Capability // what the peer can declare
	Custom       map[string]struct{} // methods outside the table that the application answers
	ServeUnknown bool                // the application answers every method that is not in the table
	Timeouts     lifecycle.Timeouts  // filled
	Limits       lifecycle.Limits    // filled
	Keepalive    lifecycle.Keepalive // as Config has it
	Policy       lifecycle.Policy    // as Config has it
	Schemas      schema.Validator    // checks structured results
	Hash         [2]uint64           // keys Hash, see KeyOf
	Blank        *Profile            // what holds before the handshake, or without one: the newest revision, no peer
	Stamp        Stamp               // what a server says in each stateless result
	Envelopes    []string            // what a client says in each stateless request, for each of Stateless: members of _meta
	Hello        protocol.Params     // initialize of a client, which it sends where a server needs a handshake
}

// Stamp is what a server says in each stateless result (RSLT-001, META-202, DISC-005, SCHEMA-202).
type Stamp struct {
	info  string    // who it is, as JSON
	heads [2]string // how a result without a _meta begins: one that is not Cached, and one that is
}

// NewStamp returns the Stamp of a server.
func NewStamp(info protocol.Implementation) Stamp {
	s := Stamp{info: string(info.AppendJSON(nil))}
	for i, head := range [...]string{complete, cached} {
		s.heads[i] = head + `,"_meta":{"` + protocol.MetaServerInfo + `":` + s.info + "}"
	}
	return s
}

// The beginning of results. Nothing is fresh for any time, and for anybody else, unless the
// application says so (CACH-007).
const (
	complete = `{"resultType":"complete"`
	cached   = complete + `,"ttlMs":0,"cacheScope":"private"`
)

// Settings are what the Configs of both roles have alike.
type Settings struct {
	Info      protocol.Implementation // who this side is
	Revisions []protocol.Revision     // in any order; empty for all with a handshake
	Serve     []string                // methods that the application answers
	HashKey   [16]byte                // see KeyOf
}

// Fill sets what Settings say, and what follows from the other fields, and returns the methods of the
// table that the application answers. Timeouts and Limits are filled in. Errors: a
// *lifecycle.ConfigError.
func (e *Env) Fill(s Settings) (serve protocol.Methods, err error) {
	var f lifecycle.Filler
	e.Timeouts, err = e.Timeouts.Filled()
	f.Within("Timeouts", err)
	e.Limits, err = e.Limits.Filled()
	f.Within("Limits", err)
	f.Within("Keepalive", e.Keepalive.Check(e.Timeouts))
	if s.Info.Validate() != nil || s.Info.Name == "" || s.Info.Version == "" {
		f.Wrong("Info", strconv.Quote(s.Info.Name), "want a name and a version, both valid UTF-8")
	}
	all := protocol.SortRevisions(s.Revisions)
	if len(s.Revisions) == 0 {
		all = protocol.Revisions()
	} else if len(all) == 0 {
		f.Wrong("Revisions", "unknown", "want those of protocol.AllRevisions, or none for all with a handshake")
	}
	if err := f.Err(e.Self.String()); err != nil {
		return serve, err
	}
	for _, rev := range all {
		if rev.Stateless() {
			e.Stateless = append(e.Stateless, rev)
		} else {
			e.Revisions = append(e.Revisions, rev)
		}
	}
	if e.Rows = all[0]; len(e.Revisions) > 0 {
		e.Rows = e.Revisions[0]
	}
	e.Hash, e.Blank = KeyOf(s.HashKey), &Profile{Revision: e.Rows}
	for i, name := range s.Serve {
		row := e.Row(name)
		why := ""
		switch {
		case name == "" || !utf8.ValidString(name) || row != nil && (row.Notification || !row.Receiver.Has(e.Self) || answeredHere(row)):
			why = "want a request that the application of a " + e.Self.String() + " answers"
		case row != nil:
			serve = serve.With(row)
		case protocol.Known(name):
			why = "want a method of a supported revision"
		case meant(name) != "":
			why = "want " + strconv.Quote(meant(name))
		default:
			if e.Custom == nil {
				e.Custom = map[string]struct{}{}
			}
			e.Custom[strings.Clone(name)] = struct{}{}
		}
		if why != "" {
			return serve, e.Wrong("Serve["+strconv.Itoa(i)+"]", strconv.Quote(name), why)
		}
	}
	return serve, nil
}

// Wrong returns a *lifecycle.ConfigError of the role.
func (e *Env) Wrong(field, value, why string) error {
	var f lifecycle.Filler
	f.Wrong(field, value, why)
	return f.Err(e.Self.String())
}

// Profile is what a request is made under, ours or the peer's. The handshake sets the one
// of a session; a request may bring its own. It is never changed (CAP-001).
type Profile struct {
	Revision protocol.Revision   // the revision
	Caps     protocol.Capability // what the peer declared
	level    uint8               // the severity that the peer set, plus one; 0: none
	peer     jsonrpc.Raw         // who the peer is, as JSON: there is one of these for every session
}

// Peer returns who the peer is.
func (p *Profile) Peer() (v protocol.Implementation) {
	if p.peer != "" {
		_ = v.DecodeJSON(p.peer, jsonrpc.Span{}) // it was encoded here
	}
	return v
}

// Level returns the level that the peer set, "" for none.
func (p *Profile) Level() protocol.LoggingLevel { return levels[p.level] }

// levels are what Profile.level stands for.
var levels = [...]protocol.LoggingLevel{
	"", protocol.LevelDebug, protocol.LevelInfo, protocol.LevelNotice, protocol.LevelWarning,
	protocol.LevelError, protocol.LevelCritical, protocol.LevelAlert, protocol.LevelEmergency,
}

// At returns the profile with the level, which is one, set by the peer.
func (p Profile) at(level protocol.LoggingLevel) *Profile {
	p.level = uint8(level.Severity() + 1)
	return &p
}

// Negotiated returns the profile of a handshake (LIFE-101). It shares no memory with a message, and
// the texts of the peer are cut to Limits.Text bytes each, its icons left out where they
// are longer together: a large initialize must not stay alive for a name, nor a large name
// in every snapshot. Where kept, a text that is kept as well, says who the peer is in the same bytes, it is a part of that.
func (e *Env) Negotiated(r protocol.Revision, caps protocol.Capability, peer protocol.Implementation, kept string) *Profile {
	for _, text := range []*string{&peer.Name, &peer.Version, &peer.Title, &peer.Description, &peer.WebsiteURL} {
		*text = cut(*text, e.Limits.Text)
	}
	size := 0
	for _, icon := range peer.Icons {
		size += len(icon.AppendJSON(nil))
	}
	if size > e.Limits.Text {
		peer.Icons = nil
	}
	var buf [512]byte
	who := string(peer.AppendJSON(buf[:0]))
	if i := strings.Index(kept, who); i >= 0 {
		who = kept[i : i+len(who)]
	}
	return &Profile{Revision: r, Caps: caps & r.Capabilities(), peer: jsonrpc.Raw(who)} // CAP-110
}

// loose reports whether the bodies of a method are left alone: by policy, and if the
// machine does not read them itself.
func (e *Env) loose(row *protocol.Row) bool {
	return e.Policy.PassThrough && !isInitialize(row) && !isPing(row)
}

// isInitialize reports whether the row is that of initialize, which is never cancelled or refused
// for a limit.
func isInitialize(row *protocol.Row) bool { return row.Method == protocol.MethodInitialize }

// Row returns the row of a method in the newest revision with sessions that has it, or else in the newest without.
func (e *Env) Row(method string) *protocol.Row {
	for _, list := range [...][]protocol.Revision{e.Revisions, e.Stateless} {
		for _, rev := range list {
			if row := rev.Row(method); row != nil {
				return row
			}
		}
	}
	return nil
}

// answeredHere reports whether requests of a row are answered by the engine and the roles, and never by an application.
func answeredHere(row *protocol.Row) bool {
	return isInitialize(row) || isPing(row) || row.Wait == protocol.WaitProbe || row.Wait == protocol.WaitListen
}

// isPing reports whether the row is that of ping, which the engine answers itself.
func isPing(row *protocol.Row) bool { return row.Method == protocol.MethodPing }

// encoding says how bodies of a method go out.
func (e *Env) encoding(row *protocol.Row) protocol.Encoding {
	return protocol.Encoding{KeepNulls: e.Policy.KeepNulls, Loose: e.loose(row)}
}

// serves reports whether the application answers a method outside the table.
func (e *Env) serves(name string) bool {
	if name == "" || protocol.Known(name) {
		return false
	}
	if e.ServeUnknown {
		return true
	}
	_, ok := e.Custom[name]
	return ok
}

// mostKept returns how long what is kept of a request may be: a uri or a name, or what the
// answer is held against.
func (e *Env) mostKept(row *protocol.Row, received bool) int {
	if row.Setting != protocol.SettingNone || received && row.Names != nil {
		return e.Limits.Text
	}
	return e.Limits.Schema
}

// Key returns the table key of an id of the peer. Integers that are not negative
// stand for themselves; a peer gains nothing by choosing them. The rest is hashed.
func (e *Env) key(id jsonrpc.ID) uint64 {
	// The highest bit tells hashes from numbers, so that the two never meet.
	if n, ok := id.Int64(); ok && n >= 0 {
		return uint64(n)
	}
	if s, ok := id.Str(); ok {
		return 1<<63 | Hash(e.Hash, 's', s)
	}
	var buf [32]byte
	return 1<<63 | Hash(e.Hash, 'n', string(id.Append(buf[:0])))
}

// keyCheck is a check value of the key: it tells two keys apart, and does not say what they are.
func (e *Env) keyCheck() string { return strconv.FormatUint(Hash(e.Hash, 'c', ""), 36) }

// idLen returns how many bytes an id keeps alive.
func idLen(id jsonrpc.ID) int {
	if _, ok := id.Int64(); ok {
		return 0
	}
	if s, ok := id.Str(); ok {
		return len(s)
	}
	return len(id.Append(nil)) // an integer may have any number of digits
}

// KeptCause is a cause that pins no message of the peer: texts are copied and data that
// is large is left to the event.
func KeptCause(cause *lifecycle.Cause) *lifecycle.Cause {
	k := keptCause(cause)
	return &k
}

// keptCause is KeptCause for what is kept in place.
func keptCause(cause *lifecycle.Cause) lifecycle.Cause {
	k := *cause
	k.Reason = kept(k.Reason)
	if cause.RPC != nil {
		e := jsonrpc.Error{Code: cause.RPC.Code, Message: kept(cause.RPC.Message)}
		if len(cause.RPC.Data) <= maxKept {
			e.Data = jsonrpc.Raw(strings.Clone(string(cause.RPC.Data)))
		}
		k.RPC = &e
	}
	return k
}

// maxKept bounds the texts of a cause that is kept, in bytes.
const maxKept = 4096

// kept copies the beginning of a text, up to a whole character.
func kept(s string) string {
	return strings.Clone(cut(s, maxKept))
}

// cut returns the beginning of a text, at most n bytes, up to a whole character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
