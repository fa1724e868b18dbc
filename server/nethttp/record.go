package nethttp

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// Record is the complete state of a session in a Store. It is an immutable value; a turn makes the
// next one.
type Record struct {
	// Step counts the turns, from 1 on.
	Step uint64
	// State is the session.
	State server.State
	// Streams are its outgoing messages, until the client has read them.
	Streams streams.Streams
	// Principal is the ID of the principal that began the session; "" without Options.Authenticate.
	Principal string
	// Active is when the last message of the client arrived, or a process last had a connection or
	// a running call of the session.
	Active time.Time

	inbox  []parked
	owners cluster.Owners // who has its calls and connections, in a Cluster
	at     time.Time      // of the last transition of State
	made   cluster.TurnID
	before []cluster.Made
	epoch  uint64 // 0 for none
	legacy bool   // HTTP+SSE of 2024-11-05
	over   bool   // the session has ended; those who are connected may read what is left

	catalog *server.Catalog // of State, if it is one of the Handler; nil if nobody knows
}

// parked is the end of a request of a function that runs in another process than the one
// that the answer came to.
type parked struct {
	Req    uint64       `json:"req"`
	Call   uint64       `json:"call"` // the call that it was made within
	Method string       `json:"method,omitempty"`
	Body   string       `json:"body,omitempty"`
	Err    *parkedError `json:"err,omitempty"`
	Cause  cause        `json:"cause,omitempty"`
	Reason string       `json:"reason,omitempty"`
}

// cause is a lifecycle.CauseKind that is written by its name.
type cause lifecycle.CauseKind

