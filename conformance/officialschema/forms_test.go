package officialschema

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// pinned are the schemas in this module, with the SHA-256 of each file.
var pinned = map[string]string{
	"2024-11-05": "61cea2392d4f284092d09bc84b9ac488c0d5618ac2b38a56942fc5b99fd960ce",
	"2025-03-26": "e720669548c8100a4282c49e580efd6ddf7f28899ea786fc8db251dbdb356131",
	"2025-06-18": "af845e7e5b9d27107d1690f0936022546177a1403e63ffb11470135b296a2e01",
	"2026-07-28": "ef70b61f99b6d2e5e3b46863822eab08dff6a45bedc7a08914e0e5b133f40203",
	"2025-11-25": "268a5f82ba70fd7e4b6dc4aa1e64f116f74b4d0edcb69dc046829c79dd4e97e7",
}

const (
	newer     = "2025-11-25" // the first with $defs
	stateless = "2026-07-28" // the first without sessions
)

func book(t *testing.T, revision string) *Book {
	t.Helper()
	b, err := newBook(revision)
	if err != nil {
		t.Fatalf("%s: %v", revision, err)
	}
	return b
}

// The schemas are the published ones, those that the tests of package protocol
// read, and those of all revisions of the library.
//
// rows: SCHEMA-204
// revisions: 2026-07-28
func TestSameFiles(t *testing.T) {
	theirs := "../../protocol/testdata/schema-"
	for _, pattern := range []string{"schema/*.json", theirs + "*.json"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) != len(pinned) {
			t.Errorf("%d files %s, want %d; %v", len(paths), pattern, len(pinned), err)
		}
	}
	for name, sum := range pinned {
		text, err := files.ReadFile("schema/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != sum {
			t.Errorf("the schema of %s has the hash %s, want %s", name, got, sum)
		}
		same, err := os.ReadFile(theirs + name + ".json")
		if err != nil || !bytes.Equal(text, same) {
			t.Errorf("there are two schemas of %s, %v", name, err)
		}
	}
	for _, r := range protocol.AllRevisions() {
		if pinned[r.String()] == "" {
			t.Errorf("no schema of %v", r)
		}
	}
}

// Both forms of the file give the same kind of book: the envelopes, the methods of each
// side with their results, and all their parts.
func TestForms(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		b := book(t, name)
		if name == stateless {
			continue // which TestStatelessForm has
		}
		old := name < newer
		want := []string{"JSONRPCResultResponse", "JSONRPCErrorResponse"}
		if old {
			want = []string{"JSONRPCResponse", "JSONRPCError"}
		}
		if got := []string{b.result, b.failure}; !slices.Equal(got, want) {
			t.Errorf("%s: the envelopes of answers are %v, want %v", name, got, want)
		}
		for method, result := range map[string]string{"tools/call": "CallToolResult", "logging/setLevel": "EmptyResult", "custom/one": "Result", "initialize": "InitializeResult"} {
			if got := b.resultOf(method); got != result {
				t.Errorf("%s: %s is answered with %s, want %s", name, method, got, result)
			}
		}
		for _, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
			if len(b.requests[party]) < 3 || len(b.notes[party]) < 4 {
				t.Errorf("%s: a %v sends %v and %v", name, party, b.requests[party], b.notes[party])
			}
			for _, def := range b.messages(party) {
				if b.defs[def] == nil {
					t.Errorf("%s: a %v sends %s, which is not defined", name, party, def)
				}
			}
		}
		reachable := b.reachable()
		// By a reference, as an element of an array, as a further member, through params.
		parts := map[string]bool{"Tool": true, "TextContent": true, "RequestId": true, "Role": true, "CallToolRequestParams": !old, "Icon": !old, "SamplingMessageContentBlock": !old, "Task": false, "TaskMetadata": false, "ToolExecution": false}
		for part, want := range parts {
			if reachable[part] != want {
				t.Errorf("%s: %s is reachable: %v, want %v", name, part, reachable[part], want)
			}
		}
	}
}

