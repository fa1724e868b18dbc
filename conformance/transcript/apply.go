package transcript

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// subject is the machine of a script, with the Config for restoring it, and the Catalog
// for a new session.
type subject struct {
	verbs.Machine
	cfg   verbs.Config
	first *server.Catalog
	head  []string // the options of the head
}

func newSubject(role lifecycle.Party, options []string, now time.Time) (x subject, err error) {
	x.cfg.Party, x.head = role, options
	if err = x.configure(options); err == nil {
		x.Machine, err = x.cfg.New(now)
	}
	return x, err
}

// configure makes the Config of the options.
func (x *subject) configure(options []string) (err error) {
	if x.cfg.Party == lifecycle.Server {
		x.cfg.Server, err = Server(options)
	} else {
		x.cfg.Client, err = Client(options)
	}
	x.first = x.cfg.Server.Catalog
	return err
}

// reload continues with a restored snapshot.
func (x *subject) reload(now time.Time) (err error) {
	x.Machine, err = x.cfg.Restore(x.Snapshot(), now)
	return err
}

// restore is reload, after "head" with the Config of the head plus more options.
func (x *subject) restore(now time.Time, options []string) error {
	if len(options) > 0 && options[0] == "head" {
		if err := x.configure(slices.Concat(x.head, options[1:])); err != nil {
			return err
		}
	}
	x.first = x.cfg.Server.Catalog
	return x.reload(now)
}

// do does a verb. Verbs that cannot fail have no error.
func (x *subject) do(now time.Time, v verbs.Verb) (out lifecycle.Output, err error) {
	x.Machine, out, err = x.Do(now, v)
	return out, err
}

func (x *subject) receive(now time.Time, m jsonrpc.Message) (out lifecycle.Output) {
	x.Machine, out = x.Receive(now, m)
	return out
}

func (x *subject) tick(now time.Time) (out lifecycle.Output) {
	x.Machine, out = x.Tick(now)
	return out
}

// apply does an app line. A new session has the first Catalog; another one is for
// restoring a snapshot.
func (x *subject) apply(now time.Time, line act) (lifecycle.Output, error) {
	switch {
	case line.restore:
		return lifecycle.Output{}, x.restore(now, line.options)
	case line.verb.Op == verbs.OpNewSession:
		x.cfg.Server.Catalog = x.first
	}
	out, err := x.do(now, line.verb)
	if err == nil && line.verb.Op == verbs.OpOffer {
		x.cfg.Server.Catalog = line.verb.Catalog
	}
	return out, err
}

// self returns the info of the machine.
func (x *subject) self() protocol.Implementation {
	if x.cfg.Party == lifecycle.Server {
		return x.cfg.Server.Info
	}
	return x.cfg.Client.Info
}
