package tables

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// A Table that is a nethttp.Cluster knows which processes live, what each has, and which one takes over from a dead one.
func cluster(t *testing.T, s Store) {
	x, ok := s.Table(t).(nethttp.Cluster)
	if !ok {
		t.Skip("this store knows no processes")
	}
	y := s.Table(t).(nethttp.Cluster)
	t.Run("notes", func(t *testing.T) { notes(t, x, y) })
	t.Run("leases", func(t *testing.T) { leases(t, x, y) })
}

func freshProcess() string { return fresh()[:20] }

func allOwned(t *testing.T, c nethttp.Cluster, process string) (all []string) {
	t.Helper()
	for cursor := ""; ; {
		some, next, err := c.Owned(background(t), process, cursor)
		must(t, err)
		all = append(all, some...)
		if cursor = next; cursor == "" {
			slices.Sort(all)
			return slices.Compact(all)
		}
	}
}

func wantOwned(t *testing.T, c nethttp.Cluster, process string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := allOwned(t, c, process); !slices.Equal(got, want) {
		t.Errorf("%d sessions are noted, want %d", len(got), len(want))
	}
}

// A note stays until it is removed with a mark that is at least as high.
func notes(t *testing.T, x, y nethttp.Cluster) {
	ctx, p, other := background(t), freshProcess(), freshProcess()
	wantErr(t, "Own without a lease", x.Own(ctx, p, fresh(), 1), nethttp.ErrLease)
	for _, id := range []string{p, other} {
		must(t, x.Join(ctx, id, time.Minute))
		must(t, x.Join(ctx, id, time.Minute))
	}
	var all []string
	for i := range 40 {
		id := fresh()
		all = append(all, id)
		must(t, x.Own(ctx, p, id, uint64(i)+1))
	}
	wantOwned(t, y, p, all...)
	wantOwned(t, y, other)
	const big = math.MaxUint64 - 1 // as a float it is the one below
	one, two := all[0], all[1]
	must(t, x.Own(ctx, p, one, big))
	must(t, y.Own(ctx, p, one, 7))
	must(t, y.Own(ctx, other, two, 1))
	for mark, left := range map[uint64]bool{7: true, big - 1: true} {
		must(t, x.Disown(ctx, p, one, mark))
		if slices.Contains(allOwned(t, x, p), one) != left {
			t.Errorf("Disown of %d by %d", uint64(big), mark)
		}
	}
	must(t, y.Disown(ctx, p, one, big))
	must(t, y.Disown(ctx, p, one, big))
	must(t, x.Disown(ctx, p, fresh(), big))
	wantOwned(t, x, p, all[1:]...)
	wantOwned(t, x, other, two)
	must(t, y.Leave(ctx, p))
	must(t, y.Leave(ctx, p))
	wantOwned(t, x, p)
	wantErr(t, "Renew after Leave", x.Renew(ctx, p, time.Minute), nethttp.ErrLease)
	wantOwned(t, x, other, two)
	must(t, x.Leave(ctx, other))
}

// A lease expires by the clock of the store, and one process at a time learns of it.
func leases(t *testing.T, x, y nethttp.Cluster) {
	const lease, claim = 2 * time.Second, 3 * time.Second
	ctx, dead, live, session := background(t), freshProcess(), freshProcess(), fresh()
	a, b := freshProcess(), freshProcess()
	wantErr(t, "Renew of none", x.Renew(ctx, dead, lease), nethttp.ErrLease)
	must(t, x.Join(ctx, dead, lease))
	must(t, x.Join(ctx, live, lease))
	must(t, x.Renew(ctx, dead, lease))
	must(t, x.Own(ctx, dead, session, 3))
	told := func(c nethttp.Cluster, by string) bool {
		t.Helper()
		lost, err := c.Lost(ctx, by, claim)
		must(t, err)
		if slices.Contains(lost, live) {
			t.Error("a process that renews its lease is lost")
		}
		return slices.Contains(lost, dead)
	}
	began := time.Now()
	until := func(what string, c nethttp.Cluster, by string) time.Time {
		t.Helper()
		for time.Since(began) < patience-time.Second {
			must(t, y.Renew(ctx, live, lease))
			if told(c, by) {
				return time.Now()
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatal(what, " is not told")
		return time.Time{}
	}
	if told(x, a) {
		t.Error("a process with a lease is lost")
	}
	if lost := until("the first", x, a); lost.Sub(began) < lease*9/10 {
		t.Errorf("a lease of %v ended after %v", lease, lost.Sub(began))
	}
	wantErr(t, "Renew after its end", y.Renew(ctx, dead, lease), nethttp.ErrLease)
	wantErr(t, "Own after its end", y.Own(ctx, dead, fresh(), 4), nethttp.ErrLease)
	before := time.Now()
	if !told(x, a) {
		t.Error("who asks again is not told")
	}
	if told(y, b) {
		t.Error("two are told at a time")
	}
	if second := until("who comes after the first claim", y, b); second.Sub(before) < claim*9/10 {
		t.Errorf("a claim of %v ended after %v", claim, second.Sub(before))
	}
	if !slices.Contains(allOwned(t, y, dead), session) {
		t.Error("what the lost process has is not known")
	}
	must(t, y.Leave(ctx, dead))
	wantOwned(t, x, dead)
	if told(y, b) || told(x, a) {
		t.Error("a process that has left is lost")
	}
	must(t, y.Expire(ctx, live))
	must(t, x.Expire(ctx, live))
	must(t, x.Expire(ctx, freshProcess()))
	wantErr(t, "Renew of one that is known to have died", x.Renew(ctx, live, time.Minute), nethttp.ErrLease)
	wantErr(t, "Own of it", y.Own(ctx, live, session, 9), nethttp.ErrLease)
	if lost, err := x.Lost(ctx, a, claim); err != nil || !slices.Contains(lost, live) {
		t.Error("a process that is known to have died is not lost:", lost, err)
	}
	must(t, x.Leave(ctx, live))
	clean, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	must(t, x.Leave(clean, a))
}
