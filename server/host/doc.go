// Package host runs the functions of a server: the part of a driver that does not depend on its
// transport. It does I/O, so nothing pure imports it.
//
//   - Turner owns a session and makes turns of it.
//   - Work bounds the functions that run, for any number of sessions; Calls are those of one
//     session, with contexts that end with their calls, and the requests that they wait for.
//   - Host is a Turner for one session over one connection, as for stdio and WebSocket: a
//     goroutine owns the State, and everything that happens is sent to it.
//
// # Loop
//
// Over a connection that lives as long as its session a driver gives a Host the incoming messages
// and a Sink for outgoing ones:
//
//	s, err := server.New(cfg, time.Now()) // with the Catalog and Serve of h
//	…
//	messages, out := pipe.Read(in, nil, pipe.ReadOptions{}), pipe.NewWriter(to, 0, 0)
//	err = host.New(s, h, out, host.Options{}).Serve(ctx, messages)
//
// A driver that keeps its sessions in a store implements Turner itself, and after each turn, once
// the State is kept, passes its Output to its Calls:
//
//	events := calls.Handle(out) // those of requests that no function here waits for
//	for _, ev := range out.Events {
//		if ev.Kind == lifecycle.RequestReceived {
//			if refused := calls.Start(ctx, handlers, ev); refused != nil {
//				… State.Fail, in a turn that follows …
//			}
//		}
//	}
//
// # Contract
//
//   - Every call that Start accepted is answered by the Answer of its function, unless it has
//     ended before, or the Turner cannot keep the answer for WorkOptions.KeepAnswer; the
//     context of a function ends with its call, however that ends.
//   - WorkOptions.MaxRunning functions run at a time. A function whose call has ended counts
//     until it returns; its context has ended too. A function that waits for its client frees
//     its place, so that clients that do not answer hold up no other client. Calls beyond that
//     wait, sessions taking turns, up to MaxWaiting and CallBytes; then they are refused.
//   - A client that does not read: once the Sink is full, a Host accepts nothing that could
//     make it longer, neither messages nor what functions send, until there is room. The Sink
//     must end a connection that stays full.
//   - After the end of input, or Shutdown, open calls have Options.Drain to finish; then the
//     contexts of their functions end and Serve returns, whether the functions do or not.
//   - After Serve no goroutine of the Host is left except those of functions that ignore their
//     context; a Work that several Hosts share has none after Work.Close.
//   - A function that panics ends the program, as everywhere in Go.
//
// # Not promised
//
// The order of waiting calls of different sessions, and the texts of errors.
package host
