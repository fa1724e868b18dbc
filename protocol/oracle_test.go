package protocol_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// codec is what every type of the package has, through a pointer.
type codec interface {
	AppendJSON([]byte) []byte
	DecodeJSON(Raw, jsonrpc.Span) error
	Validate() error
	MarshalJSON() ([]byte, error)
	UnmarshalJSON([]byte) error
}

// types are all types with a codec; TestTypesListed compares them to the source.
var types = []codec{
	&AcknowledgedParams{}, &DiscoverParams{}, &DiscoverResult{}, &ListenParams{}, &SubscriptionFilter{},
	&Annotations{}, &CallToolParams{}, &CallToolResult{}, &CancelledParams{}, &Choice{}, &ClientCapabilities{},
	&CompleteArgument{}, &CompleteContext{}, &CompleteParams{}, &CompleteResult{}, &Completion{},
	&CompletionsCapability{}, &Content{}, &CreateMessageParams{}, &CreateMessageResult{}, &ElicitParams{},
	&ElicitResult{}, &ElicitSchema{}, &ElicitationCapability{}, &ElicitationCompleteParams{}, &EmptyResult{}, &Flag{}, &GetPromptParams{},
	&GetPromptResult{}, &Icon{}, &Implementation{}, &InitializeParams{}, &InitializeResult{}, &InitializedParams{},
	&ListPromptsParams{}, &ListPromptsResult{}, &ListResourceTemplatesParams{}, &ListResourceTemplatesResult{},
	&ListResourcesParams{}, &ListResourcesResult{}, &ListRootsParams{}, &ListRootsResult{}, &ListToolsParams{},
	&ListToolsResult{}, &LoggingCapability{}, &LoggingMessageParams{}, &ModelHint{}, &ModelPreferences{},
	&PingParams{}, &PrimitiveSchema{}, &ProgressParams{}, &Prompt{}, &PromptArgument{}, &PromptListChangedParams{},
	&PromptMessage{}, &PromptsCapability{}, &ReadResourceParams{}, &ReadResourceResult{}, &Reference{}, &Resource{},
	&ResourceContents{}, &ResourceListChangedParams{}, &ResourceTemplate{}, &ResourceUpdatedParams{},
	&ResourcesCapability{}, &Root{}, &RootsCapability{}, &RootsListChangedParams{}, &SamplingCapability{},
	&SamplingMessage{}, &ServerCapabilities{}, &SetLevelParams{}, &SubscribeParams{}, &Tool{}, &ToolAnnotations{}, &ToolChoice{}, &ToolExecution{},
	&ToolListChangedParams{}, &ToolResult{}, &ToolUse{}, &ToolsCapability{}, &UnsubscribeParams{},
}

func typeName(v any) string { return reflect.TypeOf(v).Elem().Name() }

func fresh(v codec) codec { return reflect.New(reflect.TypeOf(v).Elem()).Interface().(codec) }

// tags splits the tags of a field.
func tags(f reflect.StructField) (wire, rule string, optional bool) {
	wire, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return wire, f.Tag.Get("mcp"), rest == "omitzero"
}

