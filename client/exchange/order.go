package exchange

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Ticket names a message that Order gave out.
type Ticket uint64

// Order says which messages may be posted when: an immutable value. Every message is an HTTP
// request of its own, and requests overtake each other, so that some have to wait.
// initialize is alone; what comes after notifications/initialized waits until that was
// accepted; and notifications/cancelled waits for the request that it withdraws. All else
// goes at once. The zero Order is ready for use.
type Order struct {
	// Grace is how long after its request was sent a notifications/cancelled goes out, where the
	// server has not answered it with a head; zero or less means 250 ms.
	Grace time.Duration
}

// Add takes the messages that a State wants sent.
func (o Order) Add(send ...lifecycle.Outgoing) Order { return o }

// Next returns the next message that may be posted now; ok is false if there is none. A
// request that is withdrawn before it went out is not posted, nor what withdraws it.
func (o Order) Next(now time.Time) (next Order, t Ticket, m lifecycle.Outgoing, ok bool) {
	return o, 0, m, false
}

// Sent says that the request of t was written to the server.
func (o Order) Sent(now time.Time, t Ticket) Order { return o }

// Accepted says that the head of the answer came.
func (o Order) Accepted(t Ticket) Order { return o }

// Ended says that the exchange is done or lost. Accepted is not needed before.
func (o Order) Ended(t Ticket) Order { return o }

// NextDeadline returns when Next may have another message without anything else happening;
// false if it will not.
func (o Order) NextDeadline() (time.Time, bool) { return time.Time{}, false }

// Waiting returns how many messages wait.
func (o Order) Waiting() int { return 0 }
