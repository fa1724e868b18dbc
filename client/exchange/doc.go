// Package exchange is the client's side of Streamable HTTP without the I/O: what each message
// needs of HTTP, as values.
//
// An [Exchange] is one message and what the server answers to it, from the POST over JSON or a
// stream of events, a lost connection and its resumption, to the end; or the GET stream on
// which the server sends messages of its own. An [Order] says which messages may be posted at
// all, since HTTP requests overtake each other.
//
// # Loop
//
// A driver gives what the client.State wants sent to its Order, and runs an exchange for each
// message that comes out, usually on a goroutine of its own:
//
//	o = o.Add(out.Send...)
//	for next, t, m, ok := o.Next(now); ok; next, t, m, ok = o.Next(now) {
//		o = next
//		go run(t, m)
//	}
//
// It looks at the phase of the exchange and does what it asks for, until it is Done or Lost:
//
//	x := exchange.Post(opt, session, m.Message)
//	for {
//		switch x.Phase() {
//		case exchange.Requesting: // x.Op().Method(), x.Fields(), Authorization, the body if it is a POST
//			resp, err := client.Do(request(x))
//			if err != nil {
//				x = x.Unanswered(now, far) // a lifecycle.Delivery
//			} else {
//				x = x.Respond(now, exchange.Read(resp.StatusCode, resp.Header.Values))
//			}
//		case exchange.JSON: // read the body, x.MaxBody() bytes of it at most
//			if x, m, ok = x.Body(now, body); ok { receive(m) }
//		case exchange.Stream: // a new sse.Decoder for each body
//			if x, m, ok = x.Event(now, e); ok { receive(m) }
//			x = x.Closed(now) // at the end of the body, however it came
//		case exchange.Waiting: // until x.At()
//			x = x.Tick(now)
//		case exchange.Done, exchange.Lost:
//			return
//		}
//	}
//
// Messages go to State.Receive in the order in which they come out, before the driver looks at
// the phase. Tell the Order of each step: Sent when the request was written, Accepted when
// x.Accepted is true, Ended at the end. Tell the State of a Lost request by SendFailed or
// ResponseLost, as Failure.Delivery says, with the Failure as the cause; SessionGone is the case
// of State.Disconnected, which is followed by Reset, Initialize and a new Order.
//
// The driver ends an exchange early, by closing its body and forgetting it, when the
// State has ended its request by itself, as after a time-out.
//
// # Contract
//
//   - Exchange and Order are values: a method returns the next one, and old ones stay valid.
//     Time is an argument.
//   - Both are total. Whatever comes, in whatever order, an exchange ends once at
//     most, by Done or Lost, and only Again leads on from there.
//   - A message is posted once. What is made again is the GET behind the last event that had an
//     id, so messages come once each and in their order, where the server keeps to
//     that: an event without id cannot be told from its repetition.
//   - Between two requests of an exchange lie at least Options.MinWait, and what the
//     server said by retry (HTTP-106). The number of requests in a row that fail or bring
//     nothing new is bounded, but for a GET stream, which waits up to MaxWait between them, or
//     until Reached: it is wanted for as long as the session lives.
//   - The State bounds the time of an exchange: while a server lets a stream be resumed and
//     sends new ids, it does not end by itself.
//   - An exchange keeps less than 16 KiB of what the server sends, as copies. A message
//     that comes out is the caller's.
//   - An Order keeps what was added and not given out, and the cancellations that wait.
//
// # Not promised
//
// The size of the values, the wording of errors, and the wait between two requests beyond
// what Options says.
package exchange
