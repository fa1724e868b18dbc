package manager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// rows is a Manager of one server and what a driver knows of it.
type rows struct {
	m    manager.Manager
	now  time.Time
	ids  []int64 // of the requests that were sent
	op   manager.Op
	call manager.Call
	out  strings.Builder
}

func (w *rows) take(m manager.Manager, out manager.Effects, err error) {
	if err != nil {
		var e *manager.Error
		fmt.Fprint(&w.out, errors.As(err, &e), lifecycle.DeliveryOf(err))
		if e != nil {
			fmt.Fprint(&w.out, e.Class, e.Server, e.Method, e.Condition, e.RetryAt.Sub(t0))
		}
		return
	}
	w.m = m
	if !out.Op.IsZero() {
		w.op = out.Op
	}
	for _, a := range out.Actions {
		if a.Kind == manager.ActSend && a.Out.Message.Kind == jsonrpc.KindRequest {
			n, _ := a.Out.Message.ID.Int64()
			w.ids = append(w.ids, n)
		}
	}
	for _, ev := range out.Events {
		if !ev.Call.IsZero() {
			w.call = ev.Call
		}
	}
	w.out.WriteString(render(out, w.now))
}

func (w *rows) report(r manager.Report) {
	r.Link, _ = w.m.Link("a")
	m, out := w.m.Report(w.now, r)
	w.take(m, out, nil)
}

// say lets the server send a message; %d is the latest request.
func (w *rows) say(text string) {
	if strings.Contains(text, "%d") {
		id := int64(99)
		if len(w.ids) > 0 {
			id = w.ids[len(w.ids)-1]
		}
		text = fmt.Sprintf(text, id)
	}
	w.report(manager.Report{Kind: manager.Received, Message: jsonrpc.DecodeString(text)})
}

func (w *rows) wait(d time.Duration) {
	w.now = w.now.Add(d)
	m, out := w.m.Tick(w.now)
	w.take(m, out, nil)
}

// turns are what may happen to a Manager, by a word each.
var turns = map[string]func(*rows){
	"connect,": func(w *rows) {
		w.take(w.m.Connect(w.now, "a", manager.Options{Supervise: true, Resubscribe: true}))
	},
	"replace,": func(w *rows) { w.take(w.m.Connect(w.now, "a", manager.Options{Replace: true})) },
	"demand,":  func(w *rows) { w.take(w.m.Connect(w.now, "a", manager.Options{OnDemand: true})) },
	"open,":    func(w *rows) { w.take(w.m.Open(w.now, "a")) },
	"opened,":  func(w *rows) { w.report(manager.Report{Kind: manager.Opened}) },
	"refused,": func(w *rows) { w.report(manager.Report{Kind: manager.OpenFailed, Err: errors.New("refused")}) },
	"hello,":   func(w *rows) { w.say(strings.Replace(hello(0), `"id":0`, `"id":%d`, 1)) },
	"answer,":  func(w *rows) { w.say(`{"jsonrpc":"2.0","id":%d,"result":{}}`) },
	"error,":   func(w *rows) { w.say(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32002,"message":"no"}}`) },
	"page,":    func(w *rows) { w.say(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"x"}],"nextCursor":"n"}}`) },
	"asks,":    func(w *rows) { w.say(`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`) },
	"lost,":    func(w *rows) { w.report(manager.Report{Kind: manager.Ended, Err: errors.New("broken")}) },
	"end,":     func(w *rows) { w.take3(w.m.Disconnect(w.now, "a")) },
	"again,":   func(w *rows) { w.take(w.m.Reconnect(w.now, "a")) },
	"health,":  func(w *rows) { w.take3(w.m.HealthCheck(w.now)) },
	"tool,":    func(w *rows) { w.take(w.m.CallTool(w.now, "a", "t", "", manager.RequestOptions{})) },
	"list,":    func(w *rows) { w.take(w.m.List(w.now, "a", "tools/list", manager.Budget{Pages: 1})) },
	"subscribe,": func(w *rows) {
		w.take(w.m.Request(w.now, "a", protocol.SubscribeParams{URI: "a:1"}, manager.RequestOptions{}))
	},
	"cancel,":  func(w *rows) { w.take(w.m.Cancel(w.now, w.op, "why")) },
	"respond,": func(w *rows) { w.take(w.m.Respond(w.now, w.call, protocol.ListRootsResult{})) },
	"1s,":      func(w *rows) { w.wait(time.Second) },
	"9s,":      func(w *rows) { w.wait(9 * time.Second) },
	"1m,":      func(w *rows) { w.wait(time.Minute) },
}

func (w *rows) take3(m manager.Manager, out manager.Effects) { w.take(m, out, nil) }

// After all that may happen in a row, to a Manager that is new and to one with a server that is
// ready, it has done what it did, and does it next.
func TestAllShortRows(t *testing.T) {
	words := make([]string, 0, len(turns))
	for word := range turns {
		words = append(words, word)
	}
	slices.Sort(words)
	cfg := manager.Config{
		Client: client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, Serve: []string{"roots/list"}},
		Health: manager.Health{Interval: 4 * time.Second, Misses: 2}, Backoff: backoff.Policy{Base: time.Second, Factor: 2, Attempts: 3},
	}
	play := func(before string) func(string) string {
		return func(s string) string {
			m, err := manager.New(cfg, t0)
			if err != nil {
				t.Fatal(err)
			}
			w := &rows{m: m, now: t0}
			for word := range strings.SplitAfterSeq(before+s, ",") {
				if word != "" {
					turns[word](w)
				}
			}
			if err := w.m.Check(); err != nil {
				t.Fatal(s, err)
			}
			due, ok := w.m.NextDeadline()
			status, _ := w.m.Status("a")
			fmt.Fprint(&w.out, due.Sub(t0), ok, status.Condition, status.Since.Sub(t0), status.RetryAt.Sub(t0), status.Err, status.Misses, status.ReadyCount, w.m.Len(), w.m.Pending(), w.m.LateReports())
			return w.out.String()
		}
	}
	texts.Same(t, "12720 of 12720, 41701760", texts.Every(3, words...), play(""))
	texts.Same(t, "12720 of 12720, fac14d86", texts.Every(3, words...), play("connect,opened,hello,"))
	texts.Same(t, "553 of 553, 26d946d5", texts.Every(2, words...), play("connect,opened,hello,subscribe,answer,lost,9s,opened,"))
	texts.Same(t, "553 of 553, 7150cc7d", texts.Every(2, words...), play("demand,open,opened,hello,tool,list,"))
}
