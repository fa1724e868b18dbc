package pipe

import (
	"io"

	"github.com/sansmcp/mcp/jsonrpc"
)

// ReadOptions are the settings of Read.
type ReadOptions struct {
	// Decoder has the limits of a message.
	Decoder jsonrpc.Decoder
	// Invalid, if set, is called with each invalid line, or the beginning of an oversize one, before its
	// jsonrpc.KindInvalid. The line is valid until Invalid returns. The calls are made one after
	// another, by the goroutine that reads.
	Invalid func(line []byte)
}

// Read returns the messages of a stream, one a line; the channel is closed at the end of the
// stream, or when reading fails. Invalid text is a message of jsonrpc.KindInvalid, for the State to
// handle. At most the rest of one Read is buffered.
//
// It costs a goroutine until the end of the stream. To stop receiving earlier close done, and also
// in, if it may block. A nil done is never closed.
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
