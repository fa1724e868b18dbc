package model_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// stage is a Machine in some phase, with what is open in it.
type stage struct {
	name  string
	m     verbs.Machine
	naive *model.Naive
	call  lifecycle.Call // open, with a progress token, or the zero Call
	other lifecycle.Call // open, of a method outside of the tables
	req   lifecycle.Req  // open
	gone  lifecycle.Call // answered
	done  lifecycle.Req  // answered
	full  bool           // both tables
}

func raw(name, body string) func() protocol.Params {
	return func() protocol.Params { return protocol.RawRequest{Name: name, Body: protocol.Raw(body)} }
}

func result(text string) func() protocol.Result {
	return func() protocol.Result { return protocol.Raw(text) }
}

func report(p protocol.ProgressParams) func() protocol.ProgressParams {
	return func() protocol.ProgressParams {
		q := p
		if p.Total != nil {
			q.Total = protocol.Ptr(*p.Total) // each use overwrites its own
		}
		return q
	}
}

var setups = map[lifecycle.Party]model.Setup{
	lifecycle.Server: {
		Party: lifecycle.Server, Revisions: protocol.Revisions(), Serve: []string{"tools/call", "custom/one"},
		Offer: model.Offer{Tools: []string{"t1"}}, Limits: lifecycle.Limits{Inbound: 3, Outbound: 3, Batch: 100, Subscriptions: 1},
	},
	lifecycle.Client: {
		Party: lifecycle.Client, Revisions: protocol.Revisions(), Serve: []string{"sampling/createMessage", "custom/one"},
		Limits: lifecycle.Limits{Inbound: 3, Outbound: 3, Batch: 100, Subscriptions: 1},
	},
}

// lines are the peer's half of a session: the handshake, a call with a token, one outside
// of the tables, an answered one, and one that fills the table.
func lines(party lifecycle.Party) (handshake []string, calls []string) {
	if party == lifecycle.Server {
		return []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			}, []string{
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t1","_meta":{"progressToken":"t"}}}`,
				`{"jsonrpc":"2.0","id":3,"method":"custom/one"}`,
				`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t1"}}`,
				`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"t1"}}`,
			}
	}
	return []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		}, []string{
			`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"_meta":{"progressToken":"t"}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"custom/one"}`,
			`{"jsonrpc":"2.0","id":4,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
			`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
		}
}

// stages returns Machines of a role in every phase.
func stages(t *testing.T, party lifecycle.Party) (all []stage) {
	var s stage
	var steps []model.Step
	at := func(name string) {
		// The Naive changes in place, so each stage has its own.
		s.naive = model.NewNaive(setups[party], model.Origin)
		for i := range steps {
			s.naive.Step(&steps[i])
		}
		s.name = party.String() + " " + name
		all = append(all, s)
	}
	do := func(step model.Step) lifecycle.Output {
		step.Now = model.Origin
		next, out, err := step.Apply(s.m)
		if err != nil {
			t.Fatal(err)
		}
		s.m, steps = next, append(steps, step)
		return out
	}
	s.m, _ = setups[party].New(model.Origin)
	at("uninitialized")
	handshake, calls := lines(party)
	if party == lifecycle.Client {
		do(model.Step{Op: verbs.OpInitialize})
	} else {
		do(model.Step{Op: verbs.OpReceive, Text: handshake[0]})
		handshake = handshake[1:]
	}
	at("initializing")
	for _, line := range handshake {
		do(model.Step{Op: verbs.OpReceive, Text: line})
	}
	at("ready")
	s.call = do(model.Step{Op: verbs.OpReceive, Text: calls[0]}).Opened
	s.other = do(model.Step{Op: verbs.OpReceive, Text: calls[1]}).Opened
	s.gone = do(model.Step{Op: verbs.OpReceive, Text: calls[2]}).Opened
	do(model.Step{Op: verbs.OpFail, Call: s.gone, Failure: &jsonrpc.Error{Code: 1}})
	do(model.Step{Op: verbs.OpProgress, Call: s.call, Progress: report(protocol.ProgressParams{Progress: 5})})
	s.req = do(model.Step{Op: verbs.OpRequest, Params: raw("ping", `{"_meta":{"progressToken":"mine"}}`)}).Req
	s.done = do(model.Step{Op: verbs.OpRequest, Params: raw("ping", "")}).Req
	do(model.Step{Op: verbs.OpCancel, Req: s.done})
	at("ready with open work")
	working, before := s, slices.Clone(steps)
	do(model.Step{Op: verbs.OpReceive, Text: calls[3]})
	do(model.Step{Op: verbs.OpRequest, Params: raw("ping", "")})
	do(model.Step{Op: verbs.OpRequest, Params: raw("custom/one", "")})
	s.full = true
	at("ready with full tables")

	s, steps = working, before
	do(model.Step{Op: verbs.OpShutdown, Grace: time.Minute})
	at("shutting down with open work")
	do(model.Step{Op: verbs.OpShutdown})
	s.call, s.other, s.req = lifecycle.Call{}, lifecycle.Call{}, lifecycle.Req{}
	at("shut down")
	do(model.Step{Op: verbs.OpDisconnected})
	at("disconnected")
	s, steps = working, before
	do(model.Step{Op: verbs.OpAbort})
	s.call, s.other, s.req = lifecycle.Call{}, lifecycle.Call{}, lifecycle.Req{}
	at("failed")
	return all
}

