// Package host runs the functions of a server: what a driver needs whatever its transport
// is. It does I/O, so nothing pure imports it.
//
//   - Turner is who owns a session and takes turns on it.
//   - Work bounds the functions that run, for any number of sessions; Calls are those of one
//     session, with contexts that end with their calls, and the requests that they wait for.
//   - Host is a Turner for one session over one connection, as stdio and WebSocket have it:
//     a goroutine owns the State, and whatever happens comes to it.
//
// # Loop
//
// Over a connection that lives as long as its session a driver gives a Host two things, what
// comes and where to send:
//
//	s, err := server.New(cfg, time.Now()) // with the Catalog and Serve of h
//	…
//	messages, out := pipe.Read(in, nil, pipe.ReadOptions{}), pipe.NewWriter(to, 0, 0)
//	err = host.New(s, h, out, host.Options{}).Serve(ctx, messages)
//
// A driver of another kind, that keeps its sessions in a store, implements Turner itself, and
// after each turn, once the State is kept, hands what it brought to its Calls:
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
//   - Every call that Start took is answered by the Answer of its function, unless it has
//     ended before, or the Turner cannot keep the answer for WorkOptions.KeepAnswer; the context of a
//     function ends with its call, however that ends.
//   - WorkOptions.MaxRunning functions run at a time. One whose call has ended counts until
//     it returns; its context tells it to. One that waits for its client makes room for
//     others, so that clients that do not answer hold up no other client. Calls beyond that wait, sessions
//     taking turns, up to MaxWaiting and CallBytes; then they are refused.
//   - A client that does not read: once the Sink is full, a Host takes nothing in that could
//     make it longer, neither messages nor what functions send, until there is room. What
//     ends a connection that stays full is the Sink.
//   - After the end of input, or Shutdown, open calls have Options.Drain to finish; then
//     their functions are told and Serve returns, whether they listen or not.
//   - After Serve no goroutine of the Host is left but those of functions that do not listen; of a Work
//     that several share none is after Work.Close.
//   - A function that panics ends the program, as everywhere in Go.
//
// # Not promised
//
// Which of the calls that wait for different sessions runs first, and the wording of errors.
package host
