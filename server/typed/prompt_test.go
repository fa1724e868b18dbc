package typed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

type review struct {
	Code  string    `json:"code" doc:"What to read."`
	Lines int       `json:"lines" schema:"min=1,default=10,title=How many"`
	Loud  *bool     `json:"loud"`
	Since time.Time `json:"since,omitzero"`
}

// Arguments of prompts are texts, and are read as their fields are.
func TestPrompt(t *testing.T) {
	h := new(server.Handlers)
	typed.Prompt(h, protocol.Prompt{Name: "review"}, func(_ context.Context, _ server.Caller, in review) (*protocol.GetPromptResult, error) {
		if in.Code == "" {
			return nil, errors.New("secret")
		}
		loud := "?"
		if in.Loud != nil {
			loud = fmt.Sprint(*in.Loud)
		}
		text := fmt.Sprint(in.Code, " ", in.Lines, " ", loud, " ", in.Since.Year())
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: protocol.RoleUser, Content: protocol.TextContent(text)}}}, nil
	})
	typed.Prompt(h, protocol.Prompt{Name: "own", Arguments: []protocol.PromptArgument{}}, func(context.Context, server.Caller, none) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{}, nil
	})
	s := open(t, h)
	message := func(text string) string {
		return `"result":{"messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}]}}`
	}
	fault := func(why string) string {
		return `"error":{"code":-32602,"message":"invalid arguments","data":{"reason":"` + why + `"}}}`
	}
	for arguments, want := range map[string]string{
		`{"code":"7"}`: message(`7 10 ? 1`),
		`{"code":"\"","lines":"2","loud":"true"}`:     message(`\" 2 true 1`),
		`{"code":"x","since":"2026-01-01T00:00:00Z"}`: message(`x 10 ? 2026`),
		`{"code":"x","lines":"0"}`:                    fault(`schema: the value at \"/lines\" fails minimum`),
		`{"code":"x","lines":"two","loud":"TRUE"}`:    fault(`\"/lines\" is not an integer but a string; \"/loud\" is not a boolean but a string`),
		`{"code":"x","Lines":"2"}`:                    fault(`\"/Lines\" is not expected (allowed: \"code\", \"lines\", \"loud\", \"since\")`),
		`{"code":""}`:                                 `"error":{"code":-32603,"message":"internal error"}}`,
	} {
		if got := ask(t, h, s, "prompts/get", `{"name":"review","arguments":`+arguments+`}`); got != `{"jsonrpc":"2.0","id":7,`+want {
			t.Errorf("%s: %s", arguments, got)
		}
	}
	const want = `{"jsonrpc":"2.0","id":7,"result":{"prompts":[{"name":"own","arguments":[]},{"name":"review","arguments":[{"name":"code","description":"What to read.","required":true},{"name":"lines","title":"How many"},{"name":"loud"},{"name":"since"}]}]}}`
	if got := ask(t, h, s, "prompts/list", `{}`); got != want {
		t.Errorf("%s", got)
	}
}

type place struct {
	ID   uint64         `json:"id" schema:"max=99"`
	Path []string       `json:"path,omitzero" schema:"items.minLength=1"`
	Q    map[string]int `json:"q,omitzero"`
	On   *bool          `json:"on"`
	Two  *[2]float64    `json:"two"`
}

// Variables of a template are read as their fields are; a uri that does not fit is that of no
// resource.
func TestTemplate(t *testing.T) {
	h := new(server.Handlers)
	typed.Template(h, protocol.ResourceTemplate{Name: "p", URITemplate: "x://{id}{/path*}{?on,two}{&q*}"},
		func(_ context.Context, _ server.Caller, uri string, in place) (*protocol.ReadResourceResult, error) {
			text := fmt.Sprintf("%d%v%v%t%t", in.ID, in.Path, in.Q, in.On != nil && *in.On, in.Two != nil)
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(uri, "", text)}}, nil
		})
	s := open(t, h)
	for uri, want := range map[string]string{
		`x://7`:                    `7[]map[]falsefalse`,
		`x://7/a/b?on=true`:        `7[a b]map[]truefalse`,
		`x://7/a`:                  `7[a]map[]falsefalse`,
		`x://7?two=1,2`:            `7[]map[]falsetrue`,
		`x://7?on=false&z=1&y=2`:   `7[]map[y:2 z:1]falsefalse`,
		`x://100`:                  ``,
		`x://-1`:                   ``,
		`x://seven`:                ``,
		`x://7?on=maybe`:           ``,
		`x://7?two=1,2,3`:          ``,
		`x://7?on=true&z=a`:        ``,
		`x://18446744073709551616`: ``,
	} {
		result := `"result":{"contents":[{"uri":"` + uri + `","text":"` + want + `"}]}}`
		if want == "" {
			result = `"error":{"code":-32002,"message":"resource not found","data":{"uri":"` + uri + `"}}}`
		}
		if got := ask(t, h, s, "resources/read", `{"uri":"`+uri+`"}`); got != `{"jsonrpc":"2.0","id":7,`+result {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
