package protocol_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
)

// definition is a part of the official schema.
type definition struct {
	Ref        string `json:"$ref"`
	Type       any
	Const      any
	AllOf      []definition
	AnyOf      []definition
	Items      *definition
	Properties map[string]definition
	Required   []string
}

// official reads the official schema of a revision, in the form with definitions or, from
// 2025-11-25 on, with $defs.
func official(t *testing.T, revision string) map[string]definition {
	t.Helper()
	text, err := os.ReadFile("testdata/schema-" + revision + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Definitions map[string]definition
		Defs        map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Definitions) == 0 {
		return file.Defs
	}
	return file.Definitions
}

// target returns the name of the definition that d refers to, "" without one.
func (d definition) target() string {
	for _, prefix := range []string{"#/definitions/", "#/$defs/"} {
		if name, ok := strings.CutPrefix(d.Ref, prefix); ok {
			return name
		}
	}
	return ""
}

// members returns d with the properties of everything that it refers to, is made of, or may be
// one of. What only some alternatives require is not required.
func (d definition) members(all map[string]definition) definition {
	if name := d.target(); name != "" {
		return all[name].members(all)
	}
	sum := definition{Type: d.Type, Properties: maps.Clone(d.Properties), Required: slices.Clone(d.Required)}
	if sum.Properties == nil {
		sum.Properties = map[string]definition{}
	}
	for _, part := range d.AllOf {
		part = part.members(all)
		maps.Copy(sum.Properties, part.Properties)
		sum.Required = append(sum.Required, part.Required...)
	}
	for i, choice := range d.AnyOf {
		choice = choice.members(all)
		maps.Copy(sum.Properties, choice.Properties)
		if i == 0 {
			sum.Required = append(sum.Required, choice.Required...)
		} else {
			sum.Required = slices.DeleteFunc(sum.Required, func(name string) bool { return !slices.Contains(choice.Required, name) })
		}
	}
	return sum
}

// params returns the params of a request or notification, inline or, from 2025-11-25 on, as a
// definition of their own. They lack _meta, which all have.
func (d definition) params(all map[string]definition) definition {
	p := d.Properties["params"].members(all)
	delete(p.Properties, "_meta")
	return p
}

// notTypes are the definitions without a struct here: unions, named
// strings and numbers, envelopes, and common parts of others.
var notTypes = strings.Fields(`
	BaseMetadata ClientNotification ClientRequest ClientResult ContentBlock Cursor
	JSONRPCErrorResponse JSONRPCMessage JSONRPCNotification JSONRPCRequest JSONRPCResponse JSONRPCResultResponse
	LoggingLevel Notification PaginatedRequest PaginatedResult PrimitiveSchemaDefinition
	ProgressToken Request RequestId ResourceContents Role ServerNotification ServerRequest ServerResult
	ElicitRequest EnumSchema Error Icons MultiSelectEnumSchema SamplingMessageContentBlock SingleSelectEnumSchema
	URLElicitationRequiredError`)

// partsOfBlocks are types that the schema lacks: their members are those of a block.
var partsOfBlocks = []string{"ToolResult", "ToolUse"}

// unbuilt are the members and types of 2025-11-25 for tasks, which are not
// built. One that exists must leave the list.
var unbuilt = strings.Fields(`
	CallToolParams.task CreateMessageParams.task ElicitRequestFormParams.task ElicitRequestURLParams.task ClientCapabilities.tasks ServerCapabilities.tasks
	Task TaskMetadata TaskStatus RelatedTaskMetadata TaskStatusNotification CreateTaskResult
	GetTaskRequest GetTaskResult GetTaskPayloadRequest GetTaskPayloadResult CancelTaskRequest CancelTaskResult ListTasksRequest ListTasksResult`)

