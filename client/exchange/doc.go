// Package exchange is the client's side of Streamable HTTP without the I/O: as values.
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
// It acts on the phase of the exchange until it is Done or Lost:
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
// Messages go to State.Receive in the order in which they come out, before the driver looks at the
// phase. Report each step to the Order: Sent when the request was written, Accepted when x.Accepted
// is true, Ended at the end. Report a Lost request to the State by SendFailed or ResponseLost, as
// Failure.Delivery says, with the Failure as the cause; for SessionGone call State.Disconnected,
// then Reset, Initialize and use a new Order.
//
// When the State has ended a request, such as after a timeout, the driver closes the body and drops
// the exchange.
//
// # Contract
//
//   - Exchange and Order are values: a method returns the next one, and old ones stay valid.
//     Time is an argument.
//   - Both accept any input in any order. An exchange ends at most once, by Done or Lost, and only
//     Again continues it.
//   - A message is posted once. Only the GET after the last event with an id is repeated, so
//     messages arrive once and in order if the server follows the rules: a repeated event without
//     id cannot be recognized.
//   - Between two requests of an exchange lie at least Options.MinWait, and what the server said by
//     retry (HTTP-106). The number of requests in a row that fail or bring nothing new is bounded,
//     except for a GET stream, which waits up to MaxWait between them, or until Reached, while the
//     session lives.
//   - The State bounds the time of an exchange: while a server lets a stream be resumed and
//     sends new ids, it does not end by itself.
//   - An exchange keeps less than 16 KiB of the server's data, as copies. The caller owns returned
//     messages.
//   - An Order keeps messages that were added and not returned, and waiting cancellations.
//
// # Not promised
//
// The size of the values, the wording of errors, and the pause between two requests beyond what
// Options says.
package exchange
