// Package pipe moves messages over byte streams: Read returns those of a stream, a Writer writes
// them to one. The drivers of both roles share it. It does I/O; no pure package imports it.
//
// # Loop
//
// One goroutine owns the State. It receives messages while the Writer is not full, and handles
// deadlines at any time:
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
//   - Reading never waits for writing, because two such peers would deadlock: Send queues a message
//     and returns.
//   - The queue is bounded by bytes. It reports when it is full; one step may exceed the limit.
//   - A peer that reads nothing of a full queue for Stall has stalled: the Writer fails and closes
//     its stream. A slow peer gets everything, in order.
//   - Every goroutine ends: that of Read with its stream or with done, that of a Writer with
//     Close, where the Write that it waits for can be ended by closing.
//
// # Not promised
//
// How messages are cut into Writes by NewWriter, and the wording of errors.
package pipe
