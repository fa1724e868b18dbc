package officialschema_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/conformance/officialschema"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// talk is a client and a server with applications that use everything: all typed
// params and results with any of their optional members, Handlers inline and as Jobs,
// changing catalogs, and requests of the server within those of the client.
type talk struct {
	d        values.Drawer
	now      time.Time
	m        [2]verbs.Machine // a client, a server
	watch    [2]*officialschema.Watcher
	inbox    [2][]string // lines under way to them
	handlers server.Handlers
	jobs     []server.Job
	owed     [2][]lifecycle.Call // unanswered by the applications
	asked    map[lifecycle.Call]lifecycle.Event
	cursor   map[string]*protocol.Cursor // of the next page, by method
	progress float64                     // the last one reported
}

const (
	ofClient = iota
	ofServer
)

func (x *talk) one(n int) bool { return x.d.Intn(n) == 0 }

func newSession(t *officialschema.Tally, seed int64) (*talk, error) {
	x := &talk{
		d: values.Drawer{Source: rand.New(rand.NewSource(seed)), Narrow: true}, now: model.Origin,
		watch: [2]*officialschema.Watcher{t.Watch(lifecycle.Client), t.Watch(lifecycle.Server)},
		asked: map[lifecycle.Call]lifecycle.Event{}, cursor: map[string]*protocol.Cursor{},
	}
	all := protocol.Revisions()
	rev := all[x.d.Intn(len(all)):][:1]
	theirs := all
	if x.one(2) {
		rev, theirs = theirs, rev
	}
	x.register()
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	cfg := server.Config{
		Info: x.info(), Instructions: x.d.Text(), Revisions: rev, Catalog: catalog, Serve: append(x.handlers.Serve(), "custom/one"),
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged, ChangeDelay: -1,
		Subscribe: true, Logging: true, Experimental: values.Of[protocol.ServerCapabilities](x.d).Experimental,
	}
	if x.one(3) { // the application lists by itself, and keeps the rest
		cfg.Serve = append(cfg.Serve, "tools/list", "resources/list", "resources/templates/list", "prompts/list",
			"resources/subscribe", "resources/unsubscribe", "logging/setLevel")
	}
	s, err := server.New(cfg, x.now)
	if err != nil {
		return nil, err
	}
	ccfg := client.Config{
		Info: x.info(), Revisions: theirs, Serve: []string{"sampling/createMessage", "custom/one"}, RootsListChanged: true,
		Experimental: values.Of[protocol.ClientCapabilities](x.d).Experimental,
	}
	if theirs[0].Row(protocol.MethodElicitationCreate) != nil {
		ccfg.Serve = append(ccfg.Serve, "elicitation/create")
	}
	if x.one(2) {
		ccfg.Serve = append(ccfg.Serve, "roots/list")
	} else {
		ccfg.Roots = x.roots()
	}
	c, err := client.New(ccfg, x.now)
	x.m = [2]verbs.Machine{verbs.Client(c), verbs.Server(s)}
	return x, err
}

// catalog has short pages.
func (x *talk) catalog() (*server.Catalog, error) {
	items := x.handlers.Items()
	items.PageSize = 2
	return server.NewCatalog(items)
}

func (x *talk) roots() []protocol.Root {
	list := values.Of[protocol.ListRootsResult](x.d).Roots
	return slices.DeleteFunc(list, func(r protocol.Root) bool { return !strings.HasPrefix(r.URI, "file:") })
}

func (x *talk) info() protocol.Implementation {
	i := values.Of[protocol.Implementation](x.d)
	i.Name, i.Version = "i"+i.Name, "1"+i.Version
	return i
}

// register fills the Handlers, each item with all possible members.
func (x *talk) register() {
	x.handlers = server.Handlers{}
	for i := range 3 {
		tool := values.Of[protocol.Tool](x.d)
		tool.Name = fmt.Sprint("t", i)
		x.handlers.Tool(tool, answer[protocol.CallToolParams, protocol.CallToolResult](x))
		resource := values.Of[protocol.Resource](x.d)
		resource.URI = fmt.Sprint("r:/", i)
		x.handlers.Resource(resource, answer[protocol.ReadResourceParams, protocol.ReadResourceResult](x))
		template := values.Of[protocol.ResourceTemplate](x.d)
		template.URITemplate = fmt.Sprint("t:/", i, "/{x}")
		read := answer[protocol.ReadResourceParams, protocol.ReadResourceResult](x)
		x.handlers.Template(template, func(ctx context.Context, c server.Caller, p protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return read(ctx, c, p)
		})
		prompt := values.Of[protocol.Prompt](x.d)
		prompt.Name = fmt.Sprint("p", i)
		x.handlers.Prompt(prompt, answer[protocol.GetPromptParams, protocol.GetPromptResult](x))
	}
	x.handlers.Complete(answer[protocol.CompleteParams, protocol.CompleteResult](x))
}

