package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/server/nethttp"
)

var _ nethttp.Cluster = (*Table)(nil)

// The subjects of a process: that there is one, which stays until it has left, its lease and who has claimed it,
// which expire by the clock of the server, and what is noted for it.
func (t *Table) present(process string) string   { return t.root + "m.p." + process }
func (t *Table) leased(process string) string    { return t.root + "m.l." + process }
func (t *Table) claimed(process string) string   { return t.root + "m.c." + process }
func (t *Table) owned(process, id string) string { return t.root + "o." + process + "." + id }
func message(subject string, data string) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: []byte(data)}
}

// tries is how often a message is replaced that others replace meanwhile, told how many processes Lost returns.
const (
	tries = 3
	told  = 8
)

// last returns the newest message of a subject, with sequence 0 if there is none.
func (t *Table) last(ctx context.Context, subject string) (seq uint64, data string, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	m, err := t.stream.GetLastMsgForSubject(ctx, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, "", nil
	case err != nil:
		return 0, "", fmt.Errorf("jetstream: get: %w", err)
	}
	return m.Sequence, string(m.Data), nil
}

// replace stores what change makes of the newest message of a subject, until nobody else does so meanwhile.
func (t *Table) replace(ctx context.Context, subject string, change func(seq uint64, data string) (string, bool), opts ...jetstream.PublishOpt) (done bool, err error) {
	for range tries {
		seq, data, err := t.last(ctx, subject)
		if err != nil {
			return false, err
		}
		next, ok := change(seq, data)
		if !ok {
			return false, nil
		}
		_, err = t.send(ctx, message(subject, next), append(opts, jetstream.WithExpectLastSequencePerSubject(seq))...)
		if !errors.Is(err, nethttp.ErrStep) {
			return err == nil, err
		}
	}
	return false, fmt.Errorf("jetstream: %s is replaced all the time", subject)
}

// Join implements nethttp.Cluster. The lease comes first, so that nobody finds the process without one.
func (t *Table) Join(ctx context.Context, process string, lease time.Duration) error {
	if !token(process) {
		return fmt.Errorf("jetstream: the process is %q: want letters and digits", process)
	}
	if _, err := t.send(ctx, message(t.leased(process), ""), lasting(lease)); err != nil {
		return err
	}
	_, err := t.send(ctx, message(t.present(process), ""))
	return err
}

// Renew implements nethttp.Cluster.
func (t *Table) Renew(ctx context.Context, process string, lease time.Duration) error {
	ok, err := t.replace(ctx, t.leased(process), func(seq uint64, _ string) (string, bool) { return "", seq > 0 }, lasting(lease))
	if err == nil && !ok {
		return nethttp.ErrLease
	}
	return err
}

// live returns nethttp.ErrLease for a process without a lease.
func (t *Table) live(ctx context.Context, process string) error {
	seq, _, err := t.last(ctx, t.leased(process))
	if err == nil && seq == 0 {
		return nethttp.ErrLease
	}
	return err
}

// Own implements nethttp.Cluster. The lease is looked at after the note is stored too: whoever takes over from a process
// whose lease has ended reads the notes after that.
func (t *Table) Own(ctx context.Context, process, session string, mark uint64) error {
	if !token(process) || !token(session) {
		return fmt.Errorf("jetstream: process %q has session %q: want letters and digits", process, session)
	}
	if err := t.live(ctx, process); err != nil {
		return err
	}
	_, err := t.replace(ctx, t.owned(process, session), func(seq uint64, data string) (string, bool) {
		return strconv.FormatUint(mark, 10), seq == 0 || marked(data) < mark
	})
	if err != nil {
		return err
	}
	return t.live(ctx, process)
}

func marked(data string) uint64 {
	n, _ := strconv.ParseUint(data, 10, 64) // none is lower than any
	return n
}

// Disown implements nethttp.Cluster.
func (t *Table) Disown(ctx context.Context, process, session string, mark uint64) error {
	if !token(process) || !token(session) {
		return nil
	}
	seq, data, err := t.last(ctx, t.owned(process, session))
	if err != nil || seq == 0 || marked(data) > mark {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	// This message alone: one that has taken its place stays.
	if err := t.stream.DeleteMsg(ctx, seq); err != nil && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return fmt.Errorf("jetstream: disown: %w", err)
	}
	return nil
}

// list returns the subjects that have a message, of those that a filter fits.
func (t *Table) list(ctx context.Context, filter string) (map[string]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	info, err := t.stream.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, fmt.Errorf("jetstream: list: %w", err)
	}
	return info.State.Subjects, nil
}

// Owned implements nethttp.Cluster. It returns all at once.
func (t *Table) Owned(ctx context.Context, process, _ string) (sessions []string, next string, err error) {
	if !token(process) {
		return nil, "", nil
	}
	all, err := t.list(ctx, t.owned(process, "*"))
	for subject := range all {
		sessions = append(sessions, strings.TrimPrefix(subject, t.owned(process, "")))
	}
	return sessions, "", err
}

// Lost implements nethttp.Cluster. One question has all processes, leases and claims; who has claimed is read where
// somebody has.
func (t *Table) Lost(ctx context.Context, by string, claim time.Duration) (processes []string, err error) {
	all, err := t.list(ctx, t.root+"m.*.*")
	for subject := range all {
		p, ok := strings.CutPrefix(subject, t.present(""))
		if !ok || all[t.leased(p)] > 0 {
			continue
		}
		var seq uint64
		who := by
		if all[t.claimed(p)] > 0 {
			if seq, who, err = t.last(ctx, t.claimed(p)); seq == 0 {
				who = by // the claim has ended
			}
		}
		if err == nil && who == by {
			_, err = t.send(ctx, message(t.claimed(p), by), jetstream.WithExpectLastSequencePerSubject(seq), lasting(claim))
			if err == nil {
				processes = append(processes, p)
			} else if errors.Is(err, nethttp.ErrStep) { // another one was faster
				err = nil
			}
		}
		if err != nil || len(processes) == told {
			break
		}
	}
	if len(processes) > 0 {
		return processes, nil // the others are told next time
	}
	return nil, err
}

// Leave implements nethttp.Cluster. That there is the process goes after what is noted, so that what fails halfway is
// found again.
func (t *Table) Leave(ctx context.Context, process string) error {
	if !token(process) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*t.opt.Timeout)
	defer cancel()
	for _, subject := range []string{t.owned(process, "*"), t.leased(process), t.present(process), t.claimed(process)} {
		if err := t.stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return fmt.Errorf("jetstream: leave: %w", err)
		}
	}
	return nil
}
