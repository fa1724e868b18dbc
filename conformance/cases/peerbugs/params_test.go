package peerbugs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// expected is the outcome of a request with the params "" (absent), null, {}, [] or a
// scalar, by the order of checks in docs/methods.md. r.name may belong to the other direction.
func expected(x verbs.Side, r request, mine bool, params string) string {
	phase := x.Phase()
	switch {
	case params[:min(1, len(params))] == `"` || params == "5" || params == "false":
		return "-32600" // the envelope
	case r.name == "ping" && params == "[]":
		return "-32602"
	case r.name == "ping":
		return "result"
	case !mine:
		return "-32601"
	case r.name == "initialize" && phase != lifecycle.Uninitialized:
		return "-32600"
	case phase == lifecycle.ShuttingDown:
		return "-32603"
	case r.name != "initialize" && (phase == lifecycle.Uninitialized || phase == lifecycle.Initializing && x.Role == protocol.Client):
		return "-32600"
	case params == "[]" || !r.bare:
		return "-32602"
	}
	return "result"
}

// Case 8: params absent, null, empty, an array or a scalar give a result or a refusal of
// the right code, for every method in every phase; never a call of the application.
//
// rows: JRPC-026 JRPC-027 JRPC-028 ERR-005 ERR-012
func Test08WrongParams(t *testing.T) {
	inEach(t, func(t *testing.T, x verbs.Side) {
		for _, receiver := range roles {
			list := append([]request{{name: "ping"}}, requestsTo[receiver]...)
			if receiver == protocol.Server {
				list = append(list, request{name: "initialize"})
			}
			for _, r := range list {
				for _, params := range []string{"", "null", "{}", "[]", `[{"name":"t"}]`, `"x"`, `""`, "5", "false"} {
					want := expected(x, r, receiver == x.Role, strings.Replace(params, `[{"name":"t"}]`, "[]", 1))
					y, out := x.Receive(line("q", r.name, params))
					if got := outcome(out); got != want {
						t.Errorf("%s with params %q: %s, want %s", r.name, params, got, want)
					}
					if y.Status() != x.Status() {
						t.Errorf("%s with params %q: %+v became %+v", r.name, params, x.Status(), y.Status())
					}
				}
			}
		}
	})
}

// required are the members that each method requires, and one value of the wrong type.
var required = map[string]map[string]string{
	"initialize":             {"protocolVersion": "1", "capabilities": "true", "clientInfo": `"c"`, "clientInfo.name": "1", "clientInfo.version": "{}"},
	"tools/call":             {"name": "1"},
	"resources/read":         {"uri": "[]"},
	"resources/subscribe":    {"uri": "1"},
	"resources/unsubscribe":  {"uri": "{}"},
	"prompts/get":            {"name": "false"},
	"completion/complete":    {"ref": `"p"`, "ref.type": "1", "ref.name": "1", "argument": "[]", "argument.name": "1", "argument.value": "1"},
	"logging/setLevel":       {"level": "3"},
	"sampling/createMessage": {"messages": "{}", "maxTokens": `"1"`},
	"elicitation/create": {
		"message": "1", "requestedSchema": "[]", "requestedSchema.type": `"array"`, "requestedSchema.properties": "[]",
	},
}

// broken is params without the member at path, with null there, and with wrong there.
func broken(t *testing.T, params, path, wrong string) []string {
	t.Helper()
	var list []string
	for _, val := range []string{"", "null", wrong} {
		var root map[string]any
		if err := json.Unmarshal([]byte(params), &root); err != nil {
			t.Fatal(err)
		}
		keys, at := strings.Split(path, "."), root
		for _, key := range keys[:len(keys)-1] {
			at = at[key].(map[string]any)
		}
		if last := keys[len(keys)-1]; val == "" {
			delete(at, last)
		} else {
			at[last] = json.RawMessage(val)
		}
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

// Case 8: no zero value stands in for a required member that is absent, null or of the
// wrong type, and nothing is subscribed, opened or negotiated with it.
//
// rows: ERR-005 LIFE-004
func Test08RequiredMembers(t *testing.T) {
	for _, role := range roles {
		ready := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		list := slices.Clone(requestsTo[role])
		if role == protocol.Server {
			list = append(list, request{name: "initialize", params: goodInitialize})
		}
		tried := 0
		for _, r := range list {
			x := ready
			if r.name == "initialize" {
				x = full(t, role, lifecycle.Policy{})
			}
			members := required[r.name]
			if (len(members) == 0) != r.bare {
				t.Fatalf("%s: which members does it require?", r.name)
			}
			for _, path := range slices.Sorted(maps.Keys(members)) {
				for _, params := range broken(t, r.params, path, members[path]) {
					tried++
					y, out := x.Receive(line("q", r.name, params))
					if got := outcome(out); got != "-32602" || reports(out) != "violation ERR-005" {
						t.Errorf("%s %s: %s, events %s", r.name, params, got, reports(out))
					}
					if y.Status() != x.Status() {
						t.Errorf("%s %s: %+v became %+v", r.name, params, x.Status(), y.Status())
					}
				}
			}
			// The params before damage are valid.
			if _, out := x.Receive(line("q", r.name, r.params)); outcome(out) != map[bool]string{true: "dispatched", false: "result"}[r.app] {
				t.Errorf("%s %s: %s", r.name, r.params, outcome(out))
			}
		}
		if tried == 0 {
			t.Error(fmt.Sprint(role), " has no method with a required member")
		}
	}
}