// object writes members in their order; each is a name and the text of a value.
func object(members ...[2]string) string {
	var parts []string
	for _, m := range members {
		if m[1] != "" {
			parts = append(parts, quote(m[0])+":"+m[1])
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quote(s string) string { return string(rawjson.AppendQuote(nil, s)) }

// encode is the oracle: a slow and plain walk over the struct tags that says what
// AppendJSON has to append. The text "" stands for an absent member.
func encode(v reflect.Value, rule string, optional bool) string {
	if optional && v.IsZero() {
		return ""
	}
	switch x := v.Interface().(type) {
	case Content:
		return encodeContent(x)
	case ResourceContents:
		text, blob := quote(x.Text), ""
		if x.Blob != nil {
			text, blob = "", quote(*x.Blob)
		}
		return object([2]string{"uri", quote(x.URI)}, [2]string{"mimeType", text1(x.MIMEType)}, [2]string{"blob", blob},
			[2]string{"text", text}, [2]string{"_meta", string(x.Meta)})
	case Reference:
		if x.Type == RefPrompt {
			return object([2]string{"type", quote(x.Type)}, [2]string{"name", quote(x.Name)}, [2]string{"title", text1(x.Title)})
		}
		return object([2]string{"type", quote(x.Type)}, [2]string{"uri", quote(x.URI)})
	case ElicitSchema:
		var properties [][2]string
		for _, p := range x.Properties {
			properties = append(properties, [2]string{p.Name, encode(reflect.ValueOf(p.Schema), "", false)})
		}
		return object([2]string{"$schema", text1(x.Dialect)}, [2]string{"type", `"object"`}, [2]string{"properties", object(properties...)},
			[2]string{"required", encode(reflect.ValueOf(x.Required), "", true)})
	case ElicitParams:
		members := [][2]string{{"mode", text1(string(x.Mode))}, {"message", quote(x.Message)}}
		if x.Mode == ElicitURL {
			members = append(members, [2]string{"url", quote(x.URL)}, [2]string{"elicitationId", quote(x.ElicitationID)})
		} else {
			members = append(members, [2]string{"requestedSchema", encode(reflect.ValueOf(x.RequestedSchema), "", false)})
		}
		return object(append(members, [2]string{"_meta", string(x.Meta)})...)
	case PrimitiveSchema:
		if x.Type == TypeArray {
			return encodeArray(x)
		}
	case jsonrpc.ID:
		return string(x.Append(nil))
	case Raw:
		return cmpOr(string(x), map[string]string{"schema": `{"type":"object"}`, "object": "{}", "primitive": "null", "": "null"}[rule])
	case Meta:
		return string(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encode(v.Elem(), rule, false)
	case reflect.String:
		return quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return string(rawjson.AppendFloat(nil, v.Float()))
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, encode(v.Index(i), "", false))
		}
		if strings.HasPrefix(rule, "one") && len(parts) == 1 {
			return parts[0]
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.Map:
		var members [][2]string
		for _, key := range v.MapKeys() {
			members = append(members, [2]string{key.String(), encode(v.MapIndex(key), rule, false)})
		}
		slices.SortFunc(members, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		return object(members...)
	case reflect.Struct:
		var members [][2]string
		for i := range v.NumField() {
			if wire, rule, optional := tags(v.Type().Field(i)); wire != "-" {
				members = append(members, [2]string{wire, encode(v.Field(i), rule, optional)})
			}
		}
		return object(members...)
	}
	panic(fmt.Sprint("no oracle for ", v.Type()))
}

func encodeContent(c Content) string {
	common := [][2]string{{"annotations", encode(reflect.ValueOf(c.Annotations), "", true)}, {"_meta", string(c.Meta)}}
	block := func(members ...[2]string) string {
		return object(append(append([][2]string{{"type", quote(c.Type)}}, members...), common...)...)
	}
	switch c.Type {
	case ContentText:
		return block([2]string{"text", quote(c.Text)})
	case ContentImage, ContentAudio:
		return block([2]string{"data", quote(c.Media.Data)}, [2]string{"mimeType", quote(c.Media.MIMEType)})
	case ContentLink:
		return `{"type":"resource_link",` + encode(reflect.ValueOf(*c.Link), "", false)[1:]
	case ContentEmbedded:
		return block([2]string{"resource", encode(reflect.ValueOf(*c.Resource), "", false)})
	case ContentToolUse:
		common = common[1:]
		return block([2]string{"id", quote(c.ToolUse.ID)}, [2]string{"name", quote(c.ToolUse.Name)}, [2]string{"input", cmpOr(string(c.ToolUse.Input), "{}")})
	case ContentToolResult:
		common = common[1:]
		r := pairs(encode(reflect.ValueOf(*c.ToolResult), "", false))
		return block(r...)
	}
	return string(c.Raw)
}

// encodeArray is the field that takes several values.
func encodeArray(s PrimitiveSchema) string {
	items := object([2]string{"type", `"string"`}, [2]string{"enum", encode(reflect.ValueOf(s.Enum), "", false)})
	if s.Choices != nil {
		items = object([2]string{"anyOf", encode(reflect.ValueOf(s.Choices), "", false)})
	}
	return object([2]string{"type", `"array"`}, [2]string{"title", text1(s.Title)}, [2]string{"description", text1(s.Description)},
		[2]string{"default", string(s.Default)}, [2]string{"items", items},
		[2]string{"minItems", encode(reflect.ValueOf(s.MinItems), "", true)}, [2]string{"maxItems", encode(reflect.ValueOf(s.MaxItems), "", true)})
}

// text1 is the text of an optional string.
func text1(s string) string {
	if s == "" {
		return ""
	}
	return quote(s)
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func oracle(v codec) string { return encode(reflect.ValueOf(v).Elem(), "", false) }

// decoded decodes text into a new value of the type of v.
func decoded(t *testing.T, v codec, text string) codec {
	t.Helper()
	w := fresh(v)
	if err := w.DecodeJSON(Raw(text), jsonrpc.Span{}); err != nil {
		t.Fatalf("%T: decode %s: %v", v, text, err)
	}
	return w
}
