package protocol

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// What is read and written in one step, because most write it so, comes to what the general
// way comes to.

func TestOneTextIsAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := CallToolResult{IsError: rapid.Bool().Draw(t, "failed")}
		for range rapid.IntRange(0, 2).Draw(t, "blocks") {
			c := TextContent(rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\xff", "\n", `"`}).Draw(t, "odd"))
			switch rapid.IntRange(0, 5).Draw(t, "more") {
			case 0:
				c.Meta = `{"a":1}`
			case 1:
				c.Annotations = &Annotations{}
			case 2:
				c = ImageContent("image/png", nil)
			}
			r.Content = append(r.Content, c)
		}
		switch rapid.IntRange(0, 5).Draw(t, "more") {
		case 0:
			r.Meta = `{}`
		case 1:
			r.StructuredContent = `{}`
		}
		head := rapid.SampledFrom([]string{"", `{"h":1`}).Draw(t, "head")
		var e Encoded
		err := encodeToolResult(&r, head, &e)
		want := Raw(r.AppendJSON(nil))
		if e.Headed != (head != "" && r.Meta == "" && len(r.Content) > 0) {
			t.Fatalf("headed: %v, of %s", e.Headed, want)
		}
		if e.Headed {
			want = Raw(head + "," + string(want[1:]))
		}
		if err != nil || e.Body != want {
			t.Fatalf("%s, want %s: %v", e.Body, want, err)
		}
		read, err := readCallToolResult(e.Body, jsonrpc.Span{}, 0)
		if err != nil || read != e.Info {
			t.Fatalf("%+v, want %+v: %v", e.Info, read, err)
		}
		for _, rev := range revisions {
			if trimmed, lossy := rev.Downgrade(MethodToolsCall, BodyResult, e.Body); e.Common && (trimmed != e.Body || lossy) {
				t.Fatalf("%s is not common: in %v it is %s", e.Body, rev, trimmed)
			}
		}
	})
}

func TestPlainText(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		`{"type":"text","text":"a"}`, `{"type":"text","text":"\"\u00e9\n"}`, `{"type":"text","text":"x","_meta":{}}`, `{"type":"text","text":1}`, `{"type":"text","text":null}`,
		`{"text":"a","type":"text"}`, `{"type":"text" ,"text":"a"}`, `{"type":"text","text":"a" }`, `{"type":"text","text":"a","type":"image"}`, `{"type":"text","text":"`, `{"type":"text"}`,
		`{"type":"resource_link","uri":"a:b","name":"n"}`, `{"type":"other"}`, `{}`, `5`, ``, ` `,
	})
	rapid.Check(t, func(t *rapid.T) {
		list := "["
		for i := range rapid.IntRange(0, 3).Draw(t, "n") {
			if i > 0 {
				list += rapid.SampledFrom([]string{",", ",", ",", " , ", ""}).Draw(t, "sep")
			}
			list += piece.Draw(t, "piece")
		}
		list += rapid.SampledFrom([]string{"]", "]", "]", " ]", "", "]]"}).Draw(t, "end")
		var info ResultInfo
		err := info.readContent(list, 0)
		var blocks []Content
		wide, _ := rawjson.Elements(list)
		bad := false
		for {
			val, ok := wide.Next()
			if !ok {
				break
			}
			// A blank before the first member is no spelling that is known.
			var c, general Content
			first, second := c.DecodeJSON(Raw(val), jsonrpc.Span{}), general.DecodeJSON(Raw("{ "+val[1:]), jsonrpc.Span{})
			if (first == nil) != (second == nil) || val[0] == '{' && first == nil && general.Raw == "" && !reflect.DeepEqual(c, general) {
				t.Fatalf("%s: %+v %v, want %+v %v", val, c, first, general, second)
			}
			bad = bad || first != nil
			blocks = append(blocks, c)
		}
		if bad = bad || wide.Bad(); bad != (err != nil) {
			t.Fatalf("%s: %v, but the blocks: %v", list, err, bad)
		}
		if n := plainTexts(list); n > 0 && (bad || n != len(blocks)) {
			t.Fatalf("%s: %d blocks, want %d", list, n, len(blocks))
		}
		if !bad && info.Bare != (len(blocks) == 0) {
			t.Fatalf("%s: %+v", list, info)
		}
	})
}
