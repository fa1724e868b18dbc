package nethttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// busy is the answer to a request of which nothing was done, since there is no room or the Handler is
// shut down. Its data tell a client so, which 503 alone does not.
func (h *Handler) busy() *headers.Refusal {
	text := "server busy; retry after 1s"
	if h.draining.Load() {
		text = "server shutting down; retry after 1s"
	}
	bad := headers.Refuse(http.StatusServiceUnavailable, text)
	bad.Err.Data = (&toolerror.Error{Kind: toolerror.Unavailable, After: time.Second}).Payload()
	return bad
}

// lost is the answer to a request that may have had effects, and whose answer cannot be had.
func lost() *headers.Refusal {
	return headers.Refuse(http.StatusServiceUnavailable, "the answer is lost")
}

// refuse writes a Refusal.
func (x *exchange) refuse(bad *headers.Refusal) {
	for _, f := range bad.Fields() {
		x.w.Header().Set(f.Name, f.Value)
	}
	if bad.Status == http.StatusServiceUnavailable {
		x.w.Header().Set("Retry-After", "1")
	}
	x.write(bad.Status, bad.Body())
}

// write writes a whole response, whose body is JSON if there is one, for WriteTimeout at most.
func (x *exchange) write(status int, body []byte) {
	head := x.w.Header()
	head["Content-Length"] = []string{strconv.Itoa(len(body))}
	if len(body) > 0 {
		head["Content-Type"] = typeJSON
	}
	x.deadline()
	x.w.WriteHeader(status)
	if err := x.writeAll(body, 0); err == nil {
		_ = x.rc.Flush() // now, under the deadline, and not after that was taken back
	}
}

var typeJSON = []string{headers.JSON}
