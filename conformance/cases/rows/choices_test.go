package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// choice is a member with the schema's values.
type choice struct {
	row    string
	method string // of the request
	params string // of the request; %s is the value, if present
	result string // otherwise of the answer; %s is the value
	values []string
}

var choices = []choice{
	{"LOG-003", "logging/setLevel", `{"level":%s}`, "", []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}},
	{"SAMP-006", "sampling/createMessage", `{"messages":[],"maxTokens":1,"includeContext":%s}`, "", []string{"none", "thisServer", "allServers"}},
	{"SAMP-004", "sampling/createMessage", `{"messages":[{"role":%s,"content":{"type":"text","text":"t"}}],"maxTokens":1}`, "", []string{"user", "assistant"}},
	{"ELIC-006", "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":%s}}}}`, "", []string{"email", "uri", "date", "date-time"}},
	{"ELIC-003", "elicitation/create", `{"message":"m","requestedSchema":{"type":%s,"properties":{}}}`, "", []string{"object"}},
	{"ELIC-004", "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":%s}}}}`, "", []string{"string", "number", "integer", "boolean"}},
	{"COMPL-003", "completion/complete", `{"ref":{"type":%s,"name":"p","uri":"a:b"},"argument":{"name":"a","value":""}}`, "", []string{"ref/prompt", "ref/resource"}},
	{"ELIC-011", "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, `{"action":%s}`, []string{"accept", "decline", "cancel"}},
	{"SAMP-008", "sampling/createMessage", `{"messages":[],"maxTokens":1}`, `{"role":%s,"content":{"type":"text","text":"t"},"model":"m"}`, []string{"user", "assistant"}},
	{"PROMPT-007", "prompts/get", `{"name":"p"}`, `{"messages":[{"role":%s,"content":{"type":"text","text":"t"}}]}`, []string{"user", "assistant"}},
}

// misses are near misses of the values.
func misses(values []string) (list []string) {
	for _, v := range values {
		list = append(list, strings.ToUpper(v), strings.ToUpper(v[:1])+v[1:], v[:len(v)-1], v+"s", v+" ", " "+v)
	}
	list = slices.DeleteFunc(list, func(s string) bool { return slices.Contains(values, s) })
	for i, s := range list {
		list[i] = fmt.Sprintf("%q", s)
	}
	return append(list, `""`, `"other"`, "1", "true", "{}", "["+fmt.Sprintf("%q", values[0])+"]")
}

// TestChoices: if the schema lists the values of a member, each of them is accepted and
// no near miss is.
//
// rows: COMPL-003 ELIC-003 ELIC-004 ELIC-006 ELIC-011 LOG-003 PROMPT-007 SAMP-004 SAMP-006 SAMP-008
func TestChoices(t *testing.T) {
	for _, c := range choices {
		t.Run(c.row, func(t *testing.T) {
			for _, v := range c.values {
				if !c.takes(t, fmt.Sprintf("%q", v)) {
					t.Errorf("%s: %q is refused", c.method, v)
				}
			}
			for _, v := range misses(c.values) {
				if c.takes(t, v) {
					t.Errorf("%s: %s is taken", c.method, v)
				}
			}
		})
	}
}

// takes reports whether the receiver accepts a value.
func (c choice) takes(t *testing.T, value string) bool {
	t.Helper()
	receiver := protocol.Server
	if slices.Contains(names(featuresOf(protocol.Client)), c.method) {
		receiver = protocol.Client
	}
	if c.result == "" {
		x := at(full(t, receiver), lifecycle.Ready)
		_, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, fmt.Sprintf(c.params, value)))
		if len(verbs.Events(out, lifecycle.RequestReceived)) == 1 {
			return true
		}
		refused(t, out, -32602)
		return false
	}
	x := at(full(t, receiver.Peer()), lifecycle.Ready)
	x, _ = send(x, protocol.RawRequest{Name: c.method, Body: protocol.Raw(c.params)})
	_, out := x.Receive(x.Result(fmt.Sprintf(c.result, value)))
	last := out.Events[len(out.Events)-1]
	if last.Kind == lifecycle.RequestFailed && last.Cause.Kind == lifecycle.CauseInvalidResponse {
		return false
	}
	if last.Kind != lifecycle.ResponseReceived || last.Failure() != nil {
		t.Errorf("%s: %s", c.method, verbs.Kinds(out))
	}
	return true
}
