package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	near "github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/server"
)

// After all that may happen in a row, to a session that is new and to one that is ready, a State has
// done what it did, and does it next.
func TestAllShortRows(t *testing.T) {
	cfg, other := config(t)
	moves := map[string]op{"2s,": {kind: 7, wait: 2 * time.Second}, "8s,": {kind: 7, wait: 8 * time.Second}, "1m,": {kind: 7, wait: time.Minute}}
	words := []string{"2s,", "8s,", "1m,"}
	add := func(kind, pick int) {
		word := fmt.Sprintf("%d/%d,", kind, pick)
		words = append(words, word)
		moves[word] = op{kind: kind, pick: pick, wait: 100 * time.Millisecond}
	}
	for i := range lines {
		add(0, i)
	}
	for kind := 8; kind < 15; kind++ {
		add(kind, 0)
	}
	for pick := range 4 {
		add(15, pick)
	}
	play := func(before string) func(string) string {
		return func(s string) string {
			now := t0
			x, err := server.New(cfg, now)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for word := range strings.SplitAfterSeq(before+s, ",") {
				if word == "" {
					continue
				}
				o := moves[word]
				now = now.Add(o.wait)
				next, out, err := apply(x, now, o, other)
				if err == nil {
					x = next
				}
				fmt.Fprint(&b, written(out), err != nil, ";")
				for _, ev := range out.Events {
					if ev.Cause != nil {
						fmt.Fprint(&b, ev.Cause.Kind, ev.Cause.RPC)
					}
				}
			}
			if err := x.Check(); err != nil {
				t.Fatal(s, err)
			}
			due, ok := x.NextDeadline()
			fmt.Fprint(&b, string(x.Snapshot()), x.Status(), due.Sub(t0), ok)
			return b.String()
		}
	}
	near.Same(t, "931 of 931, eda9b6d8", near.Every(2, words...), play(""))
	near.Same(t, "27931 of 27931, 5b87a038", near.Every(3, words...), play("0/0,0/1,"))
	near.Same(t, "931 of 931, fe3b34b6", near.Every(2, words...), play("0/0,0/1,0/2,0/4,10/0,11/0,"))
}
