package protocol

import (
	"cmp"
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// possibleTool: of a call that is received the server keeps the name, if it checks the
// result.
func possibleTool(_ *Row, subject string, received bool) bool {
	return received || rawjson.Valid(subject)
}

// acceptToolResult checks structured content against the output schema that the caller
// gave (tools, Output Schema). A revision without structured content has no promise to
// break.
func acceptToolResult(r *Row, a Reply) Reply {
	if a.Subject == "" || a.Info.Failed || !r.Revision().Structured() {
		return a
	}
	if a.Info.Structured == "" {
		a.Rule, a.Err = "TOOL-029", errNotStructured
		return a
	}
	// TOOL-205
	err := a.Schemas.Validate(Raw(a.Subject), a.Info.Structured)
	if err == nil {
		return a
	}
	var f schema.Fault
	if errors.As(err, &f) && f.Keyword == schema.KeywordSchema {
		a.Found = append(a.Found, Finding{Rule: "TOOL-028", Local: err}) // a schema that cannot be used says nothing of the result
		return a
	}
	a.Rule, a.Err = "TOOL-028", err
	return a
}

var errNotStructured = errors.New("the result lacks the structured content that the output schema of its tool requires")

// completeToolResult twins structured content in a text block where there is no other
// content (tools, Structured Content; TOOL-025, TOOL-206).
func completeToolResult(_ *Row, a Reply) Reply {
	if a.Info.Bare && a.Info.Structured != "" {
		block := TextContent(string(a.Info.Structured)).AppendJSON([]byte{'['})
		a.Body = Raw(rawjson.Set(string(a.Body), "content", string(append(block, ']'))))
	}
	return a
}

// readCallToolResult checks a result without building it.
func readCallToolResult(raw Raw, span jsonrpc.Span, a age) (info ResultInfo, err error) {
	const typ = "CallToolResult"
	var content, structured, failed, meta string
	var m Meta
	err = scan(typ, raw, span, want{"content", &content}, want{"structuredContent", &structured}, want{"isError", &failed}, want{"_meta", &meta})
	if err == nil {
		err = info.readContent(content, a)
	}
	if structured == "null" && a.takes(age20260728) {
		info.Structured = "null" // a value here
	}
	return info, cmp.Or(
		err,
		fault(typ, "structuredContent", setAny(&info.Structured, structured, false, a.takes(age20260728))),
		fault(typ, "isError", setBool(&info.Failed, failed)),
		fault(typ, "_meta", setMeta(&m, meta)),
	)
}

func (info *ResultInfo) readContent(raw string, a age) error {
	const typ = "CallToolResult"
	if !given(raw) {
		return fault(typ, "content", lack(raw, true))
	}
	if plainTexts(raw) > 0 {
		return nil
	}
	var blocks rawjson.Array
	blocks.Open(raw)
	n := 0
	for val := range blocks.All {
		var block Content
		if err := block.read(Raw(val), jsonrpc.Span{}, mode{age: a, place: ordinary, skim: true}); err != nil {
			return within(typ, item("content", n), err)
		}
		n++
		info.Unknown = info.Unknown || block.unknown()
		info.Embeds = info.Embeds || block.Type == ContentEmbedded
	}
	if blocks.Bad() {
		return fault(typ, "content", ReasonType)
	}
	info.Bare = n == 0
	return nil
}
