package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// An entry of several parts is one message for each, and a final one in place of the record that names them by
// their sequences. Only the final message is compared: a part belongs to no entry until it is named.

const (
	// headerParts names the parts of an entry: until when the first one is kept, in seconds of the server's clock; the
	// total length; a checksum of the last one, because a server that has lost messages uses their sequences again; the
	// sequence of the message that the first one was Put as; and for each part how much higher its sequence is than the
	// previous one.
	headerParts = "Mcp-Parts"
	// maxParts bounds the parts of an entry.
	maxParts = 64
)

// errParts means that a part of an entry no longer exists.
var errParts = errors.New("jetstream: a part of the record is missing")

// parts is a parsed headerParts.
type parts struct {
	until time.Time
	size  int
	sum   uint32
	seqs  []uint64 // the first is that of what was Put, which has become a part since
}

func (p parts) String() string {
	text := strconv.AppendInt(nil, p.until.Unix(), 10)
	text = strconv.AppendInt(append(text, ' '), int64(p.size), 10)
	text = strconv.AppendUint(append(text, ' '), uint64(p.sum), 10)
	last := uint64(0)
	for _, seq := range p.seqs {
		text = strconv.AppendUint(append(text, ' '), seq-last, 10)
		last = seq
	}
	return string(text)
}

func parseParts(text string) (p parts, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 5 {
		return parts{}, false
	}
	until, e1 := strconv.ParseInt(fields[0], 10, 64)
	size, e2 := strconv.Atoi(fields[1])
	sum, e3 := strconv.ParseUint(fields[2], 10, 32)
	p, last := parts{time.Unix(until, 0), size, uint32(sum), nil}, uint64(0)
	for _, field := range fields[3:] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return parts{}, false
		}
		last += n
		p.seqs = append(p.seqs, last)
	}
	return p, e1 == nil && e2 == nil && e3 == nil && size >= 0
}

// mark names an entry: by its parts, or by its single message and a checksum.
func (r row) mark() string {
	if r.parts != "" {
		return r.parts
	}
	return put(r.seq) + strconv.FormatUint(uint64(crc32.ChecksumIEEE(r.data)), 10)
}

// put returns the beginning of the mark of a record that was Put.
func put(seq uint64) string { return "#" + strconv.FormatUint(seq, 10) + " " }

// follows returns the parts of p after those of the entry that mark names; all is true if it is another entry.
func (p parts) follows(mark string) (seqs []uint64, all bool) {
	have, ok := parseParts(mark)
	switch {
	case strings.HasPrefix(mark, put(p.seqs[0])):
		return p.seqs[2:], false
	case ok && len(have.seqs) == len(p.seqs) && have.sum != p.sum:
		return p.seqs[1:], true
	case !ok || len(have.seqs) > len(p.seqs) || have.seqs[len(have.seqs)-1] != p.seqs[len(have.seqs)-1] || have.seqs[0] != p.seqs[0]:
		return p.seqs[1:], true
	}
	return p.seqs[len(have.seqs):], false
}

// GetSince implements nethttp.Changes.
func (t *table) GetSince(ctx context.Context, id, mark string) (data []byte, all bool, next string, err error) {
	for range tries {
		r, err := t.entry(ctx, id)
		if err != nil {
			return nil, false, "", err
		}
		next = r.mark()
		if r.parts == "" {
			if next == mark {
				return nil, false, next, nil
			}
			return r.data, true, next, nil
		}
		p, ok := parseParts(r.parts)
		if !ok {
			return nil, false, "", fmt.Errorf("%w: it says %q", errParts, r.parts)
		}
		seqs, all := p.follows(mark)
		if data, err = t.fetch(ctx, id, seqs); !errors.Is(err, errParts) { // otherwise another entry took its place in between
			return data, all, next, err
		}
	}
	return nil, false, "", errParts
}

// fetch returns parts, concatenated.
func (t *table) fetch(ctx context.Context, id string, seqs []uint64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	got, errs := make([][]byte, len(seqs)), make([]error, len(seqs))
	var wg sync.WaitGroup
	for i, seq := range seqs {
		wg.Go(func() {
			m, err := t.stream.GetMsg(ctx, seq)
			switch {
			case errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && !strings.HasPrefix(m.Subject, t.owned(id, "")):
				errs[i] = errParts
			case err != nil:
				errs[i] = fmt.Errorf("jetstream: get: %w", err)
			default:
				got[i] = m.Data
			}
		})
	}
	wg.Wait()
	var all []byte
	for _, data := range got {
		all = append(all, data...)
	}
	return all, errors.Join(errs...)
}

// Append implements nethttp.Changes. A record that was Put becomes the first part. That part is kept for three times
// keep; Append works as long as it outlives the new entry.
func (t *table) Append(ctx context.Context, _ uint64, id, mark string, data []byte, step uint64, keep time.Duration) (string, error) {
	if mark == "" || !token(id) {
		seq, err := t.put(ctx, id, data, step, keep)
		return row{seq: seq, data: data}.mark(), err
	}
	p, whole := parseParts(mark)
	whole = !whole
	before, ok := t.seen.get(id, step-1)
	var record []byte
	if whole || !ok || before.time.IsZero() {
		r, err := t.read(ctx, id)
		if err != nil {
			return "", err
		}
		before, record = r.place(), r.data
	}
	most := int(t.conn.MaxPayload()) - headerBytes
	switch {
	case before.step != step-1 || before.mark != mark:
		return "", nethttp.ErrStep
	case p.size+len(record)+len(data) > most, len(p.seqs) >= maxParts:
		return "", fmt.Errorf("jetstream: %d parts and %d bytes: %w", len(p.seqs), p.size+len(record)+len(data), lifecycle.ErrLimit)
	case !whole && before.time.Add(2*keep).After(p.until):
		return "", fmt.Errorf("jetstream: the first part is kept until %v: %w", p.until, lifecycle.ErrLimit)
	case whole:
		p.until, p.seqs = before.time.Add(3*keep), append(p.seqs, before.seq)
		if err := t.add(ctx, &p, id, record, keep); err != nil {
			return "", err
		}
	}
	if err := t.add(ctx, &p, id, data, keep); err != nil {
		return "", err
	}
	next := p.String()
	seq, err := t.publish(ctx, id, step, nil, keep, before.seq, next)
	if err != nil {
		return "", err
	}
	t.seen.put(id, place{step: step, seq: seq, mark: next})
	return next, nil
}

// add stores a part, under its own subject, so that it replaces no other.
func (t *table) add(ctx context.Context, p *parts, id string, data []byte, keep time.Duration) error {
	m := nats.NewMsg(t.owned(id, rand.Text()))
	m.Data = data
	ack, err := t.send(ctx, m, lasting(3*keep+3*t.opt.Timeout))
	if err == nil {
		p.size, p.sum, p.seqs = p.size+len(data), crc32.ChecksumIEEE(data), append(p.seqs, ack.Sequence)
	}
	return err
}

// tidy removes the parts of an entry that was replaced, except those from a sequence on. Parts that are not removed
// expire.
func (t *table) tidy(ctx context.Context, id string, before place, from uint64) {
	if _, ok := parseParts(before.mark); !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.Timeout)
	defer cancel()
	_ = t.stream.Purge(ctx, jetstream.WithPurgeSubject(t.owned(id, "*")), jetstream.WithPurgeSequence(from))
}
