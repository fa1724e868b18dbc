package table

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// An Index is a map of texts, whatever hashes fall together, and older versions stay as they were.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := map[string]uint64{}
		for _, text := range []string{"", "a", "b", "c", "d", "e"} {
			hashes[text] = uint64(rapid.IntRange(0, 2).Draw(t, "hash"))
		}
		type version struct {
			x    Index[int]
			want map[string]int
		}
		versions := []version{{want: map[string]int{}}}
		for n := range rapid.IntRange(1, 30).Draw(t, "steps") {
			text := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"}).Draw(t, "text")
			last := versions[len(versions)-1]
			next := version{want: maps.Clone(last.want)}
			if rapid.Bool().Draw(t, "put") {
				next.x, next.want[text] = last.x.Put(hashes[text], text, n), n
			} else {
				next.x = last.x.Delete(hashes[text], text)
				delete(next.want, text)
			}
			versions = append(versions, next)
		}
		for i, v := range versions {
			got := map[string]int{}
			for text, n := range v.x.All() {
				if _, twice := got[text]; twice {
					t.Fatalf("version %d has %q twice", i, text)
				}
				got[text] = *n
			}
			if !maps.Equal(got, v.want) || v.x.Len() != len(v.want) {
				t.Fatalf("version %d has %v, %d of them, want %v", i, got, v.x.Len(), v.want)
			}
			for text, hash := range hashes {
				n, want := v.x.Get(hash, text), v.want[text]
				if _, ok := v.want[text]; ok != (n != nil) || ok && *n != want {
					t.Fatalf("version %d has %v under %q, want %v %d", i, n, text, ok, want)
				}
			}
			if err := v.x.t.Check(); err != nil {
				t.Fatal(err)
			}
		}
		for range versions[len(versions)-1].x.All() {
			break
		}
	})
}
