package transports_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

// Messages of any size pass both ways at once, each complete, in the order of
// sending, however the bytes are cut.
//
// revisions: all
// rows: TRANS-006
func TestBothWaysWhole(t *testing.T) {
	aIn, bOut := io.Pipe()
	bIn, aOut := io.Pipe()
	ends := [2]struct {
		from <-chan jsonrpc.Message
		to   *pipe.Writer
	}{
		{pipe.Read(aIn, nil, pipe.ReadOptions{}), pipe.NewWriter(aOut, 0, 0)},
		{pipe.Read(iotest.OneByteReader(bIn), nil, pipe.ReadOptions{}), pipe.NewWriter(bOut, 0, 0)},
	}
	const count = 300
	text := func(end, i int) string { // of a size and with characters that depend on the number
		src := rand.New(rand.NewPCG(uint64(end), uint64(i)))
		n := src.IntN(20)
		if i%50 == 0 {
			n = 5000 // more than a buffer
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"m%d","params":{"t":"%s"}}`, i, strings.Repeat("ü\u2028\\n\\\"", n))
	}
	done := make(chan error, 2)
	for i := range ends {
		go func() {
			for n := range count {
				ends[i].to.Send(jsonrpc.DecodeString(text(i, n)))
			}
		}()
		go func() {
			for n := range count {
				m, ok := <-ends[i].from
				if got, want := string(jsonrpc.Append(nil, m)), text(1-i, n); !ok || got != want {
					done <- fmt.Errorf("end %d, message %d: %.100s, want %.100s", i, n, got, want)
					return
				}
			}
			done <- nil
		}()
	}
	for range ends {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, e := range ends {
		if err := e.to.Close(time.Minute); err != nil {
			t.Error(err)
		}
	}
	_, _ = aOut.Close(), bOut.Close()
}
