package model_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// rooted folds a Roots over a server whose client changes its roots at random moments,
// and records what the Roots should know.
type rooted struct {
	t     failer
	d     model.Source
	s     server.State
	roots server.Roots
	now   time.Time
	clock int

	own       lifecycle.Req // the open request of the Roots
	announced int           // when a change was last announced
	asked     int           // when the Roots last asked
	again     bool          // by itself, as a change had overtaken an answer: not once more
	read      int           // when it asked for what it has; 0: it has nothing
	reads     int
	past      []keptRoots
	log       []string

	most    int      // roots that are kept
	theirs  []string // the roots of the client
	n       int
	pending []jsonrpc.Message // requests that the client has not answered
	line    []string          // what is on its way to the server
}

type keptRoots struct {
	r    server.Roots
	text string
}

// TestRoots folds a Roots over the server of a client that changes its roots at random
// moments, fails at random and answers late, with other requests and events in
// between. At most one request of the Roots is open. They are fresh
// exactly if they were requested after the last announced change and the session
// is ready, and equal the client's, without invalid ones and up
// to the limit, once nothing is under way. Omissions are reported. Whatever
// does not belong to the Roots passes through unchanged, and old Roots do not change.
func TestRoots(t *testing.T) {
	reads := 0
	randomly.Check(t, func(src model.Source) error {
		return caught(func(t failer) {
			r := &rooted{t: t, d: src, now: model.Origin}
			r.run()
			reads += r.reads
		})
	})
	if reads < 20 {
		t.Errorf("the roots were read only %d times", reads)
	}
}

func (r *rooted) run() {
	rev := []protocol.Revision{protocol.Revision20250618, protocol.Revision20250326}[r.d.Intn(2)]
	cfg := server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: []protocol.Revision{rev}, Limits: lifecycle.Limits{Outbound: 1 + r.d.Intn(3)},
	}
	var err error
	if r.s, err = server.New(cfg, r.now); err != nil {
		r.t.Fatal(err)
	}
	if r.most = 1000; r.d.Intn(3) == 2 {
		r.most = 1 + r.d.Intn(3)
		r.roots.MaxRoots = r.most
	}
	r.begin(rev)
	for range 60 {
		r.step(rev)
	}
	r.now = r.now.Add(time.Hour) // unanswered requests expire
	r.take(r.s.Tick(r.now))
	for range 2 { // a change may have overtaken the first answer
		r.drain()
		r.want()
	}
	r.drain()
	kept, _ := r.kept(r.theirs)
	if list, fresh := r.roots.List(); !fresh || !slices.Equal(uris(list), kept) {
		r.fatal("roots %v, fresh %v; the client has %v", list, fresh, r.theirs)
	}
	for i, k := range r.past {
		if model.Render(k.r) != k.text {
			r.t.Fatalf("the Roots before step %d have changed", i)
		}
	}
}

