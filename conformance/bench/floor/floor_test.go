package floor

import (
	"encoding/json"
	"math/rand"
	"testing"
)

// TestQuote compares quoting with encoding/json.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\r\t\x01é—日😀", `\`} {
		q, _ := json.Marshal(s)
		if got := string(AppendUnquoted(nil, q)); got != s {
			t.Errorf("unquote %s = %q", q, got)
		}
		var back string
		if err := json.Unmarshal(AppendQuoted(nil, s), &back); err != nil || back != s {
			t.Errorf("quote %q: %q, %v", s, back, err)
		}
	}
	if got := string(AppendUnquoted(nil, []byte(`"\ud83d\ude00\u00E9"`))); got != "😀é" {
		t.Errorf("surrogates: %q", got)
	}
}

// TestSlots compares the table with a map that is never asked twice for one id.
func TestSlots(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var slots Slots
	live := map[int64]bool{}
	var ended []int64
	for range 20000 {
		if r.Intn(2) == 0 {
			id := slots.Add(Entry{})
			if live[id] {
				t.Fatalf("id %d is given twice", id)
			}
			live[id] = true
			continue
		}
		for id := range live {
			if !slots.Take(id) {
				t.Fatalf("id %d is lost", id)
			}
			delete(live, id)
			ended = append(ended, id)
			break
		}
	}
	if slots.Len != len(live) {
		t.Fatalf("%d entries, want %d", slots.Len, len(live))
	}
	for _, id := range ended {
		if slots.Take(id) {
			t.Fatalf("id %d is taken twice", id)
		}
	}
}
