package peerbugs_test

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// kinds are the lists of a server, with the announcements of their changes.
var kinds = []struct {
	declare protocol.Capability
	note    protocol.Params
	add     func(*server.Items)
}{
	{protocol.CapToolsListChanged, protocol.ToolListChangedParams{}, func(i *server.Items) { i.Tools = tools(1) }},
	{protocol.CapResourcesListChanged, protocol.ResourceListChangedParams{}, func(i *server.Items) { i.Resources = []protocol.Resource{{URI: "a:b", Name: "b"}} }},
	{protocol.CapResourcesListChanged, protocol.ResourceListChangedParams{}, func(i *server.Items) {
		i.ResourceTemplates = []protocol.ResourceTemplate{{URITemplate: "a:{x}", Name: "x"}}
	}},
	{protocol.CapPromptsListChanged, protocol.PromptListChangedParams{}, func(i *server.Items) { i.Prompts = []protocol.Prompt{{Name: "p"}} }},
}

// Case 18: of the four lists only those with a declared listChanged are announced, for
// every set of the three, and the application cannot announce the others.
func Test18ListChangedOfServers(t *testing.T) {
	empty := server.Items{Tools: []protocol.Tool{}, Resources: []protocol.Resource{}, ResourceTemplates: []protocol.ResourceTemplate{}, Prompts: []protocol.Prompt{}}
	catalog, err := server.NewCatalog(empty)
	if err != nil {
		t.Fatal(err)
	}
	three := []protocol.Capability{protocol.CapToolsListChanged, protocol.CapResourcesListChanged, protocol.CapPromptsListChanged}
	for set := range 1 << len(three) {
		declared := protocol.Capability(0)
		for i, c := range three {
			if set>>i&1 == 1 {
				declared |= c
			}
		}
		x := verbs.NewServer(t, server.Config{Catalog: catalog, Serve: []string{"tools/call", "resources/read", "prompts/get"}, ListChanged: declared})
		x, out := x.Begin(spoken, "{}")
		if got := strings.Count(verbs.Lines(out)[0], "listChanged"); got != bits.OnesCount(uint(set)) {
			t.Errorf("%s: %d are declared in %s", declared, got, verbs.Lines(out)[0])
		}
		x, _ = x.Finish(spoken, "{}")
		for _, k := range kinds {
			items := empty
			k.add(&items)
			more, err := server.NewCatalog(items)
			if err != nil {
				t.Fatal(err)
			}
			s, out, err := x.Server().SetCatalog(x.Now, more)
			if err != nil || len(out.Send) != 0 {
				t.Fatalf("SetCatalog: %v, sent %q", err, verbs.Lines(out))
			}
			want := ""
			if declared.Has(k.declare) {
				want = `{"method":"` + k.note.Method() + `"}`
			}
			if _, due := s.NextDeadline(); due != (want != "") {
				t.Errorf("%s declared, %s: due is %v", declared, k.note.Method(), due)
			}
			if _, out = x.With(s).Tick(time.Hour); wire(out) != want || len(out.Events) != 0 {
				t.Errorf("%s declared, %s: sent %s, want %s", declared, k.note.Method(), wire(out), want)
			}
			if _, _, err = x.Notify(k.note); (err == nil) != (want != "") || err != nil && !errors.Is(err, lifecycle.ErrCapability) {
				t.Errorf("%s declared, %s by hand: %v", declared, k.note.Method(), err)
			}
		}
	}
}

// Case 18: a client that did not declare listChanged does not announce changes of its roots.
func Test18ListChangedOfClients(t *testing.T) {
	for _, declared := range []bool{false, true} {
		x := verbs.NewClient(t, client.Config{Roots: []protocol.Root{}, RootsListChanged: declared}).Open(spoken, "{}")
		c, out, err := x.Client().SetRoots(x.Now, []protocol.Root{{URI: "file:///a"}})
		if err != nil || (len(out.Send) == 1) != declared {
			t.Errorf("declared %v: sent %q, %v", declared, verbs.Lines(out), err)
		}
		if _, out = x.With(c).Tick(time.Hour); !out.IsZero() {
			t.Errorf("declared %v: later sent %q", declared, verbs.Lines(out))
		}
		if _, _, err = x.Notify(protocol.RootsListChangedParams{}); (err == nil) != declared || err != nil && !errors.Is(err, lifecycle.ErrCapability) {
			t.Errorf("declared %v, by hand: %v", declared, err)
		}
	}
}

// Case 18: false and null count as absent, also in the peer's declarations.
func Test18FalseIsAbsent(t *testing.T) {
	for _, form := range []string{`{}`, `{"listChanged":false}`, `{"listChanged":null}`, `{"other":true}`} {
		x := full(t, protocol.Client, lifecycle.Policy{}).Open(spoken, `{"tools":`+form+`,"prompts":`+form+`,"resources":`+form+`}`)
		if got := x.PeerCapabilities(); got != protocol.CapTools|protocol.CapPrompts|protocol.CapResources {
			t.Errorf("%s: %s", form, got)
		}
		x = full(t, protocol.Server, lifecycle.Policy{}).Open(spoken, `{"roots":`+form+`}`)
		if got := x.PeerCapabilities(); got != protocol.CapRoots {
			t.Errorf("%s: %s", form, got)
		}
	}
}

// Case 20: a request whose capability the peer did not declare is an error of the caller
// and sends nothing, whatever else the peer declared; ping and custom methods need
// none.
func Test20OnlyWhatThePeerDeclared(t *testing.T) {
	for _, role := range roles {
		for _, declared := range requestsTo[role.Peer()] {
			x := full(t, role, lifecycle.Policy{}).Open(spoken, "{"+needs[declared.name]+"}")
			for _, r := range append(requestsTo[role.Peer()], request{name: "ping"}, request{name: "x/own"}) {
				_, out, err := x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, lifecycle.RequestOptions{})
				// A declared resources.subscribe implies resources, but not the other way.
				may := needs[r.name] == "" || needs[r.name] == needs[declared.name] ||
					needs[r.name] == needs["resources/read"] && needs[declared.name] == needs["resources/subscribe"]
				if may && (err != nil || len(out.Send) != 1) || !may && !errors.Is(err, lifecycle.ErrCapability) {
					t.Errorf("%s declared, %s: %v, sent %q", needs[declared.name], r.name, err, verbs.Lines(out))
				}
			}
		}
	}
}

// Case 21: a request for a feature that this side did not declare is refused with -32601
// and not dispatched; ping is answered.
func Test21UndeclaredFeatures(t *testing.T) {
	for _, x := range []verbs.Side{verbs.NewClient(t, client.Config{}).Open(spoken, "{}"), verbs.NewServer(t, server.Config{}).Open(spoken, "{}")} {
		for i, r := range requestsTo[x.Role] {
			id := fmt.Sprintf("s%d", i)
			for _, params := range []string{r.params, "", "[]"} { // before the params are looked at
				y, out := x.Receive(line(id, r.name, params))
				want := `{"id":"` + id + `","error":{"code":-32601,"message":"method not found","data":{"reason":"capability not declared"}}}`
				if wire(out) != want || reports(out) != "violation CAP-012" || y.Status() != x.Status() {
					t.Errorf("%s %s: sent %s, events %s, want %s", r.name, params, wire(out), reports(out), want)
				}
			}
		}
		alive(t, x)
	}
}
