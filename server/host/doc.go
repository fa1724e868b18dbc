// Package host runs the functions of a server, for drivers of any transport. It does I/O; no pure
// package imports it.
//
//   - Turner owns a session and takes turns on it.
//   - Work bounds the running functions, for any number of sessions; Calls are those of one
//     session, with contexts that end with their calls, and the requests that they wait for.
//   - Host is a Turner for one session over one connection, as stdio and WebSocket have it:
//     a goroutine owns the State, and whatever happens comes to it.
//
// # Loop
//
// Over a connection that lives as long as its session a driver gives a Host the incoming messages
// and a Sink:
//
//	s, err := server.New(cfg, time.Now()) // with the Catalog and Serve of h
//	…
//	messages, out := pipe.Read(in, nil, pipe.ReadOptions{}), pipe.NewWriter(to, 0, 0)
//	err = host.New(s, h, out, host.Options{}).Serve(ctx, messages)
//
// A driver that keeps its sessions in a store implements Turner itself. After each turn, once the
// State is stored, it passes the Output to its Calls:
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
//   - Every call that Start took is answered by the Answer of its function, unless it has ended
//     before, or the Turner cannot store the answer within WorkOptions.KeepAnswer. The context of a
//     function ends with its call.
//   - WorkOptions.MaxRunning functions run at a time. One whose call has ended counts until it returns.
//     One that waits for its client frees its slot, so that clients that do not answer do not delay
//     others. Further calls wait, served in turn by session, up to MaxWaiting and CallBytes; then they are
//     refused.
//   - While the Sink is full, because the client does not read, a Host accepts neither messages nor
//     notifications of functions. The Sink ends a connection that stays full.
//   - After the end of input, or Shutdown, open calls have Options.Drain to finish; then their
//     contexts end and Serve returns, even if functions still run.
//   - After Serve only goroutines of functions that ignore their context are left; those of a shared
//     Work end with Work.Close.
//   - A panic of a function ends the program.
//
// # Not promised
//
// The order of waiting calls of different sessions, and the texts of errors.
package host
