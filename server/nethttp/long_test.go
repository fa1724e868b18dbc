package nethttp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/nethttp"
)

// narrow is a table that takes no long records.
type narrow struct {
	*table
	most int
}

func (n *narrow) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	if len(data) > n.most {
		return fmt.Errorf("%d bytes: %w", len(data), lifecycle.ErrLimit)
	}
	return n.table.Put(ctx, id, data, step, keep)
}

// An answer on a stream that makes the record too long for the store becomes an error, and the session goes on.
func TestTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, way := newKit(), &narrow{newTable(), 10_000}
		b := newShared(t, k, way, nethttp.Options{})
		session := b.open("2025-06-18")
		for _, length := range []int{10, 20_000, 10} {
			r := b.serve("POST", session, "", callOf("gate", `{"text":"`+strings.Repeat("x", length)+`"}`), nil)
			<-k.begun
			time.Sleep(time.Second) // the response is a stream
			k.free <- struct{}{}
			time.Sleep(time.Second)
			want := `"text":"free {`
			if length > way.most {
				want = `"code":-32603,"message":"the answer is too large to be kept"`
			}
			if got := r.text(); !r.over() || !strings.Contains(got, want) {
				t.Errorf("%d bytes: %v %.300s, want %s", length, r.over(), got, want)
			}
			r.cut()
		}
		b.close()
	})
}