// nested are the types that the schema does not name.
var nested = map[string]string{
	"CompleteRequest.params.argument":         "CompleteArgument",
	"CompleteRequest.params.context":          "CompleteContext",
	"CompleteResult.completion":               "Completion",
	"ElicitRequestFormParams.requestedSchema": "ElicitSchema",
	"TitledSingleSelectEnumSchema.oneOf":      "Choice",
	"ClientCapabilities.elicitation.url":      "Flag",
	"ClientCapabilities.roots":                "RootsCapability",
	"ClientCapabilities.sampling":             "SamplingCapability",
	"ClientCapabilities.elicitation":          "ElicitationCapability",
	"ServerCapabilities.logging":              "LoggingCapability",
	"ServerCapabilities.completions":          "CompletionsCapability",
	"ServerCapabilities.prompts":              "PromptsCapability",
	"ServerCapabilities.resources":            "ResourcesCapability",
	"ServerCapabilities.tools":                "ToolsCapability",
}

// The types have the members of the official schema, with the same names, the same required
// ones and the same JSON types: those of 2025-11-25, and those that 2026-07-28 adds (DISC-002, DISC-003, SUBS-001, SUBS-003).
// Deliberate differences: the types in notTypes;
// _meta of the params of a method, which the schema has only in Request and
// Notification; the numbers in ElicitResult.content (TestFaults); icons, where an
// invalid one affects only itself (TestOddIcons); and the requestId of a cancellation, which
// DecodeJSON requires (TestCancelledWithoutID).
//
// rows: DISC-002 DISC-003 SUBS-001 SUBS-003
// revisions: 2026-07-28
func TestOfficialSchema(t *testing.T) {
	defs := official(t, protocol.Revision20251125.String())
	later := official(t, protocol.Revision20260728.String())
	ours := map[string]shape{}
	for _, s := range shapes() {
		ours[s.name] = s
	}
	all := defs
	compare := func(def string, d definition, name string, isParams bool) {
		s, ok := ours[name]
		if !ok {
			t.Errorf("%s has no type", def)
			return
		}
		delete(ours, name)
		members := map[string]member{}
		for _, m := range s.members {
			members[m.wire] = m
		}
		if isParams {
			if m := members["_meta"]; m.kinds != "o" || m.required {
				t.Errorf("%s has no _meta", name)
			}
			delete(members, "_meta")
		}
		for wire, p := range d.Properties {
			m, ok := members[wire]
			if waits := slices.Contains(unbuilt, name+"."+wire); waits && ok {
				t.Errorf("%s.%s is built", name, wire)
			} else if waits {
				continue
			}
			if !ok {
				t.Errorf("%s has no member %s", name, wire)
			}
			delete(members, wire)
			if m.required != slices.Contains(d.Required, wire) && wire != "requestId" {
				t.Errorf("%s.%s: required %v", name, wire, m.required)
			}
			if wire == "structuredContent" {
				p = later[def].Properties[wire]
			}
			if want := kindsOf(p, all); m.kinds != want && wire != "icons" {
				t.Errorf("%s.%s: takes %q, want %q", name, wire, m.kinds, want)
			}
		}
		for wire := range members {
			t.Errorf("%s has a member %s", name, wire)
		}
	}
	for _, def := range slices.Sorted(maps.Keys(defs)) {
		d := defs[def]
		name, isRequest := strings.CutSuffix(def, "Request")
		name, isNotification := strings.CutSuffix(name, "Notification")
		switch {
		case slices.Contains(notTypes, def) || slices.Contains(unbuilt, def):
		case isRequest || isNotification:
			compare(def, d.params(defs), name+"Params", true)
		case def == "Result", isParams(def) && !strings.HasPrefix(def, "Elicit"), def == "ElicitRequestParams":
		default:
			compare(def, d.members(defs), name, false)
		}
	}
	for _, name := range unbuilt {
		if _, ok := ours[strings.Replace(strings.Replace(name, "Request", "Params", 1), "Notification", "Params", 1)]; ok {
			t.Errorf("%s is built", name)
		}
	}
	for path, name := range nested {
		steps := strings.Split(path, ".")
		d := defs[steps[0]]
		for _, step := range steps[1:] {
			if items := d.Properties[step].Items; items != nil {
				d = *items
			} else {
				d = d.Properties[step].members(defs)
			}
		}
		compare(path, d, name, false)
	}
	all = later
	for _, def := range []string{"DiscoverRequest", "DiscoverResult", "SubscriptionFilter", "SubscriptionsAcknowledgedNotification", "SubscriptionsListenRequest"} {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(def, "Subscriptions"), "Notification"), "Request")
		if d := later[def]; d.Properties["method"].Const != nil {
			compare(def, d.params(later), base+"Params", true)
		} else {
			d = d.members(later)
			for _, stamp := range []string{"resultType", "ttlMs", "cacheScope"} { // written by the machine
				delete(d.Properties, stamp)
			}
			compare(def, d, base, false)
		}
	}
	for name := range ours {
		if slices.Contains(partsOfBlocks, name) {
			continue
		}
		t.Errorf("%s is not in the schema", name)
	}
}

