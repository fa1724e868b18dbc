package provider

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

const (
	imagesOfMost   words = " image/png image/jpeg image/gif image/webp "
	imagesOfGemini words = " image/png image/jpeg image/webp "
)

// part is a piece of a result: a text or an image.
type part struct {
	text  string
	image *protocol.Media
}

// takesImage reports whether a result for the provider can have an image of that type.
func (p Provider) takesImage(mimeType string) bool {
	switch p {
	case OpenAIResponses, Anthropic:
		return imagesOfMost.has(mimeType)
	case Gemini:
		return imagesOfGemini.has(mimeType)
	}
	return false
}

// Message returns the result of a call as the provider takes it: a message with the role tool
// (OpenAI chat, Azure), an item function_call_output (OpenAI responses), a block tool_result
// (Anthropic), a part with functionResponse (Gemini). Blocks that it does not take are in the
// list, and in their place is a text that says so. Structured content is a text too, unless
// one of the texts has it already; for Gemini it is the output. OpenAI has no mark for a
// result that is an error: its text starts with "Error: ". A nil result is an empty one. Without
// an ID, which all but Gemini need, there is no message, "", and a Loss of the keyword id.
func (x *Exported) Message(c Call, r *protocol.CallToolResult) (protocol.Raw, []Loss) {
	if r == nil {
		r = &protocol.CallToolResult{}
	}
	if x.form().needsID && c.ID == "" {
		return "", []Loss{{Tool: c.Params.Name, Keyword: "id", Action: LeftOut}}
	}
	parts, lost := x.parts(c.Params.Name, r)
	var dst []byte
	switch x.Provider {
	case OpenAIResponses:
		dst = responsesMessage(c.ID, parts, r.IsError)
	case Anthropic:
		dst = anthropicMessage(c.ID, parts, r.IsError)
	case Gemini:
		dst = geminiMessage(c, parts, r)
	default:
		dst = rawjson.AppendQuote([]byte(`{"role":"tool","tool_call_id":`), c.ID)
		dst = append(rawjson.AppendQuote(append(dst, `,"content":`...), marked(joined(parts), r.IsError)), '}')
	}
	return protocol.Raw(dst), lost
}

// parts returns what a result has for the provider.
func (x *Exported) parts(tool string, r *protocol.CallToolResult) (parts []part, lost []Loss) {
	structured := strings.Trim(string(r.StructuredContent), " \t\r\n")
	for i := range r.Content {
		b := &r.Content[i]
		leave := func(what string) {
			parts = append(parts, part{text: "[" + what + " left out]"})
			if len(lost) < maxLost {
				lost = append(lost, Loss{Tool: tool, Path: "/content/" + strconv.Itoa(i), Keyword: cut(b.Type), Action: LeftOut})
			}
		}
		switch {
		case b.Type == protocol.ContentText:
			if structured != "" && rawjson.Valid(b.Text) && same(strings.Trim(b.Text, " \t\r\n"), structured) {
				structured = ""
			}
			parts = append(parts, part{text: b.Text})
		case b.Type == protocol.ContentImage && b.Media != nil && x.Provider.takesImage(b.Media.MIMEType):
			parts = append(parts, part{image: b.Media})
		case (b.Type == protocol.ContentImage || b.Type == protocol.ContentAudio) && b.Media != nil:
			leave(b.Type + " " + cut(b.Media.MIMEType))
		case b.Type == protocol.ContentLink && b.Link != nil:
			parts = append(parts, part{text: "[" + b.Link.Name + "](" + b.Link.URI + ")"})
		case b.Type == protocol.ContentEmbedded && b.Resource != nil && b.Resource.Blob == nil:
			parts = append(parts, part{text: b.Resource.Text})
		case b.Type == protocol.ContentEmbedded && b.Resource != nil:
			leave("resource " + b.Resource.URI)
		default:
			leave("content of type " + cut(b.Type))
		}
	}
	if structured != "" && x.Provider != Gemini {
		parts = append(parts, part{text: structured})
	}
	return parts, lost
}

