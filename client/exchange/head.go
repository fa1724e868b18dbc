package exchange

import (
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
)

// Head is what an exchange reads of the head of an HTTP answer.
type Head struct {
	Status       int           // of HTTP
	ContentType  string        // the type of the body, with its parameters
	Session      string        // the session id, with the answer to initialize
	Authenticate []string      // all values of WWW-Authenticate
	RetryAfter   time.Duration // how long the server wants to be left alone; zero if it does not say
}

// Read returns the head of an answer. values returns the values of the header of the given
// name, as the method Values of a net/http Header does; it may be nil for none. A Retry-After
// that is a date is left out.
func Read(status int, values func(name string) []string) Head {
	h := Head{Status: status}
	if values == nil {
		return h
	}
	first := func(name string) string {
		if all := values(name); len(all) > 0 {
			return all[0]
		}
		return ""
	}
	h.ContentType = first(headers.ContentType)
	h.Session = first(headers.Session)
	h.Authenticate = values(headers.Authenticate)
	h.RetryAfter = seconds(first("Retry-After"))
	return h
}

// seconds reads a number of seconds, of at most a year; what is none is zero.
func seconds(digits string) time.Duration {
	const most = 365 * 24 * 60 * 60
	n := 0
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0
		}
		n = min(n*10+int(c-'0'), most)
	}
	return time.Duration(n) * time.Second
}