func (r *rooted) begin(rev protocol.Revision) {
	if r.s.Phase() != lifecycle.Uninitialized {
		r.take(r.s.Disconnected(r.now, nil))
		r.s, _ = r.s.Reset(r.now)
	}
	r.pending = nil
	r.line = []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + rev.String() +
			`","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	r.deliver(1)
	r.deliver(1)
}

func (r *rooted) step(rev protocol.Revision) {
	switch choice := r.d.Intn(20); {
	case choice < 5:
		r.deliver(1 + r.d.Intn(3))
	case choice < 9 && len(r.pending) > 0:
		r.answer(r.d.Intn(len(r.pending)), r.d.Intn(16))
	case choice < 12:
		r.change()
	case choice < 16:
		r.want()
	case choice == 16:
		r.now = r.now.Add(time.Duration(r.d.Intn(40)) * time.Second)
		r.take(r.s.Tick(r.now))
	case choice == 17: // of the application's own
		name := []string{"ping", "roots/list"}[r.d.Intn(2)]
		if s, out, err := r.s.Request(r.now, protocol.RawRequest{Name: name}, lifecycle.RequestOptions{}); err == nil {
			r.take(s, out)
		}
	case choice == 18:
		for req := range r.s.Outbound() { // the oldest was not sent, whoever made it
			r.take(r.s.SendFailed(r.now, req.Req, nil))
			break
		}
	case choice == 19 && r.d.Intn(4) == 3:
		r.begin(rev)
	}
}

// change edits the roots of the client and announces it. Some are what no root may be.
func (r *rooted) change() {
	r.n++
	uri := fmt.Sprintf([]string{"file:///r%d", "file:///r/../%d", "file:///r %d"}[r.d.Intn(6)/2], r.n)
	if r.d.Intn(4) == 3 {
		uri = ""
	}
	r.theirs = append(slices.Clone(r.theirs[min(len(r.theirs), r.d.Intn(2)):]), uri)
	r.line = append(r.line, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
}

// kept returns those of the client's roots that are kept; all is false if there are more.
func (r *rooted) kept(theirs []string) (list []string, all bool) {
	for _, uri := range theirs {
		if uri != "" {
			list = append(list, uri)
		}
	}
	return list[:min(len(list), r.most)], len(list) <= r.most
}

func uris(list []protocol.Root) (all []string) {
	for _, root := range list {
		all = append(all, root.URI)
	}
	return all
}

// answer answers a request of the server: well, or with an error, or never.
func (r *rooted) answer(i, how int) {
	m := r.pending[i]
	r.pending = slices.Delete(r.pending, i, i+1)
	text := `"result":{}`
	switch {
	case how == 15:
		return
	case how == 14:
		text = `"error":{"code":-32601,"message":"m"}`
	case m.Method == "roots/list" && how != 13: // without roots it is a bad answer
		var list []string
		for _, uri := range r.theirs {
			list = append(list, `{"uri":"`+uri+`"}`)
		}
		text = `"result":{"roots":[` + strings.Join(list, ",") + `]}`
	}
	r.line = append(r.line, `{"jsonrpc":"2.0","id":`+m.ID.String()+`,`+text+`}`)
}

// deliver gives the server up to n messages of the client: as a batch where there are any.
func (r *rooted) deliver(n int) {
	if n = min(n, len(r.line)); n == 0 {
		return
	}
	if r.s.Revision() != protocol.Revision20250326 {
		n = 1
	}
	if r.d.Intn(4) == 3 {
		// Another course of events leaves no trace.
		other, _, _ := r.roots.Handle(r.s.Receive(r.now, jsonrpc.DecodeString(r.line[len(r.line)-1])))
		r.past = append(r.past, keptRoots{other, model.Render(other)})
	}
	text := oneText(r.line[:n])
	r.line = r.line[n:]
	r.take(r.s.Receive(r.now, jsonrpc.DecodeString(text)))
}

func (r *rooted) drain() {
	for len(r.pending)+len(r.line) > 0 {
		if len(r.pending) > 0 {
			r.answer(0, 0)
		} else {
			r.deliver(1)
		}
	}
}

// want asks for the roots.
func (r *rooted) want() {
	_, fresh := r.roots.List()
	roots, s, out, err := r.roots.Want(r.s, r.now, lifecycle.RequestOptions{})
	if needless := fresh || !r.own.IsZero(); err == nil && needless != (len(out.Send) == 0) || err != nil && needless {
		r.fatal("fresh %v, on its way %v; sent %v, error %v", fresh, r.own, out.Send, err)
	}
	if err != nil {
		return
	}
	r.keep()
	r.roots, r.s = roots, s
	if r.sent(lifecycle.Output{}, out) {
		r.again = false
	}
	r.check()
}

func (r *rooted) keep() { r.past = append(r.past, keptRoots{r.roots, model.Render(r.roots)}) }

// take gives an Output to the Roots and checks what they make of it.
func (r *rooted) take(next server.State, out lifecycle.Output) {
	r.keep()
	given := model.Render(out)
	roots, s, got := r.roots.Handle(next, out)
	if model.Render(out) != given {
		r.fatal("the Output was changed: %s", given)
	}
	r.roots, r.s = roots, s
	r.log = append(r.log, trace(verbs.Server(s), got, nil))
	want, overtaken := slices.Clone(out.Events), false
	for i, ev := range want {
		r.clock++
		switch {
		case ev.Kind == lifecycle.PhaseChanged && ev.To == lifecycle.Initializing:
			r.own, r.read = lifecycle.Req{}, 0
		case ev.Kind == lifecycle.NotificationReceived && ev.Method == "notifications/roots/list_changed":
			r.announced = r.clock
		case !r.own.IsZero() && ev.Req == r.own && (ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed):
			want[i].Kind, r.own = server.RootsRead, lifecycle.Req{}
			overtaken = r.announced > r.asked && !r.again
			if ev.Failure() == nil {
				r.read = r.asked
				r.reads++
				answer, _ := protocol.Decode[protocol.ListRootsResult](ev.Body)
				kept, all := r.kept(uris(answer.Roots))
				if list, _ := roots.List(); !slices.Equal(uris(list), kept) {
					r.fatal("of %s there is %v", ev.Body, list)
				}
				if !all {
					want[i].Cause = &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Err: server.ErrRoots}
				}
			}
		}
	}
	if len(want)+len(got.Events) > 0 && !reflect.DeepEqual(got.Events, want) {
		r.fatal("events %+v\nwant %+v", got.Events, want)
	}
	if r.sent(out, got) {
		if r.again = true; !overtaken {
			r.fatal("asked for without reason")
		}
	}
	r.check()
	if _, _, o, err := roots.Want(s, r.now, lifecycle.RequestOptions{}); overtaken && err == nil && len(o.Send) > 0 {
		r.fatal("an answer that a change overtook is not asked for again")
	}
}

// sent checks the messages and hands them to the client. It reports whether one is of the
// Roots.
func (r *rooted) sent(out, got lifecycle.Output) (asked bool) {
	n := len(out.Send)
	if len(got.Send) < n || n > 0 && !reflect.DeepEqual(got.Send[:n], out.Send) || got.Opened != out.Opened || got.Close != out.Close {
		r.fatal("%+v became %+v", out, got)
	}
	for i, o := range got.Send {
		if o.Message.Kind == jsonrpc.KindRequest {
			r.pending = append(r.pending, o.Message)
		}
		if i < n {
			continue
		}
		if !r.own.IsZero() || o.Message.Method != "roots/list" {
			r.fatal("%v goes out while %v is on its way", o.Message, r.own)
		}
		r.clock++
		id, _ := o.Message.ID.Int64()
		r.own, r.asked, asked = r.s.Req(uint64(id)), r.clock, true
	}
	return asked
}

func (r *rooted) check() {
	if err := r.s.Check(); err != nil {
		r.t.Fatal(err)
	}
	if _, fresh := r.roots.List(); fresh != (r.read > r.announced && r.s.Phase() == lifecycle.Ready) {
		r.fatal("fresh %v; asked at %d, a change at %d", fresh, r.read, r.announced)
	}
}

func (r *rooted) fatal(format string, args ...any) {
	r.t.Fatalf(format+"\n%s", append(args, strings.Join(r.log, "\n"))...)
}

// oneText makes one text of several messages.
func oneText(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return "[" + strings.Join(lines, ",") + "]"
}
