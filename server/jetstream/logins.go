package jetstream

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/logins"
	"github.com/sansmcp/mcp/server/nethttp"
)

// LoginOptions are the settings of NewLogins. A zero field means its default, but for Keys.
type LoginOptions struct {
	// Keys encrypt the Records, by AES-256-GCM: 32 random bytes each. The first one encrypts, each decrypts: a new key is
	// put in front, and the old one taken out once all Records were saved again or have expired. All processes have the
	// same ones. A Record whose key is not there is an error: if it is lost, take another Stream, and people log in again.
	Keys [][]byte
	// Stream is the name of the stream, which is not that of a Table. Default "MCPLOGINS".
	Stream string
	// Replicas is as in Options.
	Replicas int
	// Keep is how long a Record is kept that nobody saves, by the server's clock. Default 30 days.
	Keep time.Duration
	// Timeout bounds each request to the server. Default 2 s.
	Timeout time.Duration
}

const defaultLoginStream = "MCPLOGINS"

// NewLogins returns a Store on a stream, which it makes if there is none: what programs know of authorization, by key, so
// that a person who has logged in at one process is known at all of them. The connection is as for New. Who reads the
// stream finds neither tokens nor keys; who writes to it can put an older Record in the place of a newer one. A lock of a
// process that has died is free after 15 seconds. An error of Save that is neither store.ErrChanged nor store.ErrSize
// leaves unknown whether it was saved. While a cluster changes its leader, Load may return the Record before the last one.
func NewLogins(ctx context.Context, conn *nats.Conn, opt LoginOptions) (store.Store, error) {
	var f lifecycle.Filler
	f.Time("Keep", &opt.Keep, logins.Keep, lifecycle.NeverNone)
	if err := f.Err("jetstream"); err != nil {
		return nil, err
	}
	if opt.Stream == "" {
		opt.Stream = defaultLoginStream
	}
	o, err := Options{Stream: opt.Stream, Replicas: opt.Replicas, Timeout: opt.Timeout}.filled()
	if err != nil {
		return nil, err
	}
	t := &table{opt: o, root: strings.ToLower(o.Stream) + ".", conn: conn}
	l, err := logins.New("jetstream", loginServer{t, opt.Keep}, opt.Keys, o.Timeout)
	if err != nil {
		return nil, err
	}
	if err := t.open(ctx, jetstream.StreamConfig{Description: "logins of MCP clients", Subjects: []string{t.root + "r.*", t.root + "l.*"}}); err != nil {
		return nil, err
	}
	return l, nil
}

// loginServer implements logins.Backend.
type loginServer struct {
	*table
	keep time.Duration
}

// Name implements logins.Backend.
func (s loginServer) Name(hash string) string { return s.root + "r." + hash }

// Get implements logins.Backend.
func (s loginServer) Get(ctx context.Context, name string) ([]byte, error) {
	r, err := s.last(ctx, name)
	return r.data, err
}

// Put implements logins.Backend.
func (s loginServer) Put(ctx context.Context, name string, text, was []byte) error {
	now, err := s.last(ctx, name)
	if err == nil && !bytes.Equal(now.data[:min(logins.Begins, len(now.data))], was) {
		err = store.ErrChanged
	}
	if err == nil {
		err = s.swap(ctx, name, text, now.seq, s.keep)
	}
	return err
}

// swap stores text for a time in place of the message with a sequence, or returns store.ErrChanged.
func (s loginServer) swap(ctx context.Context, subject string, text []byte, after uint64, keep time.Duration) error {
	_, err := s.send(ctx, &nats.Msg{Subject: subject, Data: text}, jetstream.WithExpectLastSequencePerSubject(after), lasting(keep))
	if errors.Is(err, nethttp.ErrStep) {
		err = store.ErrChanged
	}
	return err
}

// lock returns the subject of the lock of a name.
func (s loginServer) lock(name string) string {
	return s.root + "l." + strings.TrimPrefix(name, s.Name(""))
}

// TryLock implements logins.Backend.
func (s loginServer) TryLock(ctx context.Context, name, by string) (bool, error) {
	now, err := s.last(ctx, s.lock(name))
	if err != nil || now.seq > 0 && string(now.data) != by {
		return false, err
	}
	if err = s.swap(ctx, s.lock(name), []byte(by), now.seq, logins.Lease); errors.Is(err, store.ErrChanged) {
		return false, nil // another one was faster
	}
	return err == nil, err
}

// Unlock implements logins.Backend.
func (s loginServer) Unlock(ctx context.Context, name, by string) error {
	now, err := s.last(ctx, s.lock(name))
	if err != nil || now.seq == 0 || string(now.data) != by {
		return err
	}
	// This message alone: one that has taken its place stays.
	return s.stream.DeleteMsg(ctx, now.seq)
}
