package model_test

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// hostile are snapshots whose only effect is cost: a beginning, a part that is
// repeated, and an end. # is another number each time.
var hostile = []struct{ name, begin, again, end string }{
	{"calls that are none", `"first":1,"inbound":[0`, `,0`, `]`},
	{"requests that are none", `"first":1,"outbound":[0`, `,0`, `]`},
	{"calls with one id", `"first":1,"calls":9,"inbound":[{"id":1,"call":1,"method":"x"}`, `,{"id":1,"call":1,"method":"x"}`, `]`},
	{"calls without an id", `"first":1,"calls":9,"inbound":[{"id":"` + strings.Repeat("x", 20) + `"}`, `,{}`, `]`},
	{"one member", `"first":1`, `,"first":1`, ``},
	{"many names", `"first":1`, `,"#":1`, ``},
	{"many members of a call", `"first":1,"inbound":[{"id":1`, `,"a":1`, `}]`},
	{"nested", `"first":1,"inbound":[`, `[`, ``},
	{"a long number", `"first":1`, `1`, ``},
	{"a long time", `"first":1,"grace":1`, `0`, ``},
	{"a long id", `"first":1,"inbound":[{"id":1`, `0`, `}]`},
	{"a long progress", `"first":1,"inbound":[{"progress":1`, `0`, `}]`},
	{"a long phase", `"first":1,"phase":"`, `x`, `"`},
	{"long capabilities", `"first":1,"revision":"2025-06-18","capabilities":"tools`, `,tools`, `","peer":1`},
	{"a long peer", `"first":1,"revision":"2025-06-18","peer":{"a":[0`, `,0`, `]}`},
	{"a long cause", `"first":1,"cause":{"rpc":{"code":"`, `x`, `"}}`},
	{"subscriptions that are none", `"first":1,"phase":"disconnected","cause":{"kind":"transport lost"},"subscriptions":[0`, `,0`, `]`},
	{"one subscription", `"first":1,"phase":"disconnected","cause":{"kind":"transport lost"},"subscriptions":["a"`, `,"a"`, `]`},
	{"a long catalog", `"first":1,"phase":"disconnected","cause":{"kind":"transport lost"},"catalog":"`, `-`, `","subscriptions":1,"roots":1`},
	{"no JSON", `"first":1,"inbound":[0`, `,0`, ``},
}

// An invalid snapshot is refused at its first fault: with one copy of it, a few
// hundred allocations and an error of one line, however long it is.
func TestCostOfDamagedSnapshots(t *testing.T) {
	sizes := []int{40 << 10, 2 << 20}
	if !testing.Short() {
		sizes = append(sizes, 64<<20)
	}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		set := model.Setup{Party: party, Revisions: protocol.Revisions()}
		for _, h := range hostile {
			for _, size := range sizes {
				if size > 2<<20 && h.name != hostile[0].name {
					continue
				}
				text := []byte(`{"snapshot":1,"role":"` + party.String() + `",` + h.begin + again(h.again, size) + h.end + `}`)
				if !strings.Contains(h.begin, `"phase"`) {
					text = append([]byte(`{"phase":"uninitialized",`), text[1:]...)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := set.Restore(text, model.Origin, nil)
				runtime.ReadMemStats(&after)
				bytes, allocs := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
				if !errors.Is(err, lifecycle.ErrSnapshot) || len(err.Error()) > 200 {
					t.Fatalf("%v, %s: %.300v", party, h.name, err)
				}
				if most := uint64(4*len(text)) + 100<<10; bytes > most || allocs > 1000 {
					t.Fatalf("%v, %s: %d bytes cost %d bytes, want at most %d, in %d allocations", party, h.name, len(text), bytes, most, allocs)
				}
				t.Logf("%v, %s: %d bytes cost %d bytes in %d allocations: %v", party, h.name, len(text), bytes, allocs, err)
			}
		}
	}
}

func again(what string, size int) string {
	if !strings.Contains(what, "#") {
		return strings.Repeat(what, size/len(what))
	}
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.Replace(what, "#", strconv.Itoa(i), 1))
	}
	return b.String()
}

// The bound itself: a snapshot of that length is read, a longer one is not.
func TestLongestSnapshot(t *testing.T) {
	if testing.Short() {
		t.Skip("a quarter of a gigabyte")
	}
	set := model.Setup{Party: lifecycle.Server, Revisions: protocol.Revisions()}
	long := make([]byte, lifecycle.MaxSnapshot+1)
	for read, text := range map[bool][]byte{true: long[:lifecycle.MaxSnapshot], false: long} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := set.Restore(text, model.Origin, nil)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, lifecycle.ErrSnapshot) || (n >= lifecycle.MaxSnapshot) != read {
			t.Errorf("%d bytes: %v, at the cost of %d bytes", len(text), err, n)
		}
	}
}
