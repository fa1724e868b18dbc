package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/sansmcp/mcp/server/nethttp"
)

// deed is an operation of a nethttp.Cluster on one process that succeeded: the effect of a failed one is unknown.
type deed struct {
	What     string
	Process  string // that it is about
	Lapsed   bool   // the answer was that it has no lease
	Ask, End int64  // the times of request and answer, in nanoseconds of this machine
	Lease    int64  // of a join or renewal, in nanoseconds
}

// The operations on a process.
const (
	joins, renews, owns, expires, leaves = "join", "renew", "own", "expire", "leave"

	tries  = "try"  // a join with unknown outcome
	isLost = "lost" // somebody was told that its lease has ended
)

// deeds records operations.
type deeds struct {
	mu  sync.Mutex
	out io.Writer // nil for nowhere
}

func (d *deeds) note(what, process string, asked time.Time, lease time.Duration, err error) {
	end := time.Now().UnixNano()
	if err != nil && what == joins {
		what, end = tries, math.MaxInt64
	} else if err != nil && !errors.Is(err, nethttp.ErrLease) {
		return
	}
	if d.out == nil {
		return
	}
	line, _ := json.Marshal(deed{what, process, err != nil, asked.UnixNano(), end, int64(lease)}) // its type can be encoded
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.out.Write(append(line, '\n')) // an incomplete history can still be valid
}

// readDeeds reads what processes wrote.
func readDeeds(path string) (list []deed, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var d deed
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return nil, fmt.Errorf("%w: %q", err, line)
		}
		list = append(list, d)
	}
	return list, nil
}

// tenure is the known state of a process.
type tenure struct {
	tried, joined, ended bool
	until                int64 // its lease does not expire before
}

// owners is the model of ownership: a process owns sessions from its join until its lease has ended, which happens once.
var owners = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		at := map[string]int{}
		for _, op := range history {
			p := op.Input.(deed).Process
			i, ok := at[p]
			if !ok {
				i = len(parts)
				at[p] = i
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], op)
		}
		return parts
	},
	Init: func() any { return tenure{} },
	Step: func(state, input, _ any) (bool, any) {
		t, d := state.(tenure), input.(deed)
		lives := t.joined && !t.ended
		switch {
		case d.What == tries:
			t.tried = true
			return true, t
		case d.What == joins:
			t.until = d.Ask + d.Lease
			ok := !t.joined
			t.joined = true
			return ok, t
		case d.What == expires, d.What == leaves:
			t.ended = true
			return true, t
		case d.What == isLost, d.Lapsed:
			ok := t.tried || t.ended || t.joined && d.End >= t.until
			t.ended = true
			return ok, t
		case d.What == renews:
			t.until = d.Ask + d.Lease
			return lives, t
		}
		return lives, t // owns
	},
	DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%+v", input.(deed)) },
}

// checkLeases returns the violations in a history of leases.
func checkLeases(list []deed) []string {
	ops := make([]porcupine.Operation, 0, len(list))
	for _, d := range list {
		ops = append(ops, porcupine.Operation{Input: d, Call: d.Ask, Return: d.End})
	}
	switch porcupine.CheckOperationsTimeout(owners, ops, time.Minute) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return []string{fmt.Sprintf("nobody knows whether %d deeds of leases are linearizable: it took too long", len(ops))}
	}
	var wrong []string
	for _, part := range owners.Partition(ops) {
		if !porcupine.CheckOperations(owners, part) {
			slices.SortFunc(part, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
			text := "the lease of a process is not one:"
			for _, op := range part[max(0, len(part)-8):] {
				text += "\n  " + owners.DescribeOperation(op.Input, nil)
			}
			wrong = append(wrong, text)
		}
	}
	return wrong
}

// asked does an operation on a process, counts and records it.
func (c *counted) asked(what, process string, lease time.Duration, do func() error) error {
	c.cluster.Add(1)
	began := time.Now()
	err := do()
	c.deeds.note(what, process, began, lease, err)
	return err
}

func (c *counted) Join(ctx context.Context, process string, lease time.Duration) error {
	return c.asked(joins, process, lease, func() error { return c.store.Join(ctx, process, lease) })
}

func (c *counted) Renew(ctx context.Context, process string, lease time.Duration) error {
	return c.asked(renews, process, lease, func() error { return c.store.Renew(ctx, process, lease) })
}

func (c *counted) Own(ctx context.Context, process, session string, mark uint64) error {
	return c.asked(owns, process, 0, func() error { return c.store.Own(ctx, process, session, mark) })
}

func (c *counted) Expire(ctx context.Context, process string) error {
	return c.asked(expires, process, 0, func() error { return c.store.Expire(ctx, process) })
}

func (c *counted) Leave(ctx context.Context, process string) error {
	return c.asked(leaves, process, 0, func() error { return c.store.Leave(ctx, process) })
}

func (b branches) LeaveOn(ctx context.Context, branch uint64, process string) error {
	return b.asked(leaves, process, 0, func() error { return b.Branches.LeaveOn(ctx, branch, process) })
}

func (c *counted) Lost(ctx context.Context, by string, claim time.Duration) ([]string, error) {
	c.cluster.Add(1)
	began := time.Now()
	list, err := c.store.Lost(ctx, by, claim)
	for _, process := range list {
		c.deeds.note(isLost, process, began, 0, nil)
	}
	return list, err
}
