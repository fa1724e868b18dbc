package protocol

import "strings"

// Content is a block of content of any type: the ContentBlock of the schema. One
// struct serves them all; Type says which fields count. A block of a type that
// this package does not know is kept whole in Raw, and written back byte for
// byte.
//
//sansmcp:schema ContentBlock
type Content struct {
	// Type is ContentText, ContentImage, ContentAudio, ContentLink,
	// ContentEmbedded, ContentToolUse, ContentToolResult, or another one.
	Type string
	// Text is the text (ContentText).
	Text string
	// Media is the image or the sound (ContentImage, ContentAudio).
	Media *Media
	// Link is the resource linked to (ContentLink). The annotations and _meta of
	// the block are those of the resource; the two fields below do not count.
	Link *Resource `mcp:"inline"`
	// Resource is the embedded resource (ContentEmbedded).
	Resource *ResourceContents `json:"resource"`
	// ToolUse is the call that a model makes (ContentToolUse, in sampling only).
	ToolUse *ToolUse
	// ToolResult is the result of such a call (ContentToolResult, in sampling only).
	ToolResult *ToolResult `mcp:"inline"`
	// Annotations tell how to use the block.
	Annotations *Annotations `json:"annotations,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
	// Raw is the whole block, if this package does not know its type.
	Raw Raw
}

// The types of content.
const (
	ContentText     = "text"
	ContentImage    = "image"
	ContentAudio    = "audio"         //sansmcp:schema AudioContent since:"2025-03-26"
	ContentLink     = "resource_link" //sansmcp:schema ResourceLink since:"2025-06-18"
	ContentEmbedded = "resource"

	ContentToolUse    = "tool_use"    //sansmcp:schema ToolUseContent since:"2025-11-25"
	ContentToolResult = "tool_result" //sansmcp:schema ToolResultContent since:"2025-11-25"
)

// Media is the data of an image or a sound.
type Media struct {
	// Data is the data in base64.
	Data string
	// MIMEType is its MIME type.
	MIMEType string
}

// Bytes returns the data, decoded. ok is false if Data is not base64.
func (m Media) Bytes() (data []byte, ok bool) { return decodeBase64(m.Data) }

// ResourceContents is the contents of a resource: the TextResourceContents or,
// with Blob, the BlobResourceContents of the schema (SCHEMA-017).
type ResourceContents struct {
	// URI identifies the resource.
	URI string
	// MIMEType is the MIME type, if known.
	MIMEType string `json:"mimeType,omitzero"`
	// Text is the text of a resource that is text.
	Text string `json:"text,omitzero"`
	// Blob is the data in base64 of a resource that is not; nil for text.
	Blob *string `json:"blob,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// Bytes returns the contents: the text as it is, the blob decoded. ok is false
// if the blob is not base64.
func (v ResourceContents) Bytes() (data []byte, ok bool) {
	if v.Blob == nil {
		return []byte(v.Text), true
	}
	return decodeBase64(*v.Blob)
}

// TextContent returns a text block.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// TextOf returns the texts of the blocks that are text, joined by newlines.
func TextOf(blocks []Content) string {
	var list []string
	for _, b := range blocks {
		if b.Type == ContentText {
			list = append(list, b.Text)
		}
	}
	return strings.Join(list, "\n")
}

// ImageContent returns an image block with data in base64.
func ImageContent(mimeType string, data []byte) Content {
	return Content{Type: ContentImage, Media: &Media{Data: encodeBase64(data), MIMEType: mimeType}}
}

// AudioContent returns an audio block with data in base64.
func AudioContent(mimeType string, data []byte) Content {
	return Content{Type: ContentAudio, Media: &Media{Data: encodeBase64(data), MIMEType: mimeType}}
}

// LinkContent returns a block that links to a resource.
func LinkContent(r Resource) Content { return Content{Type: ContentLink, Link: &r} }

// EmbeddedContent returns a block that holds the contents of a resource.
func EmbeddedContent(c ResourceContents) Content {
	return Content{Type: ContentEmbedded, Resource: &c}
}

// TextResource returns the contents of a resource that is text. mimeType may be
// empty.
func TextResource(uri, mimeType, text string) ResourceContents {
	return ResourceContents{URI: uri, MIMEType: mimeType, Text: text}
}

// BlobResource returns the contents of a resource that is not text, with data in
// base64. mimeType may be empty (RES-009).
func BlobResource(uri, mimeType string, data []byte) ResourceContents {
	blob := encodeBase64(data)
	return ResourceContents{URI: uri, MIMEType: mimeType, Blob: &blob}
}
