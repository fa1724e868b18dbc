// Package pipe moves messages over byte streams: Read gives those of a stream, a Writer
// writes them to one. It is the part that the drivers of both roles share; it does I/O, so
// nothing pure imports it.
//
// # Loop
//
// One goroutine owns the State. It takes messages in while the Writer has room, and does
// what is due at any time:
//
//	messages, w := pipe.Read(in, done, pipe.ReadOptions{}), pipe.NewWriter(out, 0, 0)
//	for {
//		from := messages
//		if w.Full() {
//			from = nil // nothing that could lead to more to send
//		}
//		select {
//		case m, ok := <-from:
//			… s, o = s.Receive(time.Now(), m) …
//		case <-timer.C:
//			… s, o = s.Tick(time.Now()) …
//		case <-w.Room(): // there is room again
//		case <-w.Done(): // nothing can be written any more
//			return w.Err()
//		}
//		for _, m := range o.Send {
//			w.Send(m.Message)
//		}
//	}
//
// # Contract
//
//   - Reading never waits for writing, or two such peers would wait for each other for ever:
//     a message to send goes into a queue, and Send returns.
//   - The queue is bounded by bytes. It tells when it is full, and may grow beyond that by
//     what one step sends.
//   - A peer that reads nothing of a full queue for a while has stalled: the Writer fails and
//     closes what it writes to. A slow one gets everything, in order.
//   - Every goroutine ends: that of Read with its stream or with done, that of a Writer with
//     Close, where the Write that it waits for can be ended by closing.
//
// # Not promised
//
// How messages are cut into Writes by NewWriter, and the wording of errors.
package pipe
