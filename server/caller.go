package server

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// errInline is what Caller.Request returns while Handlers.Handle runs a function: the client could
// answer only after the function has returned. Run such functions as Jobs.
var errInline = errors.New("server: a function that runs inline cannot wait for the client; run it as a Job")

// inline is the Caller of one function that Handle runs, for as long as the function runs.
type inline struct {
	s    State
	call Call
	out  Output
	send [1]Outgoing // room for one answer, the usual case
}

func (c *inline) Call() Call   { return c.call }
func (c *inline) State() State { return c.s }

func (c *inline) Progress(p protocol.ProgressParams) error {
	return c.take(c.s.Progress(time.Time{}, c.call, p))
}

func (c *inline) Notify(n protocol.Params) error {
	if !c.s.core.Open(c.call) {
		return lifecycle.ErrGone
	}
	return c.take(c.s.Notify(time.Time{}, n, c.call))
}

func (c *inline) Request(context.Context, protocol.Params, RequestOptions) (jsonrpc.Raw, error) {
	return "", errInline
}

func (c *inline) take(s State, out Output, err error) error {
	if err == nil {
		c.s = s
		c.out.Merge(out)
	}
	return err
}

// answer answers the call with what its function returned.
func (c *inline) answer(a Answer) {
	var o Output
	if len(c.out.Send) == 0 {
		o.Send = c.send[:0]
	}
	c.s.core.Clock(time.Time{}) // a step of its own
	_ = c.s.finish(a, &o)       // a result that does not fit is answered with -32603
	for i := range o.Send {
		o.Send[i].Direct = o.Send[i].Final && o.Send[i].Call == c.call
	}
	c.call = Call{}
	c.out.Merge(o)
}
