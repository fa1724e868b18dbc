package pipe

import (
	"io"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Read returns the messages of a stream, one a line; the channel is closed at the end of the
// stream, or when reading fails. What is no message comes as jsonrpc.KindInvalid, for State
// knows what to do with it. Nothing is read ahead of who receives but the rest of one Read.
//
// It costs a goroutine until the end of the stream. Who stops receiving before closes done,
// and in as well where nothing may come from it any more. A nil done is never closed.
func Read(in io.Reader, done <-chan struct{}) <-chan jsonrpc.Message {
	return ReadWith(jsonrpc.Decoder{}, in, done)
}

// ReadWith is Read with the limits of a Decoder.
func ReadWith(d jsonrpc.Decoder, in io.Reader, done <-chan struct{}) <-chan jsonrpc.Message {
	messages := make(chan jsonrpc.Message)
	go func() {
		defer close(messages)
		f := jsonrpc.Framer{Decoder: d}
		buf := make([]byte, piece)
		for {
			n, err := in.Read(buf)
			f.Push(buf[:n])
			next := f.Next
			if err != nil {
				next = f.Close // what is left is the last line
			}
			for m, ok := next(); ok; m, ok = next() {
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
