package pipe

import (
	"io"

	"github.com/sansmcp/mcp/jsonrpc"
)

// ReadOptions are the settings of Read.
type ReadOptions struct {
	// Decoder has the limits of a message.
	Decoder jsonrpc.Decoder
	// Invalid, if set, is called with each line that is no message, of an oversize one its beginning,
	// before the jsonrpc.KindInvalid for it. The line is valid until Invalid returns. The calls are made
	// one after another, by the goroutine that reads.
	Invalid func(line []byte)
}

// Read returns the messages of a stream, one a line; the channel is closed at the end of the
// stream, or when reading fails. What is no message comes as jsonrpc.KindInvalid, for State
// knows what to do with it. Nothing is read ahead of who receives but the rest of one Read.
//
// It costs a goroutine until the end of the stream. Who stops receiving before closes done,
// and in as well where nothing may come from it any more. A nil done is never closed.
func Read(in io.Reader, done <-chan struct{}, opt ReadOptions) <-chan jsonrpc.Message {
	messages := make(chan jsonrpc.Message)
	go func() {
		defer close(messages)
		f := jsonrpc.Framer{Decoder: opt.Decoder}
		buf := make([]byte, piece)
		for {
			n, err := in.Read(buf)
			f.Push(buf[:n])
			next := f.NextLine
			if err != nil {
				next = f.CloseLine // what is left is the last line
			}
			for line, ok := next(); ok; line, ok = next() {
				m := opt.Decoder.Decode(line)
				if m.Kind == jsonrpc.KindInvalid && opt.Invalid != nil {
					opt.Invalid(line)
				}
				select {
				case messages <- m:
				case <-done:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return messages
}
