package protocol

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// samplingTerms: what the answer is held against is whether the model may, has to or must
// not use tools (sampling, Tools). Tools need a client that takes them, and a conversation
// that an older revision cannot express stays here.
func samplingTerms(r *Row, a Asked) (t Terms) {
	params := string(a.Params)
	if r.of.age.in(ages{since: age20251125}) {
		if t.Err = checkToolUse(params); t.Err != nil {
			return t
		}
		tools, _ := rawjson.Get(params, "tools")
		choice, _ := rawjson.Get(params, "toolChoice")
		if given(tools) || given(choice) {
			t.Needs, t.Lacking = CapSamplingTools, "SAMP-104"
			mode := rawjson.Text(choice, "mode")
			if t.Subject = mode; t.Subject == "" {
				t.Subject = string(ToolChoiceAuto)
			}
		}
	} else if !a.Received {
		t.Err = r.representable(BodyParams, a.Params)
	}
	if scope := rawjson.Text(params, "includeContext"); scope != "" && IncludeContext(scope) != IncludeNone && r.of.age.in(ages{since: age20251125}) && !a.Caps.Has(CapSamplingContext) {
		if t.Rule = "SAMP-105"; a.Received {
			t.Rule = "SAMP-106"
		}
	}
	return t
}

// checkToolUse is CheckToolUse for the text of params (SAMP-113, SAMP-115). Most have
// nothing to do with tools, which their letters show.
func checkToolUse(params string) error {
	if !strings.Contains(params, "tool_") && !strings.Contains(params, `\u`) {
		return nil
	}
	var p CreateMessageParams
	if err := p.DecodeJSON(Raw(params), jsonrpc.Span{}); err != nil {
		return err
	}
	return CheckToolUse(p.Messages)
}

func possibleSampling(_ *Row, subject string, _ bool) bool { return ToolChoiceMode(subject).Valid() }

var errUnaskedTool = errors.New("the result uses a tool, but the request offered none")

// acceptSample checks that a model uses tools where it was given some.
func acceptSample(r *Row, a Reply) Reply {
	uses := usesTool(a.Body)
	switch mode := ToolChoiceMode(a.Subject); {
	case uses && mode == "":
		a.Rule, a.Err = "SAMP-117", errUnaskedTool
	case mode == ToolChoiceRequired && !uses, mode == ToolChoiceNone && uses:
		a.find("SAMP-118") // the fault of the model
	}
	return a
}

// completeSample is acceptSample for an answer that goes out, which has to be one that the
// revision can express.
func completeSample(r *Row, a Reply) Reply {
	if a.Err = r.representable(BodyResult, a.Body); a.Err != nil {
		return a
	}
	return acceptSample(r, a)
}

// usesTool reports whether a model wants to use a tool.
func usesTool(result Raw) bool {
	content, _ := rawjson.Get(string(result), "content")
	if !given(content) || content[0] != '[' {
		return isToolUse(content)
	}
	blocks, _ := rawjson.Elements(content)
	for val := range blocks.All {
		if isToolUse(val) {
			return true
		}
	}
	return false
}

func isToolUse(block string) bool { return rawjson.Text(block, "type") == ContentToolUse }