// joined returns the texts with newlines between.
func joined(parts []part) string {
	var list []string
	for _, p := range parts {
		if p.image == nil {
			list = append(list, p.text)
		}
	}
	return strings.Join(list, "\n")
}

func marked(text string, failed bool) string {
	if failed {
		return "Error: " + text
	}
	return text
}

func hasImage(parts []part) bool {
	for _, p := range parts {
		if p.image != nil {
			return true
		}
	}
	return false
}

func responsesMessage(id string, parts []part, failed bool) []byte {
	dst := rawjson.AppendQuote([]byte(`{"type":"function_call_output","call_id":`), id)
	dst = append(dst, `,"output":`...)
	if !hasImage(parts) {
		return append(rawjson.AppendQuote(dst, marked(joined(parts), failed)), '}')
	}
	if failed {
		parts = append([]part{{text: "Error: "}}, parts...)
	}
	for i, p := range parts {
		dst = append(dst, "[,"[min(i, 1)])
		if p.image == nil {
			dst = rawjson.AppendQuote(append(dst, `{"type":"input_text","text":`...), p.text)
		} else {
			dst = rawjson.AppendQuote(append(dst, `{"type":"input_image","image_url":`...), "data:"+p.image.MIMEType+";base64,"+p.image.Data)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']', '}')
}

func anthropicMessage(id string, parts []part, failed bool) []byte {
	dst := rawjson.AppendQuote([]byte(`{"type":"tool_result","tool_use_id":`), id)
	open := false
	for _, p := range parts {
		if p.image == nil && p.text == "" {
			continue // which Anthropic refuses
		}
		if open {
			dst = append(dst, ',')
		} else {
			dst, open = append(dst, `,"content":[`...), true
		}
		if p.image == nil {
			dst = append(rawjson.AppendQuote(append(dst, `{"type":"text","text":`...), p.text), '}')
			continue
		}
		dst = rawjson.AppendQuote(append(dst, `{"type":"image","source":{"type":"base64","media_type":`...), p.image.MIMEType)
		dst = append(rawjson.AppendQuote(append(dst, `,"data":`...), p.image.Data), '}', '}')
	}
	if open {
		dst = append(dst, ']')
	}
	if failed {
		dst = append(dst, `,"is_error":true`...)
	}
	return append(dst, '}')
}

func geminiMessage(c Call, parts []part, r *protocol.CallToolResult) []byte {
	dst := []byte(`{"functionResponse":{`)
	if c.ID != "" {
		dst = append(rawjson.AppendQuote(append(dst, `"id":`...), c.ID), ',')
	}
	dst = rawjson.AppendQuote(append(dst, `"name":`...), c.Name)
	key := "output"
	if r.IsError {
		key = "error"
	}
	dst = append(rawjson.AppendQuote(append(dst, `,"response":{`...), key), ':')
	text, structured := joined(parts), strings.Trim(string(r.StructuredContent), " \t\r\n")
	if rawjson.Valid(structured) {
		dst = append(dst, structured...)
		if text != "" && !(rawjson.Valid(text) && same(strings.Trim(text, " \t\r\n"), structured)) {
			dst = rawjson.AppendQuote(append(dst, `,"text":`...), text)
		}
	} else {
		dst = rawjson.AppendQuote(dst, text)
	}
	dst = append(dst, '}')
	open := false
	for _, p := range parts {
		if p.image == nil {
			continue
		}
		if open {
			dst = append(dst, ',')
		} else {
			dst, open = append(dst, `,"parts":[`...), true
		}
		dst = rawjson.AppendQuote(append(dst, `{"inlineData":{"mimeType":`...), p.image.MIMEType)
		dst = append(rawjson.AppendQuote(append(dst, `,"data":`...), p.image.Data), '}', '}')
	}
	if open {
		dst = append(dst, ']')
	}
	return append(dst, '}', '}')
}
