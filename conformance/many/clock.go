package many

import (
	"container/heap"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Origin is the start time of every run.
var Origin = time.Date(2025, 6, 18, 9, 0, 0, 0, time.UTC)

// clock is virtual time: tasks with their times.
type clock struct {
	now   time.Time
	queue queue
	seq   uint64
}

// at does something at a time, or at once if that has passed. Tasks at the same
// instant run in the order in which they were added.
func (c *clock) at(t time.Time, do func()) { c.push(t, false, do) }

func (c *clock) push(t time.Time, late bool, do func()) {
	if t.Before(c.now) {
		t = c.now
	}
	c.seq++
	heap.Push(&c.queue, task{t, c.seq, late, do})
}

// after does something after a time.
func (c *clock) after(d time.Duration, do func()) { c.at(c.now.Add(d), do) }

// next returns the time of the next task.
func (c *clock) next() (time.Time, bool) {
	if len(c.queue) == 0 {
		return time.Time{}, false
	}
	return c.queue[0].at, true
}

// step does the next task, and reports whether there was one.
func (c *clock) step() bool {
	if len(c.queue) == 0 {
		return false
	}
	t := heap.Pop(&c.queue).(task)
	c.now = t.at
	t.do()
	return true
}

// last does something at a time, after everything else at that instant: so
// a message that arrives at a deadline precedes it in every run.
func (c *clock) last(t time.Time, do func()) {
	c.push(t, true, do)
}

type task struct {
	at   time.Time
	seq  uint64
	late bool
	do   func()
}

// queue is a heap of tasks by time.
type queue []task

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	if q[i].late != q[j].late {
		return q[j].late
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(task)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = task{}
	*q = old[:len(old)-1]
	return last
}

// dice are random numbers of one part of a run. Each part has its own, so that
// one server does not affect the others.
type dice struct{ *rand.Rand }

// newDice returns the numbers of the part with that name.
func newDice(seed uint64, name string) dice {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// chance is true in percent of a hundred cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// span returns a time from low to high, in milliseconds.
func (d dice) span(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(d.Int64N(int64((high-low)/time.Millisecond)+1))*time.Millisecond
}

// pick returns one of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }
