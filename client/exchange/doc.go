// Package exchange is the client's side of Streamable HTTP without I/O: the HTTP requests for each
// message, as values.
//
// An [Exchange] is one message with its answer: the POST, a JSON body or a stream of events, a lost
// connection and its resumption, until the end. It is also the GET stream on which the server sends
// its other messages. An [Order] decides when messages may be posted, because HTTP requests can
// overtake each other.
//
// # Loop
//
// A driver adds the messages that client.State sends to its Order, and runs an exchange for each
// message that the Order releases, usually on its own goroutine:
//
//	o = o.Add(out.Send...)
//	for next, t, m, ok := o.Next(now); ok; next, t, m, ok = o.Next(now) {
//		o = next
//		go run(t, m)
//	}
//
// It does what the phase of the exchange requires, until that is Done or Lost:
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
// Pass messages to State.Receive in the order in which they are returned, before you check the
// phase. Report each step to the Order: Sent when the request was written, Accepted when x.Accepted
// is true, Ended at the end. Report a Lost request to the State by SendFailed or ResponseLost,
// depending on Failure.Delivery, with the Failure as the cause. For SessionGone call
// State.Disconnected, then Reset, Initialize, and use a new Order.
//
// If the State has ended a request by itself, such as after a timeout, the driver ends the exchange
// early: it closes the body and drops the value.
//
// # Contract
//
//   - Exchange and Order are values: a method returns the next one, and old ones stay valid.
//     Time is an argument.
//   - Both are total. An exchange ends at most once, by Done or Lost, whatever arrives in any
//     order; only Again continues it.
//   - A message is posted once. Only the GET after the last event with an id is repeated, so
//     messages arrive once each and in order, if the server respects ids: an event without id
//     cannot be told from its repetition.
//   - Between two requests of an exchange lie at least Options.MinWait, and the server's retry time
//     (HTTP-106). The number of requests in a row that fail or bring nothing new is bounded, except
//     for a GET stream, which lasts as long as the session: it waits up to MaxWait between them, or
//     until Reached.
//   - The State bounds the time of an exchange: while a server lets a stream be resumed and sends
//     new ids, the exchange does not end by itself.
//   - An exchange keeps less than 16 KiB of the server's data, as copies. A returned message
//     belongs to the caller.
//   - An Order keeps the messages that it has not released, and waiting cancellations.
//
// # Not promised
//
// The size of the values, the wording of errors, and the pause between two requests beyond what
// Options says.
package exchange