// MarshalText implements encoding.TextMarshaler.
func (c cause) MarshalText() ([]byte, error) { return []byte(lifecycle.CauseKind(c).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is that of some failure.
func (c *cause) UnmarshalText(name []byte) error {
	*c = max(cause(lifecycle.ParseCause(string(name))), cause(lifecycle.CauseCancelled))
	return nil
}

type parkedError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

// The bounds of an inbox. An answer beyond is replaced by a failure, which is small.
const (
	maxParked      = 1000
	maxParkedBytes = 4 << 20
)

// park keeps the event of a request for the process that waits for it.
func (r *Record) park(ev server.Event, call uint64) {
	p := parked{Req: ev.Req.Seq(), Call: call, Method: ev.Method, Body: strings.Clone(string(ev.Body))}
	if ev.Err != nil {
		p.Err = &parkedError{ev.Err.Code, strings.Clone(ev.Err.Message), strings.Clone(string(ev.Err.Data))}
	}
	if ev.Kind == lifecycle.RequestFailed {
		p.Cause = cause(lifecycle.CauseLost)
		if ev.Cause != nil {
			p.Cause, p.Reason = cause(ev.Cause.Kind), strings.Clone(ev.Cause.Reason)
		}
	}
	bytes := p.size()
	for i := range r.inbox {
		bytes += r.inbox[i].size()
	}
	if bytes > maxParkedBytes || len(r.inbox) >= maxParked {
		p = parked{Req: p.Req, Call: p.Call, Cause: cause(lifecycle.CauseResponseLost), Reason: "too many answers wait"}
	}
	if len(r.inbox) < 2*maxParked {
		r.inbox = append(r.inbox[:len(r.inbox):len(r.inbox)], p)
	}
}

func (p *parked) size() int {
	n := 128 + len(p.Body) + len(p.Reason)
	if p.Err != nil {
		n += len(p.Err.Message) + len(p.Err.Data)
	}
	return n
}

// event is what was parked, in the words of s.
func (p *parked) event(s server.State) server.Event {
	ev := server.Event{Kind: lifecycle.ResponseReceived, Req: s.Req(p.Req), Method: p.Method, Body: jsonrpc.Raw(p.Body)}
	if p.Err != nil {
		ev.Err = &jsonrpc.Error{Code: p.Err.Code, Message: p.Err.Message, Data: jsonrpc.Raw(p.Err.Data)}
	}
	if p.Cause != 0 {
		ev.Kind = lifecycle.RequestFailed
		ev.Cause = &lifecycle.Cause{Kind: lifecycle.CauseKind(p.Cause), Reason: p.Reason, RPC: ev.Err}
		ev.Err = nil
	}
	return ev
}

// history returns the turns that made r.
func (r *Record) history() cluster.History {
	return cluster.History{Step: r.Step, Last: r.made, Before: r.before}
}

// follow makes r the record after a turn.
func (r *Record) follow(made cluster.TurnID) {
	next := r.history().Follow(made)
	r.Step, r.made, r.before = next.Step, next.Last, next.Before
}

// mark returns what there is to see of r.
func (r *Record) mark() cluster.Mark { return cluster.Mark{Step: r.Step, Turn: r.made, Epoch: r.epoch} }

// snapshotVersion changes with the form of a snapshot.
const snapshotVersion = 1

// head is what a snapshot has beside State and Streams.
type head struct {
	Version   int            `json:"v"`
	Step      uint64         `json:"step"`
	Made      cluster.TurnID `json:"made"`
	Before    []cluster.Made `json:"before,omitempty"`
	Epoch     uint64         `json:"epoch,omitempty"`
	At        int64          `json:"at"` // of the last transition, nanoseconds of Unix
	Active    int64          `json:"active"`
	Principal string         `json:"principal,omitempty"`
	Legacy    bool           `json:"legacy,omitempty"`
	Over      bool           `json:"over,omitempty"`
	Inbox     []parked       `json:"inbox,omitempty"`
	Owners    cluster.Owners `json:"owners,omitempty"`
}

// Snapshot returns the record as bytes, for a Store outside of this process. They hold
// what the client sent and what it is sent, in clear.
func (r Record) snapshot() []byte {
	h := head{
		Version: snapshotVersion, Step: r.Step, Made: r.made, Before: r.before, Epoch: r.epoch, At: r.at.UnixNano(), Active: r.Active.UnixNano(),
		Principal: r.Principal, Legacy: r.legacy, Over: r.over, Inbox: r.inbox, Owners: r.owners,
	}
	text, _ := json.Marshal(h) // it has nothing that cannot be written
	state, rest := r.State.Snapshot(), r.Streams.Snapshot()
	data := make([]byte, 0, len(text)+len(state)+len(rest)+2*binary.MaxVarintLen64)
	data = binary.AppendUvarint(data, uint64(len(text)))
	data = append(data, text...)
	data = binary.AppendUvarint(data, uint64(len(state)))
	data = append(data, state...)
	return append(data, rest...)
}

// RestoreRecord returns the record of a snapshot. cfg and opt are those of the Handlers that share the
// Store: Handler.Config returns cfg, with the HashKey that all of them need. now is time.Now(); times
// of another machine that are later count as now. Errors: lifecycle.ErrSnapshot for data that is
// damaged or does not fit cfg.
//
// Machines compare times by their wall clocks: if these differ, deadlines are early or late by as
// much.
func restoreRecord(cfg server.Config, opt streams.Options, data []byte, now time.Time) (Record, error) {
	text, data, err := cut(data)
	if err != nil {
		return Record{}, err
	}
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return Record{}, fmt.Errorf("%w: nethttp: %w", lifecycle.ErrSnapshot, err)
	}
	if h.Version != snapshotVersion || h.Step == 0 {
		return Record{}, fmt.Errorf("%w: nethttp: a record of version %d, step %d", lifecycle.ErrSnapshot, h.Version, h.Step)
	}
	state, rest, err := cut(data)
	if err != nil {
		return Record{}, err
	}
	past := func(nano int64) time.Time {
		if t := time.Unix(0, nano); t.Before(now) {
			return t
		}
		return now
	}
	r := Record{
		Step: h.Step, made: h.Made, before: h.Before, epoch: h.Epoch, Principal: h.Principal, Active: past(h.Active), at: past(h.At),
		legacy: h.Legacy, over: h.Over, inbox: h.Inbox, owners: h.Owners,
	}
	if r.State, err = server.Restore(cfg, state, r.at); err != nil {
		return Record{}, err
	}
	if r.Streams, err = streams.Restore(opt, rest, r.State, r.at); err != nil {
		return Record{}, err
	}
	return r, nil
}

var errCut = errors.New("nethttp: the record is cut off")

// cut returns a part of a snapshot and what follows it.
func cut(data []byte) (part, rest []byte, err error) {
	n, k := binary.Uvarint(data)
	if k <= 0 || n > uint64(len(data)-k) {
		return nil, nil, fmt.Errorf("%w: %w", lifecycle.ErrSnapshot, errCut)
	}
	return data[k : k+int(n)], data[k+int(n):], nil
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Record) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