// Without a session a server sends no requests, a client has one notification, and results with
// questions have their own definition.
//
// rows: JRPC-206 JRPC-208 LIFE-201
// revisions: 2026-07-28
func TestStatelessForm(t *testing.T) {
	b := book(t, stateless)
	if n, m := len(b.requests[lifecycle.Client]), len(b.requests[lifecycle.Server]); n != 10 || m != 0 {
		t.Errorf("a client has %d requests, a server %d", n, m)
	}
	if list := b.notes[lifecycle.Client]; !slices.Equal(list, []string{"CancelledNotification"}) || len(b.notes[lifecycle.Server]) != 8 {
		t.Errorf("a client sends %v, a server %v", list, b.notes[lifecycle.Server])
	}
	ours := map[string]bool{}
	for _, row := range protocol.Revision20260728.Rows() {
		name, ok := b.methods[row.Method]
		ours[name] = true
		asked := row.Receiver == lifecycle.Client && !row.Notification // by a result, MRTR-004
		if !ok && !asked {
			t.Errorf("%s is not in the schema", row.Method)
		}
	}
	for method, name := range b.methods {
		if !ours[name] {
			t.Errorf("%s is not in the library", method)
		}
	}
	for from, lines := range map[lifecycle.Party]map[string]string{
		lifecycle.Client: {
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                            "",
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                  "",
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                    "",
			`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{}}}`: "",
		},
		lifecycle.Server: {
			`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`:                                              "",
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"resultType":"complete"}}`:                      "tools/list",
			`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`:                                            "tools/call",
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{}}}}`:  "tools/call",
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m","data":{"supported":[]}}}`:      "",
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"m","data":{}}}`:                    "",
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{}}}`: "",
		},
	} {
		for line, answers := range lines {
			if names, err := b.Check(from, parse(t, line), answers); err == nil {
				t.Errorf("%s is good as %v", line, names)
			}
		}
	}
}

// The parts of a line are counted in the newer form too: elements of arrays, parts of
// a union, params by reference.
func TestWalkNewerForm(t *testing.T) {
	r := protocol.Revisions()[0] // stands for the newer one, which the library may not speak yet
	tally := NewTally(map[protocol.Revision]*Book{r: book(t, newer)})
	line := func(from lifecycle.Party, text, answers string) {
		t.Helper()
		v, _ := parse(t, text).(map[string]any)
		names, err := tally.books[r].Check(from, v, answers)
		if err != nil {
			t.Fatal(err)
		}
		tally.count(r, from, names, v)
	}
	line(lifecycle.Server, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"u:1"}],"annotations":{}}]}}`, "tools/list")
	line(lifecycle.Client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`, "")
	line(lifecycle.Server, `{"jsonrpc":"2.0","id":1,"result":{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":5}}`, "tasks/get")
	for _, name := range []string{"Tool", "Icon", "ToolAnnotations", "CallToolRequestParams", "RequestId", "Task", "TaskStatus", "Result"} {
		if tally.parts[sight{revision: r, name: name}] == 0 {
			t.Errorf("%s was not met", name)
		}
	}
	if n := tally.parts[sight{revision: r, name: "Prompt"}]; n > 0 {
		t.Errorf("Prompt was met %d times", n)
	}
}

// Everything in unbuilt is in the schema, and the library does not have its methods.
func TestUnbuilt(t *testing.T) {
	b := book(t, newer)
	for name := range unbuilt {
		if b.defs[name] == nil {
			t.Errorf("%s is not in the schema", name)
		}
	}
	for method, name := range b.methods {
		known := protocol.Known(method)
		if strings.Contains(name, "Task") != unbuilt[name] || unbuilt[name] && known {
			t.Errorf("%s: called unbuilt %v, known to the library %v", name, unbuilt[name], known)
		}
	}
}
