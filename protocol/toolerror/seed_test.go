package toolerror_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// D37: payloads of the source system, which have no path, and those that earlier versions wrote
// are read to the same faults.
func TestSeedPayloads(t *testing.T) {
	const head = `{"isError":true,"toolName":"t","errorType":"invalid_arguments","message":"m","parameterErrors":`
	for raw, want := range map[protocol.Raw]schema.ArgumentErrors{
		head + `[{"kind":"type_mismatch","parameterName":"n","expectedType":"integer","receivedType":"string"}]}`:          {{Path: "/n", Kind: schema.ArgumentType, Want: "an integer", Got: "string"}},
		head + `[{"path":"/n","errorType":"type_mismatch","expected":"an integer","received":"string"}]}`:                  {{Path: "/n", Kind: schema.ArgumentType, Want: "an integer", Got: "string"}},
		head + `[{"kind":"missing_parameter","parameterName":"a.b","expectedType":"string","availableParameters":["c"]}]}`: {{Path: "/a/b", Kind: schema.ArgumentMissing, Want: "a string", Names: []string{"c"}}},
		head + `[{"kind":"missing_parameter","parameterName":"a/b~c","availableNames":["c"]}]}`:                            {{Path: "/a~1b~0c", Kind: schema.ArgumentMissing, Names: []string{"c"}}},
		head + `[{"kind":"null_parameter","parameterName":"root","expectedType":"object"}]}`:                               {{Kind: schema.ArgumentNull, Want: "an object"}},
		head + `[{"kind":"no such","parameterName":"x"},5]}`:                                                               nil,
	} {
		e, ok := toolerror.ParsePayload(raw)
		if !ok {
			t.Errorf("%s is no payload", raw)
			continue
		}
		for _, p := range e.Parameters {
			if len(p.Names) == 0 {
				p.Names = nil
			}
		}
		if diff := cmp.Diff(want, e.Parameters); diff != "" {
			t.Errorf("%s\n%s", raw, diff)
		}
	}
}

// What was expected and what came have the same names.
func TestTypesCompare(t *testing.T) {
	for _, name := range []string{"array", "boolean", "integer", "null", "number", "object", "string"} {
		raw := protocol.Raw(`{"isError":true,"toolName":"t","errorType":"invalid_arguments","parameterErrors":[{"kind":"type_mismatch","parameterName":"n","expectedType":"` + name + `","receivedType":"` + name + `"}]}`)
		e, _ := toolerror.ParsePayload(raw)
		again, _ := toolerror.ParsePayload(e.Payload())
		if diff := cmp.Diff(e, again); diff != "" || again.Parameters[0].Got != name {
			t.Errorf("%s: %s\n%s", name, e.Payload(), diff)
		}
	}
}

// parameterName is the way to an argument as it is meant: ~01 is ~1 and no /.
func TestParameterNames(t *testing.T) {
	for path, want := range map[string]string{"/~01": "~1", "/a~1b~0c/0": "a/b~c.0", "": "root", "/~00": "~0"} {
		e := &toolerror.Error{Kind: toolerror.InvalidArguments, Tool: "t", Parameters: schema.ArgumentErrors{{Path: path, Kind: schema.ArgumentType, Want: "an integer", Got: "string"}}}
		if text := string(e.AppendPayload(nil, toolerror.Options{})); !strings.Contains(text, `"parameterName":"`+want+`"`) {
			t.Errorf("%s, want %s: %s", path, want, text)
		}
	}
}
