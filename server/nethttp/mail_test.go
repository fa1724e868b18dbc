package nethttp_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// tardy is the way of one process to a store that tells it late of what others do.
type tardy struct{ *branched }

func (l tardy) Wait(ctx context.Context, id string, step uint64) error {
	err := l.branched.Wait(ctx, id, step)
	time.Sleep(lease)
	return err
}

// The answer to a question comes to another process, and before the one that has asked hears of it, that makes a turn
// which changes nothing, or one in which an epoch begins: its function has the answer.
func TestAnswerBeforeItIsHeardOf(t *testing.T) {
	for name, promote := range map[string]bool{"a turn that changes nothing": false, "an epoch begins": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, c := newKit(), newBranched()
				opt := nethttp.Options{StreamAfter: -1, Lease: lease}
				a, b := newShared(t, k, tardy{c}, opt), newShared(t, newKit(), c, opt)
				session := a.open("2025-11-25")
				r := a.serve("POST", session, "2025-11-25", callOf("ask", `{}`), nil)
				<-k.begun
				question, last := r.asked(t)
				time.Sleep(10 * time.Second) // the store is watched
				answer := b.serve("POST", session, "2025-11-25", answerOf(question, "model"), nil)
				if <-answer.done; answer.status() != http.StatusAccepted {
					t.Error(answer.status(), answer.text())
				}
				if promote {
					c.keep()
					c.promote()
					time.Sleep(lease / 2) // it asks for the branch with its lease
				}
				if err := a.h.StepNow(context.Background(), session); err != nil {
					t.Error(err)
				}
				got := b.serve("GET", session, "2025-11-25", "", nil, resumedAt(last)) // streams of before are closed
				got.has(t, time.Second, `"text":"model says`)
				a.close()
				b.close()
			})
		})
	}
}
