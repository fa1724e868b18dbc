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
)

// definition is a part of the official schema.
type definition struct {
	Ref        string `json:"$ref"`
	Type       any
	Const      any
	AnyOf      []definition
	Items      *definition
	Properties map[string]definition
	Required   []string
}

// notTypes are the definitions that have no struct here: unions, names for
// strings and numbers, envelopes, and common parts of others.
var notTypes = strings.Fields(`
	BaseMetadata ClientNotification ClientRequest ClientResult ContentBlock Cursor
	JSONRPCErrorResponse JSONRPCMessage JSONRPCNotification JSONRPCRequest JSONRPCResponse JSONRPCResultResponse
	LoggingLevel Notification PaginatedRequest PaginatedResult PrimitiveSchemaDefinition
	ProgressToken Request RequestId ResourceContents Role ServerNotification ServerRequest ServerResult
	ElicitRequest ElicitRequestParams EnumSchema Error Icons MultiSelectEnumSchema NotificationParams
	PaginatedRequestParams RequestParams ResourceRequestParams SamplingMessageContentBlock SingleSelectEnumSchema
	URLElicitationRequiredError`)

// partsOfBlocks are types that the schema has not: parts of blocks whose members are those of the block.
var partsOfBlocks = []string{"ToolResult", "ToolUse"}

// nested are the types that the schema leaves without a name.
var nested = map[string]string{
	"CompleteRequestParams.argument":          "CompleteArgument",
	"CompleteRequestParams.context":           "CompleteContext",
	"CompleteResult.completion":               "Completion",
	"ElicitRequestFormParams.requestedSchema": "ElicitSchema",
	"TitledSingleSelectEnumSchema.oneOf.":     "Choice",
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

// The types have the members of the official schema: same names, same ones
// required, same JSON types. Deliberate differences: the types in notTypes;
// _meta of the params of a method, which the schema has in Request and
// Notification only; the numbers in ElicitResult.content (TestFaults); icons, of which
// an odd one costs itself only (TestOddIcons); and all that has to do with tasks.
func TestOfficialSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/schema-2025-11-25.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Definitions map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	ours := map[string]shape{}
	for _, s := range shapes() {
		ours[s.name] = s
	}
	compare := func(def string, d definition, name string, isParams bool) {
		s, ok := ours[name]
		if !ok {
			t.Errorf("%s has no type", def)
			return
		}
		delete(ours, name)
		if ref, ok := strings.CutPrefix(d.Ref, "#/$defs/"); ok {
			d = file.Definitions[ref]
		}
		delete(d.Properties, "task")
		delete(d.Properties, "tasks")
		members := map[string]member{}
		for _, m := range s.members {
			members[m.wire] = m
		}
		if isParams {
			if m := members["_meta"]; m.kinds != "o" || m.required {
				t.Errorf("%s has no _meta", name)
			}
			delete(members, "_meta")
			delete(d.Properties, "_meta")
		}
		for wire, p := range d.Properties {
			m, ok := members[wire]
			if !ok {
				t.Errorf("%s has no member %s", name, wire)
			}
			delete(members, wire)
			if m.required != slices.Contains(d.Required, wire) && wire != "requestId" { // TestCancelledWithoutID
				t.Errorf("%s.%s: required %v", name, wire, m.required)
			}
			if want := kindsOf(p, file.Definitions); m.kinds != want && wire != "icons" {
				t.Errorf("%s.%s: takes %q, want %q", name, wire, m.kinds, want)
			}
		}
		for wire := range members {
			t.Errorf("%s has a member %s", name, wire)
		}
	}
	for _, def := range slices.Sorted(maps.Keys(file.Definitions)) {
		d := file.Definitions[def]
		name, isRequest := strings.CutSuffix(def, "Request")
		name, isNotification := strings.CutSuffix(name, "Notification")
		switch {
		case slices.Contains(notTypes, def), strings.Contains(def, "Task") && def != "ToolExecution":
		case strings.HasSuffix(def, "RequestParams"), strings.HasSuffix(def, "NotificationParams"): // see the method
		case isRequest || isNotification:
			compare(def, d.Properties["params"], name+"Params", true)
		case d.Ref == "#/$defs/Result":
			compare(def, file.Definitions["Result"], name, false)
		case def == "Result":
		default:
			compare(def, d, name, false)
		}
	}
	for path, name := range nested {
		steps := strings.Split(path, ".")
		d := file.Definitions[steps[0]]
		for _, step := range steps[1:] {
			if step == "" {
				d = *d.Items
			} else {
				d = d.Properties[step]
			}
		}
		compare(path, d, name, false)
	}
	for name := range ours {
		if slices.Contains(partsOfBlocks, name) {
			continue
		}
		t.Errorf("%s is not in the schema", name)
	}
}

// kindsOf returns the kinds of a member, as the type member has them.
func kindsOf(p definition, all map[string]definition) string {
	if name, ok := strings.CutPrefix(p.Ref, "#/$defs/"); ok {
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
