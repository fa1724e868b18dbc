package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/watch"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Options are the settings of a Table. A zero field means its default.
type Options struct {
	// Stream is the name of the stream, and in lower case the first token of its subjects. All processes that share
	// sessions have the same one. Default "MCP".
	Stream string
	// Replicas is how many servers of a cluster keep a stream that New makes, 1, 3 or 5. A stream that there is stays
	// as it is. Default 1.
	Replicas int
	// Timeout bounds each request to the server. Default 2 s.
	Timeout time.Duration
}

// The defaults of Options.
const (
	defaultStream   = "MCP"
	defaultReplicas = 1
	defaultTimeout  = 2 * time.Second
)

const (
	// poll is how often the steps of sessions that are waited for are read again. Each is a request.
	poll = 10 * time.Second
	// forgotten is how long it is known that a session was removed.
	forgotten = time.Minute
	// headerBytes is what the headers of a message and its subject take of the payload at most.
	headerBytes = 512
	// headerStep has the step of a record. What was removed has none.
	headerStep = "Mcp-Step"
)

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("Replicas", &o.Replicas, defaultReplicas)
	f.Time("Timeout", &o.Timeout, defaultTimeout, lifecycle.NeverNone)
	switch {
	case o.Stream == "":
		o.Stream = defaultStream
	case !token(o.Stream):
		f.Wrong("Stream", strconv.Quote(o.Stream), "want letters and digits")
	}
	return o, f.Err("jetstream")
}

// token reports whether a text can be one token of a subject, and none that stands for others.
func token(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Table is a nethttp.Table on a stream of JetStream, with what one may do beside but for Branches. Its methods are called
// from many goroutines. Close ends it, and leaves the connection open.
type Table interface {
	nethttp.Table
	nethttp.Cluster
	nethttp.Changes
	io.Closer
}

type table struct {
	opt    Options
	root   string // of all subjects, with the dot
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	hub    *watch.Hub
	news   *news
	seen   recent
}

// New returns a Table on a stream, which it makes if there is none. The connection must not keep what it cannot
// send: New returns an error unless ReconnectBufSize is as Dial sets it. A cluster that has no leader yet
// is an error; try again.
func New(ctx context.Context, conn *nats.Conn, opt Options) (Table, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	t := &table{opt: opt, root: strings.ToLower(opt.Stream) + ".", conn: conn}
	err = t.open(ctx, jetstream.StreamConfig{
		Description: "sessions of MCP servers", Subjects: []string{t.root + "s.*", t.root + "m.*.*", t.root + "o.*.*"},
		// Told once it is stored.
		RePublish: &jetstream.RePublish{Source: t.root + "s.*", Destination: t.root + "w.{{wildcard(1)}}", HeadersOnly: true},
	})
	if err != nil {
		return nil, err
	}
	t.news = &news{t: t, subs: map[string]*nats.Subscription{}}
	t.hub = watch.New(t.news, poll)
	t.news.begin()
	return t, nil
}

// open opens the stream as it is, or makes it: of each subject it keeps the newest message.
func (t *table) open(ctx context.Context, c jetstream.StreamConfig) (err error) {
	if t.conn == nil {
		return errors.New("jetstream: the connection is nil: want one of Dial")
	}
	if n := t.conn.Opts.ReconnectBufSize; n >= 0 {
		return fmt.Errorf("jetstream: ReconnectBufSize of the connection is %d: want -1, for what is sent later is stored by a turn that was given up", n)
	}
	if t.js, err = jetstream.New(t.conn, jetstream.WithDefaultTimeout(t.opt.Timeout)); err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	t.stream, err = t.js.Stream(ctx, t.opt.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c.Name, c.Replicas, c.Storage = t.opt.Stream, t.opt.Replicas, jetstream.FileStorage
		// Direct reads are off: they may be of a server that lags behind.
		c.MaxMsgsPerSubject, c.Discard, c.AllowMsgTTL = 1, jetstream.DiscardOld, true
		t.stream, err = t.js.CreateStream(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("jetstream: stream %s: %w", t.opt.Stream, err)
	}
	have := t.stream.CachedInfo().Config
	if have.MaxMsgsPerSubject != 1 || !have.AllowMsgTTL || have.AllowDirect || (have.RePublish == nil) != (c.RePublish == nil) {
		return fmt.Errorf("jetstream: stream %s: it has other settings than one that is made here; name another one", t.opt.Stream)
	}
	t.opt.Replicas = have.Replicas
	return nil
}

// Close ends the Table.
func (t *table) Close() error {
	t.hub.Close()
	t.news.end()
	return nil
}

// subject is that of the records of a session.
func (t *table) subject(id string) string { return t.root + "s." + id }

// row is the newest message of a subject.
type row struct {
	seq   uint64 // 0 for none
	step  uint64 // of a record; 0 for one that was removed
	data  []byte
	time  time.Time // when it was stored, by the server's clock
	parts string    // headerParts
}

func (r row) place() place { return place{step: r.step, seq: r.seq, mark: r.mark(), time: r.time} }

// last returns the newest message of a subject.
func (t *table) last(ctx context.Context, subject string) (row, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	m, err := t.stream.GetLastMsgForSubject(ctx, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return row{}, nil
	case err != nil:
		return row{}, fmt.Errorf("jetstream: get: %w", err)
	}
	step, _ := strconv.ParseUint(m.Header.Get(headerStep), 10, 64) // none is 0
	return row{m.Sequence, step, m.Data, m.Time, m.Header.Get(headerParts)}, nil
}

// read returns the newest message of a session.
func (t *table) read(ctx context.Context, id string) (row, error) {
	r, err := t.last(ctx, t.subject(id))
	if err == nil && r.seq > 0 {
		t.seen.put(id, r.place())
	}
	return r, err
}

// Get implements nethttp.Table.
func (t *table) Get(ctx context.Context, id string) ([]byte, error) {
	data, _, _, err := t.GetSince(ctx, id, "")
	return data, err
}

// entry returns the message that a session is, or nethttp.ErrNoSession.
func (t *table) entry(ctx context.Context, id string) (row, error) {
	if !token(id) {
		return row{}, nethttp.ErrNoSession
	}
	r, err := t.read(ctx, id)
	if err == nil && r.seq == 0 && t.opt.Replicas > 1 {
		// A leader that was deposed a moment ago may not know the session. The one that there is says so to this.
		switch _, err = t.publish(ctx, id, 0, nil, forgotten, 0, ""); {
		case errors.Is(err, nethttp.ErrStep):
			r, err = t.read(ctx, id)
		case err == nil:
			return row{}, nethttp.ErrNoSession
		}
	}
	if err == nil && r.step == 0 {
		err = nethttp.ErrNoSession
	}
	return r, err
}

// Put implements nethttp.Table. Any error but nethttp.ErrStep and those of an id or a size leaves unknown
// whether the record was stored.
func (t *table) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	_, err := t.put(ctx, id, data, step, keep)
	return err
}

// put is Put, and returns the sequence of the message.
func (t *table) put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) (uint64, error) {
	if !token(id) {
		return 0, fmt.Errorf("jetstream: the id of the session is %q: want letters and digits", id)
	}
	if most := t.conn.MaxPayload() - headerBytes; int64(len(data)) > most {
		return 0, fmt.Errorf("jetstream: a record of %d bytes: want at most %d, which is max_payload of the server; raise it, or bound what a session keeps by nethttp.Options.Streams: %w", len(data), most, lifecycle.ErrLimit)
	}
	at, ok := t.seen.get(id, step-1)
	if step > 1 && !ok {
		r, err := t.read(ctx, id)
		switch at = r.place(); {
		case err != nil:
			return 0, err
		case at.step != step-1:
			return 0, nethttp.ErrStep
		}
	}
	seq, err := t.publish(ctx, id, step, data, keep, at.seq, "")
	if errors.Is(err, nethttp.ErrStep) && step == 1 {
		// Another one with the id may have been there, which is gone.
		r, e := t.read(ctx, id)
		if e != nil || r.step != 0 || r.seq == at.seq {
			return 0, err
		}
		seq, err = t.publish(ctx, id, step, data, keep, r.seq, "")
	}
	if err != nil {
		return 0, err
	}
	t.seen.put(id, place{step: step, seq: seq, mark: row{seq: seq, data: data}.mark()})
	t.tidy(ctx, id, at, seq)
	return seq, nil
}

