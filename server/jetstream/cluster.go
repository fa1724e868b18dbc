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

// The subjects of a process: its presence, which stays until it has left; its lease and its claim, which expire
// by the clock of the server; and its notes.
func (t *table) present(process string) string   { return t.root + "m.p." + process }
func (t *table) leased(process string) string    { return t.root + "m.l." + process }
func (t *table) claimed(process string) string   { return t.root + "m.c." + process }
func (t *table) owned(process, id string) string { return t.root + "o." + process + "." + id }
func message(subject string, data string) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: []byte(data)}
}

// tries is how often a message is replaced if others replace it at the same time, told how many processes Lost
// returns.
const (
	tries = 3
	told  = 8
)

// replace stores the change of the newest message of a subject, and tries again if another process has
// replaced it in between.
func (t *table) replace(ctx context.Context, subject string, change func(now row) (string, bool), opts ...jetstream.PublishOpt) (done bool, err error) {
	for range tries {
		now, err := t.last(ctx, subject)
		if err != nil {
			return false, err
		}
		next, ok := change(now)
		if !ok {
			return false, nil
		}
		_, err = t.send(ctx, message(subject, next), append(opts, jetstream.WithExpectLastSequencePerSubject(now.seq))...)
		if !errors.Is(err, nethttp.ErrStep) {
			return err == nil, err
		}
	}
	return false, fmt.Errorf("jetstream: %s: other processes keep replacing it", subject)
}

// Join implements nethttp.Cluster. The lease comes first, so that no process finds this one without a
// lease.
func (t *table) Join(ctx context.Context, process string, lease time.Duration) error {
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
func (t *table) Renew(ctx context.Context, process string, lease time.Duration) error {
	ok, err := t.replace(ctx, t.leased(process), func(now row) (string, bool) { return "", now.seq > 0 }, lasting(lease))
	if err == nil && !ok {
		return nethttp.ErrLease
	}
	return err
}

// Expire implements nethttp.Cluster.
func (t *table) Expire(ctx context.Context, process string) error {
	if !token(process) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	if err := t.stream.Purge(ctx, jetstream.WithPurgeSubject(t.leased(process))); err != nil {
		return fmt.Errorf("jetstream: expire: %w", err)
	}
	return nil
}

// live returns nethttp.ErrLease for a process without a lease.
func (t *table) live(ctx context.Context, process string) error {
	lease, err := t.last(ctx, t.leased(process))
	if err == nil && lease.seq == 0 {
		return nethttp.ErrLease
	}
	return err
}

// Own implements nethttp.Cluster. It checks the lease after storing the note too, because a process that takes over
// after the end of the lease reads the notes later.
func (t *table) Own(ctx context.Context, process, session string, mark uint64) error {
	if !token(process) || !token(session) {
		return fmt.Errorf("jetstream: process %q has session %q: want letters and digits", process, session)
	}
	if err := t.live(ctx, process); err != nil {
		return err
	}
	_, err := t.replace(ctx, t.owned(process, session), func(now row) (string, bool) {
		return strconv.FormatUint(mark, 10), now.seq == 0 || marked(now) < mark
	})
	if err != nil {
		return err
	}
	return t.live(ctx, process)
}

func marked(note row) uint64 {
	n, _ := strconv.ParseUint(string(note.data), 10, 64) // an invalid mark is 0, lower than any other
	return n
}

// Disown implements nethttp.Cluster.
func (t *table) Disown(ctx context.Context, process, session string, mark uint64) error {
	if !token(process) || !token(session) {
		return nil
	}
	note, err := t.last(ctx, t.owned(process, session))
	if err != nil || note.seq == 0 || marked(note) > mark {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	// Only this message: a newer one stays.
	if err := t.stream.DeleteMsg(ctx, note.seq); err != nil && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return fmt.Errorf("jetstream: disown: %w", err)
	}
	return nil
}

// list returns the subjects with a message that match a filter.
func (t *table) list(ctx context.Context, filter string) (map[string]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	info, err := t.stream.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, fmt.Errorf("jetstream: list: %w", err)
	}
	return info.State.Subjects, nil
}

// Owned implements nethttp.Cluster. It returns all at once.
func (t *table) Owned(ctx context.Context, process, _ string) (sessions []string, next string, err error) {
	if !token(process) {
		return nil, "", nil
	}
	all, err := t.list(ctx, t.owned(process, "*"))
	for subject := range all {
		sessions = append(sessions, strings.TrimPrefix(subject, t.owned(process, "")))
	}
	return sessions, "", err
}

// Lost implements nethttp.Cluster. One request returns all processes, leases and claims; the claiming process is
// read only if there is a claim.
func (t *table) Lost(ctx context.Context, by string, claim time.Duration) (processes []string, err error) {
	all, err := t.list(ctx, t.root+"m.*.*")
	for subject := range all {
		p, ok := strings.CutPrefix(subject, t.present(""))
		if !ok || all[t.leased(p)] > 0 {
			continue
		}
		var was row
		if all[t.claimed(p)] > 0 {
			was, err = t.last(ctx, t.claimed(p))
		}
		if err == nil && (was.seq == 0 || string(was.data) == by) {
			_, err = t.send(ctx, message(t.claimed(p), by), jetstream.WithExpectLastSequencePerSubject(was.seq), lasting(claim))
			if err == nil {
				processes = append(processes, p)
			} else if errors.Is(err, nethttp.ErrStep) { // another process was faster
				err = nil
			}
		}
		if err != nil || len(processes) == told {
			break
		}
	}
	if len(processes) > 0 {
		return processes, nil // the next call returns the others
	}
	return nil, err
}

// Leave implements nethttp.Cluster. The presence is removed after the notes, so that a failure halfway is found
// again.
func (t *table) Leave(ctx context.Context, process string) error {
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
