package stdio

import (
	"io"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Read returns the messages of a stream; the channel is closed at its end. Who does not
// read on to the end closes done, and in as well if it may never end.
func Read(in io.Reader, done <-chan struct{}) <-chan jsonrpc.Message {
	messages := make(chan jsonrpc.Message)
	go func() {
		defer close(messages)
		var f jsonrpc.Framer
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