// publish stores a message of a session in place of the one with sequence after, for keep. Step 0 removes it. parts has
// those of the entry, or is "".
func (t *table) publish(ctx context.Context, id string, step uint64, data []byte, keep time.Duration, after uint64, parts string) (uint64, error) {
	m := nats.NewMsg(t.subject(id))
	m.Data = data
	if step > 0 {
		m.Header.Set(headerStep, strconv.FormatUint(step, 10))
	}
	if parts != "" {
		m.Header.Set(headerParts, parts)
	}
	ack, err := t.send(ctx, m, jetstream.WithExpectLastSequencePerSubject(after), lasting(keep))
	if errors.Is(err, nethttp.ErrStep) {
		t.seen.forget(id) // the server may have lost it
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// lasting has a message kept for a time, of which the server knows whole seconds.
func lasting(d time.Duration) jetstream.PublishOpt {
	return jetstream.WithMsgTTL(max(time.Second, (d + time.Second - 1).Truncate(time.Second)))
}

// send publishes a message once. nethttp.ErrStep says that another one was there than the one that was expected.
func (t *table) send(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	ack, err := t.js.PublishMsg(ctx, m, append(opts, jetstream.WithRetryAttempts(0))...)
	var refused *jetstream.APIError
	if errors.As(err, &refused) {
		switch refused.ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
			return nil, nethttp.ErrStep
		}
	}
	if err != nil {
		return nil, fmt.Errorf("jetstream: publish: %w", err)
	}
	return ack, nil
}

// Delete implements nethttp.Table. A message without a record takes the place of the session's for a minute: nobody is
// told of a message that is purged.
func (t *table) Delete(ctx context.Context, id string) error {
	if !token(id) {
		return nil
	}
	_, err := t.send(ctx, nats.NewMsg(t.subject(id)), lasting(forgotten))
	return err
}

// Wait implements nethttp.Table.
func (t *table) Wait(ctx context.Context, id string, step uint64) error {
	if !token(id) {
		return nil
	}
	return t.hub.Wait(ctx, id, step)
}
