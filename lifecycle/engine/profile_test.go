package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// under makes a call one of a profile of its own, with the row of its revision.
func under(env *engine.Env, rev protocol.Revision) func(*engine.Intake) {
	return func(in *engine.Intake) {
		in.Profile = *env.Negotiated(rev, protocol.CapSampling, protocol.Implementation{Name: "other", Version: "2", Title: "Other"}, "").At("error")
		in.Row = rev.Row(in.Row.Method)
	}
}

// What goes out for a call is what the revision of its own profile has, and for any other
// call what that of the session has, whichever of the two is older.
func TestOwnProfile(t *testing.T) {
	type outcome struct{ result, progress, events string }
	whole := `{"content":[{"type":"resource_link","uri":"a:b","name":"n"}],"structuredContent":{}}`
	newest := outcome{
		`{"jsonrpc":"2.0","id":1,"result":` + whole + `}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"m"}}`, "",
	}
	oldest := outcome{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"n (a:b)"}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "downgraded 2024-11-05",
	}
	for way, come := range ways {
		for _, c := range []struct {
			session, own protocol.Revision // own is zero for none
			want         outcome
		}{
			{protocol.Revision20250618, protocol.Revision{}, newest},
			{protocol.Revision20241105, protocol.Revision{}, oldest},
			{protocol.Revision20250618, protocol.Revision20241105, oldest},
			{protocol.Revision20241105, protocol.Revision20250618, newest},
		} {
			t.Run(way+"/"+c.session.String()+"/"+c.own.String(), func(t *testing.T) {
				env := toolServer()
				core := ready(env, c.session)
				with := usual
				if !c.own.IsZero() {
					with = under(env, c.own)
				}
				call := enter(t, &core, "1", with)
				core = come(t, core, env)
				call = core.Call(call.Seq(), call.Key())

				var o lifecycle.Output
				if err := core.Progress(call, protocol.ProgressParams{Progress: 1, Message: "m"}, &o); err != nil {
					t.Fatal(err)
				}
				got := outcome{progress: sent(&o)}
				o = lifecycle.Output{}
				reply, err := core.Encode(call, jsonrpc.Raw(whole))
				if err != nil {
					t.Fatal(err)
				}
				core.Respond(call, &reply, &o)
				got.result = sent(&o)
				for _, ev := range o.Events {
					got.events += ev.Kind.String() + " " + ev.Revision.String()
				}
				if got != c.want {
					t.Errorf("it is\n%+v\nwant\n%+v", got, c.want)
				}
			})
		}
	}
}

// A snapshot keeps the profile of a call, whole: what it has of it reads back as it was.
// One that this Config could not have taken is refused.
func TestRestoreOwnProfile(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	enter(t, &c, "1", under(env, protocol.Revision20250326))
	const own = `"profile":{"revision":"2025-03-26","capabilities":"sampling","peer":{"name":"other","title":"Other","version":"2"},"level":"error"}`
	if text := string(c.Snapshot().Dst); strings.Count(text, own) != 1 {
		t.Fatalf("the snapshot lacks %s: %s", own, text)
	}
	d, err := restored(&c, env)
	if err != nil || string(d.Snapshot().Dst) != string(c.Snapshot().Dst) {
		t.Errorf("%v\n%s\nwant\n%s", err, d.Snapshot().Dst, c.Snapshot().Dst)
	}
	for name, pairs := range map[string][]string{
		"a revision that is none":  {`"2025-03-26"`, `"2025-03-27"`},
		"a capability of ours":     {`"sampling"`, `"tools"`},
		"a level that is none":     {`"error"`, `"loud"`},
		"no peer":                  {`"peer":{"name":"other","title":"Other","version":"2"},`, ``},
		"no object":                {own, `"profile":1`},
		"a method that it lacks":   {`"2025-03-26"`, `"2024-11-05"`, `"tools/call"`, `"elicitation/create"`},
		"a long text of its peer":  nil, // cut, as a handshake does
		"a revision not supported": nil,
	} {
		other := *env
		switch name {
		case "a long text of its peer":
			other.Limits.Text = 3
		case "a revision not supported":
			other.Revisions = []protocol.Revision{protocol.Revision20250618}
		}
		d, err := restored(&c, &other, pairs...)
		switch {
		case name == "a long text of its peer":
			if err != nil || !strings.Contains(string(d.Snapshot().Dst), `{"name":"oth","title":"Oth","version":"2"}`) {
				t.Errorf("%s: %v %s", name, err, d.Snapshot().Dst)
			}
		case !errors.Is(err, lifecycle.ErrSnapshot):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// So it is with a request of ours: what its answer is read as goes by the profile that it
// was made under.
func TestRestoreProfileOfOurs(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	var o lifecycle.Output
	if err := c.Send(protocol.ListRootsParams{}, lifecycle.RequestOptions{}, &o); err != nil {
		t.Fatal(err)
	}
	const own = `"profile":{"revision":"2024-11-05","capabilities":"roots","peer":{"name":"other","version":"2"}}`
	const method = `"method":"roots/list","revision":"2025-06-18",`
	old := `"method":"roots/list","revision":"2024-11-05",`
	d, err := restored(&c, env, method, old, `"timeout":`, own+`,"timeout":`)
	if err != nil || strings.Count(string(d.Snapshot().Dst), own) != 1 {
		t.Fatalf("%v: %s", err, d.Snapshot().Dst)
	}
	e, err := restored(&d, env)
	if err != nil || string(e.Snapshot().Dst) != string(d.Snapshot().Dst) {
		t.Errorf("%v\n%s\nwant\n%s", err, e.Snapshot().Dst, d.Snapshot().Dst)
	}
	if _, err := restored(&c, env, `"timeout":`, own+`,"timeout":`); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Errorf("a revision that is not that of the profile: %v", err)
	}
	o = receive(t, &d, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	if kinds(&o) != "response received" || o.Events[0].Revision != protocol.Revision20241105 || o.Events[0].Req != d.Req(1) {
		t.Errorf("its answer: %+v", o.Events)
	}
}

// A row of another revision than that of the profile is noticed: by it the result would be
// judged, and downgraded, as nobody asked for.
func TestRowOfAnotherRevision(t *testing.T) {
	env := toolServer()
	for name, with := range map[string]func(*engine.Intake){
		"of the session": func(in *engine.Intake) { in.Row = protocol.Revision20241105.Row(in.Row.Method) },
		"of its own": func(in *engine.Intake) {
			in.Profile = *env.Negotiated(protocol.Revision20241105, 0, protocol.Implementation{}, "")
		},
	} {
		c := ready(env, protocol.Revision20250618)
		var o lifecycle.Output
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
		var in engine.Intake
		c.Receive(&m, &in, &o)
		with(&in)
		c.Enter(&in, &m, &o)
		if c.Check() == nil {
			t.Errorf("%s: the row is not that of the profile, and Check says nothing", name)
		}
	}
}
