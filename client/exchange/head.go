package exchange

import (
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
)

// Head is the part of an HTTP response header that an exchange uses.
type Head struct {
	Status       int           // of HTTP
	ContentType  string        // the type of the body, with its parameters
	Session      string        // the session id, in the response to initialize
	Authenticate []string      // all values of WWW-Authenticate
	RetryAfter   time.Duration // the Retry-After header; zero if absent
}

// Read returns the Head of a response. values returns all values of the named header, as the method
// Values of a net/http Header does; nil means no headers. A Retry-After date is ignored.
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

// seconds parses a number of seconds, at most a year; zero if it is not valid.
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
