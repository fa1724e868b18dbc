package delta_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/server/internal/delta"
)

const most = 1 << 20

// edited is a record after another one: parts of it are cut out, put in and moved.
func edited(t *rapid.T, last string) string {
	next := last
	for range rapid.IntRange(0, 4).Draw(t, "edits") {
		at := rapid.IntRange(0, len(next)).Draw(t, "at")
		to := rapid.IntRange(at, len(next)).Draw(t, "to")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			next = next[:at] + next[to:]
		case 1:
			next = next[:at] + rapid.StringMatching(`[a-c]{0,40}`).Draw(t, "new") + next[at:]
		case 2:
			next = next[to:] + next[at:to] + next[:at]
		}
	}
	return next + "}"
}

// An entry of a record and any changes is the last record, however it is read: all of it, or what follows one that was
// read before.
func TestChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := []string{rapid.StringMatching(`[a-d]{0,300}`).Draw(t, "record") + "}"}
		entry := []byte(records[0])
		ends := []int{len(entry)}
		for i := range rapid.IntRange(0, 5).Draw(t, "changes") {
			records = append(records, edited(t, records[i]))
			entry = delta.Change(entry, []byte(records[i]), []byte(records[i+1]))
			ends = append(ends, len(entry))
		}
		for i, end := range ends {
			got, base, err := delta.Read(entry[:end], most)
			if err != nil || string(got) != records[i] || base != ends[0] {
				t.Fatalf("record %d is %q after %d, %v, want %q after %d", i, got, base, err, records[i], ends[0])
			}
			last := records[len(records)-1]
			if got, err = delta.Follow(got, entry[end:], most); err != nil || string(got) != last {
				t.Fatalf("after record %d: %q, %v, want %q", i, got, err, last)
			}
		}
	})
}

// A change of a long record that adds a message to it is as long as that, and some bytes more.
func TestLength(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"req":%d,"message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}},`, i, i)
	}
	list := b.String()
	const message = `{"message":{"jsonrpc":"2.0","method":"x","params":{"q":"something else"}}},`
	last := fmt.Sprintf(`{"step":%d,"made":%d,"list":[%s],"end":true}`, 300, 1<<40, list)
	next := fmt.Sprintf(`{"step":%d,"made":%d,"list":[%s%s],"end":true}`, 301, 1<<41, list[100:], message)
	if n := len(delta.Change(nil, []byte(last), []byte(next))); n > len(message)+100 {
		t.Errorf("%d bytes for a message of %d", n, len(message))
	}
}

// What is put behind another record is found, and so is what is too long.
func TestDamaged(t *testing.T) {
	a, b := []byte(strings.Repeat("one record, and more}", 20)), []byte(strings.Repeat("one record, and more}", 21))
	other := bytes.ToUpper(a)
	for name, entry := range map[string][]byte{
		"another record": delta.Change(other, a, b), "no record": delta.Change(nil, a, b), "zeros": make([]byte, 40), "too long": delta.Change(a, a, bytes.Repeat(b, most)),
		"a change that is lost": delta.Change(bytes.Clone(a), b, a),
	} {
		if got, _, err := delta.Read(entry, most); !errors.Is(err, delta.ErrDamaged) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Whatever an entry holds, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{}"))
	f.Add(delta.Change([]byte("{}"), []byte("{}"), []byte(`{"a":1}`)))
	f.Fuzz(func(t *testing.T, entry []byte) {
		got, _, err := delta.Read(entry, 1<<10)
		if err == nil && len(got) > max(len(entry), 1<<10) {
			t.Errorf("%d bytes", len(got))
		}
	})
}
