package client_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/lifecycle"
)

// After all that may happen in a row, to a session that is new and to one that is ready, a State has
// done what it did, and does it next.
func TestAllShortRows(t *testing.T) {
	moves := map[string]op{"2s,": {kind: 6, wait: 2 * time.Second}, "8s,": {kind: 6, wait: 8 * time.Second}, "1m,": {kind: 6, wait: time.Minute}}
	words := []string{"2s,", "8s,", "1m,"}
	add := func(kind, pick int) {
		word := fmt.Sprintf("%d/%d,", kind, pick)
		words = append(words, word)
		moves[word] = op{kind: kind, pick: pick, wait: 100 * time.Millisecond}
	}
	for i := range lines {
		add(0, i)
	}
	for _, kind := range []int{7, 8, 9, 11, 12, 13, 14, 16} {
		add(kind, 0)
	}
	for pick := 1; pick < 6; pick++ {
		add(15, pick)
	}
	play := func(before string) func(string) string {
		return func(s string) string {
			now := t0
			x, err := client.New(config(), now)
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
				next, out, err := apply(x, now, o)
				if err == nil {
					x = next
				}
				for i, ev := range out.Events {
					if c := ev.Cause; c != nil { // its text says no more
						fmt.Fprint(&b, c.Kind, c.RPC)
						out.Events[i].Cause = nil
					}
				}
				if out.Close != nil {
					out.Close = &lifecycle.Cause{Kind: out.Close.Kind}
				}
				fmt.Fprint(&b, written(out), err != nil, ";")
			}
			if err := x.Check(); err != nil {
				t.Fatal(s, err)
			}
			due, ok := x.NextDeadline()
			fmt.Fprint(&b, string(x.Snapshot()), x.Status(), due.Sub(t0), ok)
			return b.String()
		}
	}
	texts.Same(t, "1057 of 1057, 9fc46cbb", texts.Every(2, words...), play("16/0,"))
	texts.Same(t, "33825 of 33825, 2ae82f26", texts.Every(3, words...), play("16/0,0/0,"))
	texts.Same(t, "1057 of 1057, a5c7d684", texts.Every(2, words...), play("16/0,0/0,9/0,11/0,0/5,0/6,"))
}