// isParams reports whether a definition is the params of a request or notification.
func isParams(def string) bool { return strings.HasSuffix(def, "Params") }

// From 2025-11-25 on the schema has another form: the params of the methods of 2025-06-18
// are read from it as before, with more members, and only elicitation/create requires
// less.
func TestSchemaForms(t *testing.T) {
	old, newer := official(t, "2025-06-18"), official(t, "2025-11-25")
	methods := 0
	for _, def := range slices.Sorted(maps.Keys(old)) {
		was, is := old[def], newer[def]
		if was.Properties["method"].Const == nil {
			continue
		}
		methods++
		if is.Properties["method"].Const != was.Properties["method"].Const {
			t.Errorf("%s is of %v, was of %v", def, is.Properties["method"].Const, was.Properties["method"].Const)
		}
		before, after := was.params(old), is.params(newer)
		for name, p := range before.Properties {
			now, ok := after.Properties[name]
			if got, want := kindsOf(now, newer), kindsOf(p, old); !ok || got != want {
				t.Errorf("%s.%s takes %q, was %q", def, name, got, want)
			}
			required := slices.Contains(before.Required, name) && def+"."+name != "ElicitRequest.requestedSchema" && def+"."+name != "CancelledNotification.requestId"
			if slices.Contains(after.Required, name) != required {
				t.Errorf("%s.%s is required: %v, want %v", def, name, !required, required)
			}
		}
	}
	if methods < 25 {
		t.Errorf("only %d methods", methods)
	}
	for def, want := range map[string]string{
		"CallToolRequest": "arguments name task", "ElicitRequest": "elicitationId message mode requestedSchema task url", "ListToolsRequest": "cursor",
		"PingRequest": "", "ElicitationCompleteNotification": "elicitationId", "GetTaskPayloadRequest": "taskId",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(newer[def].params(newer).Properties)), " "); got != want {
			t.Errorf("the params of %s have %q, want %q", def, got, want)
		}
	}
	task := newer["GetTaskResult"].members(newer)
	if !slices.Contains(task.Required, "taskId") || task.Properties["status"].Ref == "" || len(task.Properties) < 8 {
		t.Errorf("GetTaskResult: %+v", task)
	}
}

// kindsOf returns the kinds of a member, as in its type.
func kindsOf(p definition, all map[string]definition) string {
	if name := p.target(); name != "" {
		return kindsOf(all[name], all)
	}
	letters := map[string]string{"string": "s", "integer": "i", "number": "if", "boolean": "b", "object": "o", "array": "a"}
	switch typ := p.Type.(type) {
	case string:
		return letters[typ]
	case []any:
		s := ""
		for _, name := range typ {
			s += letters[name.(string)]
		}
		return s
	}
	if len(p.AnyOf) > 0 {
		s := ""
		for _, one := range p.AnyOf {
			if k := kindsOf(one, all); !strings.Contains(s, k) {
				s += k
			}
		}
		return s
	}
	if p.Const != nil {
		return "s"
	}
	return "sifboan"
}

// The list of types that the other tests walk is complete.
func TestTypesListed(t *testing.T) {
	listed := map[string]bool{"Media": true, "Property": true} // parts of Content and ElicitSchema
	for _, v := range types {
		listed[typeName(v)] = true
	}
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				st, ok := spec.Type.(*ast.StructType)
				if ok && !listed[spec.Name.Name] && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool { return f.Tag != nil }) {
					t.Errorf("%s is not in types", spec.Name)
				}
				delete(listed, spec.Name.Name)
			}
			return true
		})
	}
	if len(listed) > 0 {
		t.Errorf("types without a declaration: %v", listed)
	}
}