// misuses are verbs that fail in a stage, in every phase.
func misuses(s stage) map[string]model.Step {
	party := s.m.Party()
	toPeer, toSelf, noteToPeer, noteToSelf := "roots/list", "tools/list", "notifications/tools/list_changed", "notifications/roots/list_changed"
	if party == lifecycle.Client {
		toPeer, toSelf, noteToPeer, noteToSelf = toSelf, toPeer, noteToSelf, noteToPeer
	}
	list := map[string]model.Step{
		"nil params":              {Op: verbs.OpRequest},
		"a notification":          {Op: verbs.OpRequest, Params: raw("notifications/custom", "[]")},
		"no method":               {Op: verbs.OpRequest, Params: raw("", "")},
		"initialize":              {Op: verbs.OpRequest, Params: raw("initialize", "{}")},
		"wrong direction":         {Op: verbs.OpRequest, Params: raw(toSelf, "")},
		"a notification's method": {Op: verbs.OpRequest, Params: raw(noteToPeer, "")},
		"not declared":            {Op: verbs.OpRequest, Params: raw(toPeer, "")},
		"not in the revision":     {Op: verbs.OpRequest, Params: raw("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)},
		"params no JSON":          {Op: verbs.OpRequest, Params: raw("ping", "{")},
		"params no object":        {Op: verbs.OpRequest, Params: raw("ping", "[]")},
		"params two texts":        {Op: verbs.OpRequest, Params: raw("ping", "{} {}")},
		"params not of ping":      {Op: verbs.OpRequest, Params: raw("ping", `{"_meta":1}`)},
		"custom params no object": {Op: verbs.OpRequest, Params: raw("custom/one", `"x"`)},
		"negative timeout":        {Op: verbs.OpRequest, Params: raw("ping", ""), Options: lifecycle.RequestOptions{Timeout: -2}},
		"negative maximum":        {Op: verbs.OpRequest, Params: raw("ping", ""), Options: lifecycle.RequestOptions{Maximum: math.MinInt64}},
		"within what is gone":     {Op: verbs.OpRequest, Params: raw("ping", ""), Options: lifecycle.RequestOptions{Within: lifecycle.MakeCall(nil, 1<<40, 1)}},
		"two tokens":              {Op: verbs.OpRequest, Params: raw("ping", `{"_meta":{"progressToken":9}}`), Options: lifecycle.RequestOptions{Progress: true}},

		"nil notification":              {Op: verbs.OpNotify},
		"notify a request":              {Op: verbs.OpNotify, Params: raw("ping", "")},
		"notify no method":              {Op: verbs.OpNotify, Params: raw("", "")},
		"notify initialized":            {Op: verbs.OpNotify, Params: raw("notifications/initialized", "")},
		"notify cancelled":              {Op: verbs.OpNotify, Params: raw("notifications/cancelled", `{"requestId":1}`)},
		"notify progress":               {Op: verbs.OpNotify, Params: raw("notifications/progress", `{"progressToken":1,"progress":1}`)},
		"notify in the wrong direction": {Op: verbs.OpNotify, Params: raw(noteToSelf, "")},
		"notify what is not declared":   {Op: verbs.OpNotify, Params: raw(noteToPeer, "")},
		"notify no object":              {Op: verbs.OpNotify, Params: raw("notifications/custom", "[]")},
		"notify within what is gone":    {Op: verbs.OpNotify, Params: raw("notifications/custom", ""), Call: lifecycle.MakeCall(nil, 1<<40, 1)},

		"cancel nothing":    {Op: verbs.OpCancel},
		"cancel never sent": {Op: verbs.OpCancel, Req: lifecycle.MakeReq(nil, 1<<40)},
		"cancel what ended": {Op: verbs.OpCancel, Req: s.done},

		"offer what is not declared": {Op: verbs.OpOffer, Offer: model.Offer{Prompts: []string{"easy"}, Roots: []string{"file:///x"}}},
	}
	if s.m.Phase() != lifecycle.Uninitialized || party == lifecycle.Server {
		list["initialize again"] = model.Step{Op: verbs.OpInitialize}
	}
	if s.m.Phase().Live() {
		list["reset a live session"] = model.Step{Op: verbs.OpReset}
	}
	for name, call := range map[string]lifecycle.Call{"no call": {}, "a call that is gone": s.gone, "a made up call": lifecycle.MakeCall(nil, 1<<40, 2)} {
		list["respond to "+name] = model.Step{Op: verbs.OpRespond, Call: call, Result: result("{}")}
		list["fail "+name] = model.Step{Op: verbs.OpFail, Call: call, Failure: &jsonrpc.Error{Code: 1}}
		list["finish "+name] = model.Step{Op: verbs.OpFinish, Call: call, Result: result("{}")}
		list["finish with an error "+name] = model.Step{Op: verbs.OpFinish, Call: call, Failure: &jsonrpc.Error{Code: 1}}
		list["progress of "+name] = model.Step{Op: verbs.OpProgress, Call: call, Progress: report(protocol.ProgressParams{Progress: 9})}
	}
	if !s.call.IsZero() {
		for name, r := range map[string]func() protocol.Result{
			"nil": nil, "no JSON": result("{"), "no object": result("[]"), "nothing": result(""), "null": result("null"), "two texts": result("{}{}"),
			"what does not fit":         result("{}"),
			"another type":              func() protocol.Result { return protocol.ListPromptsResult{} },
			"a nil pointer":             func() protocol.Result { return (*protocol.CallToolResult)(nil) },
			"content that is not valid": func() protocol.Result { return &protocol.CallToolResult{Content: []protocol.Content{{Type: "image"}}} },
		} {
			list["respond with "+name] = model.Step{Op: verbs.OpRespond, Call: s.call, Result: r}
		}
		list["custom result that is no object"] = model.Step{Op: verbs.OpRespond, Call: s.other, Result: result(`"x"`)}
		list["code 0"] = model.Step{Op: verbs.OpFail, Call: s.call, Failure: &jsonrpc.Error{Message: "m"}}
		list["data that is no JSON"] = model.Step{Op: verbs.OpFail, Call: s.call, Failure: &jsonrpc.Error{Code: 1, Data: "{"}}
		for name, v := range map[string]float64{"the same": 5, "less": 4.5, "NaN": math.NaN(), "-Inf": math.Inf(-1), "+Inf": math.Inf(1)} {
			list["progress "+name] = model.Step{Op: verbs.OpProgress, Call: s.call, Progress: report(protocol.ProgressParams{Progress: v})}
		}
		list["total NaN"] = model.Step{Op: verbs.OpProgress, Call: s.call, Progress: report(protocol.ProgressParams{Progress: 9, Total: protocol.Ptr(math.NaN())})}
		list["progress _meta"] = model.Step{Op: verbs.OpProgress, Call: s.call, Progress: report(protocol.ProgressParams{Progress: 9, Meta: "["})}
		list["token in use"] = model.Step{Op: verbs.OpRequest, Params: raw("ping", `{"_meta":{"progressToken":"mine"}}`)}
	}
	if s.full {
		list["one request too many"] = model.Step{Op: verbs.OpRequest, Params: raw("ping", "")}
	}
	return list
}

// rowsOf returns the rows of a misuse in a stage.
func rowsOf(s stage, name string, step model.Step) string {
	phase, client := s.m.Phase(), s.m.Party() == lifecycle.Client
	answers := step.Op == verbs.OpRespond || step.Op == verbs.OpFail || step.Op == verbs.OpFinish
	switch {
	case name == "initialize again" && phase.Live():
		return "LIFE-016"
	case name == "token in use":
		return "PROG-002"
	case name == "cancel what ended" && phase == lifecycle.Ready:
		return "CANC-004"
	case name == "cancel never sent" && phase == lifecycle.Ready:
		return "CANC-003"
	case name == "progress of a made up call" && phase == lifecycle.Ready:
		return "PROG-012"
	case name == "progress of a call that is gone" && phase == lifecycle.Ready:
		return "PROG-013"
	case answers && step.Call == s.gone && !s.gone.IsZero() && phase == lifecycle.Ready:
		return "JRPC-010"
	case phase == lifecycle.Disconnected && answers:
		return "LIFE-024"
	case phase == lifecycle.Disconnected:
		return "LIFE-023"
	case client && phase == lifecycle.Uninitialized && step.Op == verbs.OpRequest:
		return "LIFE-001"
	case client && phase == lifecycle.Initializing && step.Op == verbs.OpRequest:
		return "LIFE-009"
	}
	return ""
}

// TestMisuse: in every phase a misused verb fails with the error that describes the misuse, returns the
// State unchanged, and sends nothing.
//
// rows: JRPC-010 LIFE-001 LIFE-009 LIFE-016 LIFE-023 LIFE-024 CANC-003 CANC-004 PROG-002 PROG-012 PROG-013
// revisions: 2025-03-26
func TestMisuse(t *testing.T) {
	var found cases.Findings
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for _, s := range stages(t, party) {
			for name, step := range misuses(s) {
				rows := rowsOf(s, name, step)
				step.Now = model.Origin.Add(time.Second) // a refused verb does not advance the clock either
				next, out, err := step.Apply(s.m)
				want := []error{lifecycle.ErrParams}
				if name != "progress _meta" && name != "respond with content that is not valid" { // too deep for it
					want = s.naive.Step(&step).Errs
				}
				switch {
				case err == nil || len(want) == 0:
					found.Add(rows, "%s: %s: error %v, want one of %v", s.name, name, err, want)
				case !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }):
					found.Add(rows, "%s: %s: error %v, want one of %v", s.name, name, err, want)
				case next != s.m || !out.IsZero():
					found.Add(rows, "%s: %s has an effect", s.name, name)
				}
				var misuse *lifecycle.OpError
				if errors.As(err, &misuse) && misuse.Phase != s.m.Phase() {
					found.Add(rows, "%s: %s: %v names phase %v", s.name, name, err, misuse.Phase)
				}
				if errors.Is(err, lifecycle.ErrGone) && misuse != nil {
					found.Add(rows, "%s: %s: a race is reported as misuse", s.name, name)
				}
			}
		}
	}
	found.Report(t)
}

// A refused verb does not prevent a valid one.
func TestStagesAreUsable(t *testing.T) {
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for _, s := range stages(t, party) {
			if err := s.m.Check(); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if err := s.naive.CompareView(s.m); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			step := model.Step{Op: verbs.OpRequest, Params: raw("ping", ""), Now: model.Origin}
			_, out, err := step.Apply(s.m)
			phase := s.m.Phase()
			want := phase == lifecycle.Initializing || phase == lifecycle.Ready && !s.full || phase == lifecycle.ShuttingDown && !s.call.IsZero()
			if (err == nil) != want || want && out.Req.IsZero() {
				t.Errorf("%s: a ping: %v", s.name, err)
			}
		}
	}
}
