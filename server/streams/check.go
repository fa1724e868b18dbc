package streams

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// Check returns an error if an invariant is violated. No action of a caller or a peer can cause
// one; tests call it after every step.
func (x Streams) Check() error {
	b := x.b
	if b == nil {
		return nil
	}
	if b.streams.Len() == 0 {
		return errors.New("streams: a body without a stream")
	}
	for _, err := range []error{b.streams.Check(), b.calls.Check(), b.listen.Check(), b.victims.Check(), b.answers.Check()} {
		if err != nil {
			return err
		}
	}
	calls := map[ID]uint32{}
	for leaf := range b.calls.All() {
		calls[leaf.V]++
	}
	var plain, unread, victims, answers, listening, all int
	for leaf := range b.streams.All() {
		id, st := ID(leaf.Key), &leaf.V
		if why := x.wrong(id, st, leaf.Deadline); why != "" {
			return fmt.Errorf("streams: stream %d: %s", id, why)
		}
		if st.calls != calls[id] {
			return fmt.Errorf("streams: stream %d answers %d calls and says %d", id, calls[id], st.calls)
		}
		all += int(st.calls)
		p, u := st.count()
		plain, unread = plain+p, unread+u
		if key, ok := st.victim(id); ok {
			if victims++; b.victims.Get(key) == nil {
				return fmt.Errorf("streams: stream %d is not among the victims", id)
			}
		}
		if key, ok := st.answer(id); ok {
			if answers++; b.answers.Get(key) == nil {
				return fmt.Errorf("streams: the answers on stream %d are not among those that wait", id)
			}
		}
		if st.order != 0 {
			if l := b.listen.Get(^st.order); l == nil || l.V != id || l.Deadline != int64(st.order) {
				return fmt.Errorf("streams: stream %d does not listen", id)
			}
			listening++
		}
	}
	switch {
	case plain != b.plain || unread != b.unread:
		return fmt.Errorf("streams: %d and %d bytes are kept, not %d and %d", plain, unread, b.plain, b.unread)
	case victims != b.victims.Len() || answers != b.answers.Len() || listening != b.listen.Len() || all != b.calls.Len():
		return errors.New("streams: a table has what is not there")
	}
	return nil
}

// wrong says what is wrong with a stream; "" if it is valid.
func (x Streams) wrong(id ID, st *stream, due int64) string {
	finals, others, bytes, next, least := 0, false, 0, st.first, int64(table.Never)
	for leaf := range st.events.All() {
		if leaf.Key != uint64(next) {
			return "a gap between events"
		}
		next++
		bytes += leaf.V.cost()
		least = min(least, leaf.Deadline)
		if leaf.V.final {
			finals += leaf.V.cost()
		} else {
			others = true
		}
	}
	listens := st.listener && st.attached && !st.ended
	switch {
	case id > x.last:
		return "a number that was not given yet"
	case next != st.last+1 || st.first < firstEvent || st.written < firstEvent-1 || st.written > st.last:
		return "impossible numbers of events"
	case bytes != st.bytes || finals != st.finals || others && !st.mixed:
		return "the events are not what it says"
	case finals > 0 && st.listener && !x.single:
		return "an answer on a GET stream"
	case x.single && !st.listener:
		return "a stream of its own for an answer"
	case listens != (st.order != 0) || st.order > x.b.order:
		return "it listens and does not, or in an impossible order"
	case !st.cut.possible(st.last, st.gen):
		return "its events got other numbers where there are none"
	case st.listener && (st.calls > 0 || st.dead || st.batch) || !st.listener && st.ended == (st.calls > 0):
		return "calls and the end do not go together"
	case x.over && !st.ended && id != backlog:
		return "open after the session has ended"
	}
	return st.odd(id, due, least)
}

// odd is wrong for the flags of the connection and of time.
func (st *stream) odd(id ID, due, least int64) string {
	switch {
	case id == backlog:
		if !st.listener || st.begun || st.primed || st.attached || st.hung || st.ended || st.gen != 0 || st.first > st.last || st.written != firstEvent-1 {
			return "no backlog"
		}
		if due != least {
			return "the backlog goes at another time than its messages"
		}
		return ""
	case st.gen == 0 || st.primed && !st.begun || st.listener && !st.begun:
		return "it was never connected, or never began"
	case st.hung && (st.attached || !st.resumable()) || st.retry != 0 && !st.hung || st.retry < 0:
		return "hung up, and not"
	case st.dead && (st.attached || st.begun || st.mixed || st.first <= st.last):
		return "dead, and not"
	case !st.attached && !st.dead && !st.resumable():
		return "nobody can come back for it"
	case !st.listener && !st.ended && st.attached && due != table.Never:
		return "it would be given up while a call is open"
	}
	return ""
}