// answer returns a function for Handlers that returns anything valid, or fails.
func answer[P, R any](x *talk) func(context.Context, server.Caller, P) (*R, error) {
	return func(context.Context, server.Caller, P) (*R, error) {
		switch x.d.Intn(12) {
		case 0:
			return nil, errors.New(x.d.Text())
		case 1:
			return nil, x.failure()
		case 2:
			return nil, nil
		}
		r := values.Of[R](x.d)
		return &r, nil
	}
}

func (x *talk) failure() *jsonrpc.Error {
	return &jsonrpc.Error{Code: 1 + int64(x.d.Intn(9)), Message: x.d.Text(), Data: values.Of[protocol.LoggingMessageParams](x.d).Data}
}

// run plays a session from the handshake to its end.
func (x *talk) run() error {
	if _, err := x.do(ofClient, verbs.Verb{Op: verbs.OpInitialize}); err != nil {
		return err
	}
	for range 100 {
		x.now = x.now.Add(time.Second)
		if err := x.step(); err != nil {
			return err
		}
	}
	_, err := x.do(ofClient, verbs.Verb{Op: verbs.OpShutdown, Grace: time.Second})
	return err
}

func (x *talk) step() error {
	side := x.d.Intn(2)
	switch x.d.Intn(16) {
	case 0, 1, 2:
		return x.request(side)
	case 3, 4, 5:
		return x.settle(side)
	case 6:
		return x.report(side)
	case 7:
		return x.notify(side)
	case 8:
		return x.offer(side)
	}
	return x.deliver(side)
}

// do does a verb of the application at a side. A refusal is not a fault: the other
// side may not have declared the capability, or the params are damaged.
func (x *talk) do(side int, v verbs.Verb) (lifecycle.Output, error) {
	m, out, _ := x.m[side].Do(x.now, v)
	x.m[side] = m
	return out, x.sent(side, jsonrpc.Message{}, out)
}

// sent checks the effects of a step and sends its messages.
func (x *talk) sent(side int, in jsonrpc.Message, out lifecycle.Output) error {
	if err := x.watch[side].Step(x.m[side], in, out); err != nil {
		return err
	}
	for _, o := range out.Send {
		x.inbox[1-side] = append(x.inbox[1-side], string(jsonrpc.Append(nil, o.Message)))
	}
	for _, ev := range out.Events {
		switch {
		case ev.Kind == lifecycle.RequestReceived:
			x.owed[side] = append(x.owed[side], ev.Call)
			x.asked[ev.Call] = ev
		case ev.Kind == lifecycle.ResponseReceived && ev.Err == nil:
			r, _ := protocol.Decode[protocol.ListToolsResult](ev.Body) // the lists share nextCursor
			x.cursor[ev.Method] = r.NextCursor
		}
	}
	return nil
}

// deliver lets one line arrive at a side. The server's Handlers answer at once, or later
// as a Job.
func (x *talk) deliver(side int) error {
	if len(x.inbox[side]) == 0 {
		return nil
	}
	in := jsonrpc.DecodeString(x.inbox[side][0])
	x.inbox[side] = x.inbox[side][1:]
	var out lifecycle.Output
	x.m[side], out = x.m[side].Receive(x.now, in)
	if side == ofClient {
		return x.sent(side, in, out)
	}
	s := verbs.ServerState(x.m[side])
	switch x.d.Intn(4) {
	case 0:
		s, out = x.handlers.Handle(s, out)
	case 1:
		s, out = server.RejectUnhandled(x.handlers.Handle(s, out))
	case 2:
		for _, ev := range out.Events {
			if job, ok := x.handlers.Job(ev); ok {
				x.jobs = append(x.jobs, job)
			}
		}
	}
	x.m[side] = verbs.Server(s)
	return x.sent(side, in, out)
}

// settle answers a request that a side has not answered yet.
func (x *talk) settle(side int) error {
	if side == ofServer && len(x.jobs) > 0 {
		job := x.jobs[0]
		x.jobs = x.jobs[1:]
		return x.finish(side, job.Run(context.Background(), nil))
	}
	if len(x.owed[side]) == 0 {
		return nil
	}
	call := x.owed[side][0]
	x.owed[side] = x.owed[side][1:]
	a := lifecycle.Answer{Call: call, Result: x.result(x.asked[call])}
	switch x.d.Intn(6) {
	case 0:
		a = lifecycle.Answer{Call: call, Err: x.failure()}
	case 1:
		a.Result = x.spoil(protocol.Raw(a.Result.AppendJSON(nil)))
	}
	return x.finish(side, a)
}

func (x *talk) finish(side int, a lifecycle.Answer) error {
	_, err := x.do(side, verbs.Verb{Op: verbs.OpFinish, Call: a.Call, Result: a.Result, Err: a.Err})
	return err
}
