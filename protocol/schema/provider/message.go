package provider

import (
	"slices"
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

// takesImage reports whether the provider accepts an image of that type in a result.
func (p Provider) takesImage(mimeType string) bool {
	switch p {
	case OpenAIResponses, Anthropic:
		return imagesOfMost.has(mimeType)
	case Gemini:
		return imagesOfGemini.has(mimeType)
	}
	return false
}

// Message returns the result of a call in the provider's form: a message with the role tool
// (OpenAI chat, Azure), an item function_call_output (OpenAI responses), a block tool_result
// (Anthropic), a part with functionResponse (Gemini). A block that it does not accept is in the
// list, and replaced by a text that says so. Structured content becomes a text too, unless
// one of the texts already contains it; for Gemini it is the output. OpenAI has no mark for a
// result that is an error: its text starts with "Error: ". A nil result counts as empty. Without
// an ID, which all but Gemini require, the message is "", with a Loss of the keyword id.
func (x *Exported) Message(c Call, r *protocol.CallToolResult) (protocol.Raw, []Loss) {
	if r == nil {
		r = &protocol.CallToolResult{}
	}
	if x.form().needsID && c.ID == "" {
		return "", []Loss{{Tool: c.Params.Name, Keyword: "id", Action: LeftOut}}
	}
	parts, lost := x.parts(c.Params.Name, r)
	var text string
	switch x.Provider {
	case OpenAIResponses:
		text = responsesMessage(c.ID, parts, r.IsError)
	case Anthropic:
		text = anthropicMessage(c.ID, parts, r.IsError)
	case Gemini:
		text = geminiMessage(c, parts, r)
	default:
		text = record("role", `"tool"`, "tool_call_id", quote(c.ID), "content", quote(marked(joined(parts), r.IsError)))
	}
	return protocol.Raw(text), lost
}

// parts returns the parts of a result for the provider.
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

// joined returns the texts joined by newlines.
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

func responsesMessage(id string, parts []part, failed bool) string {
	output := quote(marked(joined(parts), failed))
	if slices.ContainsFunc(parts, func(p part) bool { return p.image != nil }) {
		if failed {
			parts = append([]part{{text: "Error: "}}, parts...)
		}
		var items []string
		for _, p := range parts {
			if p.image == nil {
				items = append(items, record("type", `"input_text"`, "text", quote(p.text)))
			} else {
				items = append(items, record("type", `"input_image"`, "image_url", quote("data:"+p.image.MIMEType+";base64,"+p.image.Data)))
			}
		}
		output = listed(items)
	}
	return record("type", `"function_call_output"`, "call_id", quote(id), "output", output)
}

func anthropicMessage(id string, parts []part, failed bool) string {
	var items []string
	for _, p := range parts {
		switch {
		case p.image != nil:
			source := record("type", `"base64"`, "media_type", quote(p.image.MIMEType), "data", quote(p.image.Data))
			items = append(items, record("type", `"image"`, "source", source))
		case p.text != "": // which Anthropic refuses
			items = append(items, record("type", `"text"`, "text", quote(p.text)))
		}
	}
	content, isError := "", ""
	if items != nil {
		content = listed(items)
	}
	if failed {
		isError = "true"
	}
	return record("type", `"tool_result"`, "tool_use_id", quote(id), "content", content, "is_error", isError)
}

func geminiMessage(c Call, parts []part, r *protocol.CallToolResult) string {
	id, key, images := "", "output", ""
	if c.ID != "" {
		id = quote(c.ID)
	}
	if r.IsError {
		key = "error"
	}
	text, structured := joined(parts), strings.Trim(string(r.StructuredContent), " \t\r\n")
	response := record(key, quote(text))
	if rawjson.Valid(structured) {
		if text != "" && !(rawjson.Valid(text) && same(strings.Trim(text, " \t\r\n"), structured)) {
			text = quote(text)
		} else {
			text = ""
		}
		response = record(key, structured, "text", text)
	}
	var items []string
	for _, p := range parts {
		if p.image != nil {
			items = append(items, record("inlineData", record("mimeType", quote(p.image.MIMEType), "data", quote(p.image.Data))))
		}
	}
	if items != nil {
		images = listed(items)
	}
	return record("functionResponse", record("id", id, "name", quote(c.Name), "response", response, "parts", images))
}
