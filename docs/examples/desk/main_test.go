package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long what has to happen may take, however busy the machine is.
const patience = 20 * time.Second

// agent speaks to a desk.
type agent struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	heard []string // that nobody has asked for yet
}

func newAgent(t *testing.T, notes string) *agent {
	in, to := io.Pipe()
	from, out := io.Pipe()
	a, ended := &agent{t: t, in: to, lines: make(chan string, 100)}, make(chan error, 1)
	go func() {
		ended <- run(context.WithoutCancel(t.Context()), notes, in, out)
		out.Close()
	}()
	go func() {
		defer close(a.lines)
		for scan := bufio.NewScanner(from); scan.Scan(); {
			a.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		to.Close()
		for range a.lines {
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *agent) say(l string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, l+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// hears returns the first line that has all of want.
func (a *agent) hears(want ...string) string {
	a.t.Helper()
	has := func(l string) bool {
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(l, w) })
	}
	if i := slices.IndexFunc(a.heard, has); i >= 0 {
		l := a.heard[i]
		a.heard = slices.Delete(a.heard, i, i+1)
		return l
	}
	late := time.After(patience)
	for {
		select {
		case l, ok := <-a.lines:
			if ok && has(l) {
				return l
			}
			if ok {
				a.heard = append(a.heard, l)
				continue
			}
		case <-late:
		}
		a.t.Fatalf("no %q in\n%s", want, strings.Join(a.heard, "\n"))
	}
}

// asks says a line, and hears the answer.
func (a *agent) asks(l string, want ...string) string {
	a.t.Helper()
	a.say(l)
	return a.hears(want...)
}

// open begins a session of MCP.
func (a *agent) open(place string) {
	a.t.Helper()
	a.asks(`{`+place+`,"message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}`, `"id":1`, `"serverInfo"`)
	a.say(`{` + place + `,"message":{"jsonrpc":"2.0","method":"notifications/initialized"}}`)
}

func call(place, id, tool, args string) string {
	return `{` + place + `,"message":{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}}`
}

func list(place, id string) string {
	return `{` + place + `,"message":{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}}`
}

const (
	notesOfAda = `"session":"ada","group":"notes"`
	allOfAda   = `"session":"ada"`
)

// C27, C43, C47–C49: an agent adds groups, speaks to one of them or to all, and switches them.
func TestDesk(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.asks(`{"session":"ada","do":"status"}`, `"groups":[]`, `"offered":["clock"]`)
	a.asks(`{`+notesOfAda+`,"message":{"jsonrpc":"2.0","id":1,"method":"ping"}}`, `"error":"registry: unknown group: group \"notes\""`)
	a.asks(`{"session":"ada","do":"add","group":"notes"}`, `"changed":true`, `"added":["read","write"]`)
	if l := a.asks(`{"session":"ada","do":"add","group":"nothing"}`, `no such group`); strings.Contains(l, "changed") {
		t.Error(l)
	}
	a.asks(`{"session":"ada","do":"config"}`, `"mcpServers":{"notes":{"type":"sdk","name":"notes"}}`)
	a.open(notesOfAda)
	a.open(allOfAda)
	a.asks(list(notesOfAda, "2"), `"group":"notes"`, `"name":"write"`)
	if l := a.asks(list(allOfAda, "3"), `"name":"now"`, `"name":"write"`); strings.Contains(l, `"group"`) {
		t.Error(l)
	}
	a.asks(call(notesOfAda, "4", "write", `{"text":"buy milk"}`), `"text":"written"`)
	a.asks(call(allOfAda, "5", "read", `{}`), `"text":"buy milk"`)
	a.asks(call(notesOfAda, "6", "write", `{"text":5}`), `invalid arguments`)
	// Another agent has what all share, and then notes of its own.
	a.open(`"session":"ben"`)
	if l := a.asks(list(`"session":"ben"`, "2"), `"name":"now"`); strings.Contains(l, "write") {
		t.Error(l)
	}
	a.asks(`{"session":"ben","do":"set","groups":["notes","slow"]}`, `list_changed`)
	a.hears(`"do":"set"`, `"added":["read","wait","write"]`)
	a.asks(call(`"session":"ben"`, "3", "read", `{}`), `there is no note`)
	// Off is off: the session with the group ends, the one with all goes on without it.
	a.say(`{"session":"ada","do":"disable","group":"notes"}`)
	a.hears(`"session":"ada","message":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	a.hears(`"session":"ada","group":"notes"`, `"error":"aborted: registry: the group is disabled`)
	a.hears(`"do":"disable"`, `"removed":["read","write"]`)
	a.asks(`{`+notesOfAda+`,"message":{"jsonrpc":"2.0","id":9,"method":"ping"}}`, `the group is disabled`)
	a.asks(call(allOfAda, "9", "read", `{}`), `-32602`)
	if l := a.asks(`{"session":"ada","do":"disable","group":"notes"}`, `"do":"disable"`); strings.Contains(l, "changed") {
		t.Error(l)
	}
	a.asks(`{"session":"ada","do":"enable","group":"notes"}`, `list_changed`)
	a.hears(`"do":"enable"`, `"changed":true`)
	a.open(notesOfAda)
	a.asks(`{"session":"ada","do":"drop"}`, `list_changed`)
	a.asks(`{"session":"ada","do":"dance","group":"notes"}`, `unknown command`)
	a.asks(`nonsense`, `invalid character`)
}

// C38, C39: what all share comes and goes for every agent, whatever it has itself.
func TestShared(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.open(allOfAda)
	a.asks(`{"do":"add","group":"notes"}`, `list_changed`)
	a.hears(`"do":"add"`, `"changed":true`)
	a.asks(list(allOfAda, "2"), `"name":"write"`)
	a.asks(`{"do":"remove","group":"clock"}`, `list_changed`)
	a.hears(`"do":"remove"`, `"removed":["now"]`)
	a.asks(`{"do":"status"}`, `"offered":["notes"]`)
	a.asks(`{"do":"set","groups":[]}`, `list_changed`)
	a.hears(`"do":"set"`, `"removed":["read","write"]`)
	a.asks(`{"session":"ada","do":"status"}`, `"offered":null`)
}

// C36: who names a version changes nothing if another one is there.
func TestVersions(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.asks(`{"session":"ada","do":"set","groups":["notes","slow"]}`, `"changed":true`)
	var answer struct {
		Result struct{ Version uint64 }
	}
	if err := json.Unmarshal([]byte(a.asks(`{"session":"ada","do":"status"}`, `"do":"status"`)), &answer); err != nil || answer.Result.Version == 0 {
		t.Fatal(answer, err)
	}
	a.asks(`{"session":"ada","do":"remove","group":"slow","version":1}`, `"changed":true`)
	a.asks(`{"session":"ada","do":"remove","group":"notes","version":1}`, `registry: version conflict: want 1, have 2`)
	a.asks(`{"session":"ben","do":"remove","group":"notes","version":1}`, `unknown session`)
	a.asks(`{"session":"ada","do":"reload"}`, `"changed":true`)
	a.asks(`{"session":"ben","do":"reload"}`, `unknown session`)
	a.asks(`{"do":"remove","group":"clock","version":7}`, `version conflict`)
}

// C44: nobody can log in, and no secret comes back.
func TestLogin(t *testing.T) {
	a := newAgent(t, t.TempDir())
	l := a.asks(`{"session":"ada","do":"login","params":{"server":"x","client_secret":"hunter2"}}`, `login is not supported`, `"client_secret":"[redacted]"`)
	if strings.Contains(l, "hunter2") {
		t.Error(l)
	}
}

// C26, C30: a call has the time of its tool, and one of a group that is taken away ends.
func TestCallsEnd(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.asks(`{"session":"ada","do":"add","group":"slow"}`, `"changed":true`)
	a.open(allOfAda)
	a.asks(call(allOfAda, "2", "wait", `{}`), `"id":2`, `the tool has not answered within 1s`)
	a.say(call(allOfAda, "3", "wait", `{}`))
	a.asks(`{"session":"ada","message":{"jsonrpc":"2.0","id":4,"method":"ping"}}`, `"id":4`) // which is behind the call
	a.asks(`{"session":"ada","do":"remove","group":"slow"}`, `"id":3`, `removed while the request ran`)
}

// C31, C46: a group that has failed is not offered until it is connected again.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	a := newAgent(t, dir)
	file := filepath.Join(dir, "ada.txt")
	if err := os.Mkdir(file, 0o700); err != nil { // which no note can be written to
		t.Fatal(err)
	}
	a.asks(`{"session":"ada","do":"add","group":"notes"}`, `"changed":true`)
	a.open(notesOfAda)
	a.say(call(notesOfAda, "2", "write", `{"text":"x"}`))
	a.hears(`"error":"aborted: registry: the group has failed`)
	a.asks(`{"session":"ada","do":"status"}`, `"enabled":true,"error":"`)
	a.asks(`{`+notesOfAda+`,"message":{"jsonrpc":"2.0","id":3,"method":"ping"}}`, `the group has failed`)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	a.asks(`{"session":"ada","do":"reconnect","group":"notes"}`, `"changed":true`)
	a.open(notesOfAda)
	a.asks(call(notesOfAda, "4", "write", `{"text":"x"}`), `"written"`)
	a.say(`{"session":"ada","do":"reconnect","group":"notes"}`) // ends what speaks to it
	a.hears(`"error":"aborted: connected again`)
}

// Two names of one file system do not reach beyond the folder.
func TestFolder(t *testing.T) {
	a := newAgent(t, t.TempDir())
	a.asks(`{"session":"../ada","do":"add","group":"notes"}`, `"changed":true`)
	a.open(`"session":"../ada"`)
	a.say(call(`"session":"../ada"`, "2", "write", `{"text":"x"}`))
	a.hears(`list_changed`)
}
