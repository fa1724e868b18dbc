package table_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle/table"
)

type entry = table.Leaf[int]

// model is the dumb twin of a table: entries sorted by key, copied at each
// change.
type model []entry

func (m model) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(e entry, k uint64) int { return cmp.Compare(e.Key, k) })
}

func (m model) put(e entry) model {
	i, ok := m.find(e.Key)
	if ok {
		m = slices.Clone(m)
		m[i] = e
		return m
	}
	return slices.Insert(slices.Clone(m), i, e)
}

func (m model) remove(key uint64) (model, *entry) {
	i, ok := m.find(key)
	if !ok {
		return m, nil
	}
	gone := m[i]
	return slices.Delete(slices.Clone(m), i, i+1), &gone
}

func (m model) expire(now int64) (model, []entry) {
	var keep model
	var gone []entry
	for _, e := range m {
		if e.Deadline <= now && e.Deadline != table.Never {
			gone = append(gone, e)
		} else {
			keep = append(keep, e)
		}
	}
	slices.SortStableFunc(gone, func(a, b entry) int { return cmp.Compare(a.Deadline, b.Deadline) })
	return keep, gone
}

func (m model) min() int64 {
	first := int64(table.Never)
	for _, e := range m {
		first = min(first, e.Deadline)
	}
	return first
}

// fresh builds the table from nothing, in the order of the keys.
func (m model) fresh() table.Table[int] {
	var t table.Table[int]
	for _, e := range m {
		t = t.Put(e.Key, e.Deadline, e.V)
	}
	return t
}

func values(leaves []*entry) []entry {
	var es []entry
	for _, l := range leaves {
		es = append(es, *l)
	}
	return es
}

// compare fails if tab does not hold what m holds, or not in canonical shape.
func compare(t *rapid.T, tab table.Table[int], m model) {
	if err := tab.Check(); err != nil {
		t.Fatalf("Check: %v", err)
	}
	if tab.Len() != len(m) || tab.Min() != m.min() {
		t.Fatalf("Len, Min = %d, %d, want %d, %d", tab.Len(), tab.Min(), len(m), m.min())
	}
	if got := values(slices.Collect(tab.All())); !slices.Equal(got, m) {
		t.Fatalf("All = %v, want %v", got, m)
	}
	for _, e := range m {
		if l := tab.Get(e.Key); l == nil || *l != e {
			t.Fatalf("Get(%d) = %v, want %v", e.Key, l, e)
		}
	}
	if !reflect.DeepEqual(tab.Trie(), m.fresh().Trie()) {
		t.Fatalf("the table's shape depends on its history; entries %v", m)
	}
}

// keys draws keys that meet often: small ones, ones that differ in a single
// digit, and any.
func keys() *rapid.Generator[uint64] {
	return rapid.OneOf(
		rapid.Uint64Range(0, 20),
		rapid.Map(rapid.IntRange(0, 63), func(bit int) uint64 { return 1 << bit }),
		rapid.Map(rapid.IntRange(0, 63), func(bit int) uint64 { return math.MaxUint64 << bit }),
		rapid.Uint64(),
	)
}

func deadlines() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-3, 30), rapid.Just(int64(table.Never)), rapid.Int64())
}

func TestAgainstModel(t *testing.T) {
	type version struct {
		tab table.Table[int]
		m   model
	}
	rapid.Check(t, func(t *rapid.T) {
		past := []version{{}}
		serial := 0
		// from picks the version to go on from: mostly the latest one.
		from := func(t *rapid.T) version {
			if rapid.IntRange(0, 4).Draw(t, "branch") == 0 {
				return past[rapid.IntRange(0, len(past)-1).Draw(t, "version")]
			}
			return past[len(past)-1]
		}
		known := func(t *rapid.T, m model) uint64 {
			if len(m) > 0 && rapid.Bool().Draw(t, "known") {
				return m[rapid.IntRange(0, len(m)-1).Draw(t, "entry")].Key
			}
			return keys().Draw(t, "key")
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				v := from(t)
				serial++
				e := entry{Key: known(t, v.m), Deadline: deadlines().Draw(t, "deadline"), V: serial}
				past = append(past, version{v.tab.Put(e.Key, e.Deadline, e.V), v.m.put(e)})
			},
			"delete": func(t *rapid.T) {
				v := from(t)
				key := known(t, v.m)
				tab, leaf := v.tab.Delete(key)
				m, gone := v.m.remove(key)
				if !reflect.DeepEqual(leaf, gone) {
					t.Fatalf("Delete(%d) gave %v, want %v", key, leaf, gone)
				}
				past = append(past, version{tab, m})
			},
			"expire": func(t *rapid.T) {
				v := from(t)
				now := deadlines().Draw(t, "now")
				tab, leaves := v.tab.Expire(now)
				m, gone := v.m.expire(now)
				if got := values(leaves); !slices.Equal(got, gone) {
					t.Fatalf("Expire(%d) gave %v, want %v", now, got, gone)
				}
				if tab.Min() <= now && tab.Min() != table.Never {
					t.Fatalf("Expire(%d) left Min %d", now, tab.Min())
				}
				past = append(past, version{tab, m})
			},
			"get": func(t *rapid.T) {
				v := from(t)
				key := keys().Draw(t, "key")
				if _, ok := v.m.find(key); ok != (v.tab.Get(key) != nil) {
					t.Fatalf("Get(%d) found: %v, want %v", key, !ok, ok)
				}
			},
			"": func(t *rapid.T) {
				last := past[len(past)-1]
				compare(t, last.tab, last.m)
			},
		})
		for _, v := range past {
			compare(t, v.tab, v.m)
		}
	})
}

func TestShapeDependsOnlyOnEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ks := rapid.SliceOfNDistinct(keys(), 1, 40, rapid.ID).Draw(t, "keys")
		cut := rapid.IntRange(0, len(ks)).Draw(t, "cut")
		stay, leave := ks[:cut], ks[cut:]
		var want table.Table[int]
		for _, k := range stay {
			want = want.Put(k, int64(k>>1)|1<<40, 0)
		}
		var deleted, expired table.Table[int]
		for _, k := range rapid.Permutation(ks).Draw(t, "order") {
			deleted = deleted.Put(k, -5, 1)
			expired = expired.Put(k, 7, 1)
		}
		for _, k := range rapid.Permutation(stay).Draw(t, "replaced") {
			deleted = deleted.Put(k, int64(k>>1)|1<<40, 0)
			expired = expired.Put(k, int64(k>>1)|1<<40, 0)
		}
		for _, k := range rapid.Permutation(leave).Draw(t, "deleted") {
			deleted, _ = deleted.Delete(k)
		}
		expired, _ = expired.Expire(7)
		if !reflect.DeepEqual(deleted.Trie(), want.Trie()) {
			t.Fatal("a table after Delete differs from a fresh one")
		}
		if !reflect.DeepEqual(expired.Trie(), want.Trie()) {
			t.Fatal("a table after Expire differs from a fresh one")
		}
	})
}

func TestReplace(t *testing.T) {
	var one table.Table[string]
	one = one.Put(9, 10, "first").Put(8, 20, "other")
	two := one.Put(9, 30, "second")
	if two.Len() != 2 || two.Min() != 20 || two.Get(9).V != "second" {
		t.Errorf("after a replacement: Len %d, Min %d, V %q", two.Len(), two.Min(), two.Get(9).V)
	}
	if one.Min() != 10 || one.Get(9).V != "first" {
		t.Errorf("the version before changed: Min %d, V %q", one.Min(), one.Get(9).V)
	}
}

func TestNeverStays(t *testing.T) {
	tab := table.Table[int]{}.Put(1, table.Never, 1).Put(2, table.Never-1, 2)
	tab, gone := tab.Expire(math.MaxInt64)
	if len(gone) != 1 || gone[0].Key != 2 || tab.Len() != 1 {
		t.Errorf("Expire at the end of time gave %v and left %d", values(gone), tab.Len())
	}
}

func TestDepthIsBounded(t *testing.T) {
	// Each key parts from all others on a level of its own.
	tab := table.Table[int]{}.Put(0, 5, 0)
	for bit := range 64 {
		tab = tab.Put(1<<bit, 5, 0)
	}
	if got := tab.Depth(); got != table.MaxDepth {
		t.Errorf("Depth = %d, want %d", got, table.MaxDepth)
	}
	tab, gone := tab.Expire(5)
	if len(gone) != 65 || !reflect.DeepEqual(tab, table.Table[int]{}) {
		t.Errorf("Expire gave %d entries and left %d", len(gone), tab.Len())
	}
}

func TestAllStops(t *testing.T) {
	tab := table.Table[int]{}
	for k := range uint64(100) {
		tab = tab.Put(k, 0, 0)
	}
	var seen []uint64
	for l := range tab.All() {
		if seen = append(seen, l.Key); len(seen) == 3 {
			break
		}
	}
	if !slices.Equal(seen, []uint64{0, 1, 2}) {
		t.Errorf("All gave %v", seen)
	}
}
