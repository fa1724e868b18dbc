package nethttp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// A client without a session makes a request again to answer what its result has asked, with the requestState of
// that. Where the Companion that gave the state lives in its process, the state says which one that is, and whatever
// process gets the request passes it on. It is encrypted, for addresses of processes are no client's business, and so
// that nobody else can name one.

// stateMember is the member of a result and of the params that has the state.
const stateMember = "requestState"

// retryWithin is for how long a state says where it belongs.
const retryWithin = 24 * time.Hour

// issued is a requestState, and the process that it belongs to.
type issued struct {
	Process string `json:"process"` // its Handler.id
	URL     string `json:"url"`     // its Options.Internal.URL
	At      int64  `json:"at"`      // Unix time in seconds
	State   string `json:"state"`
}

// id returns the name of this Handler, which it has for as long as it runs. A lease begins another tenure, and ends no call of a client without
// a session.
func (h *Handler) id() string { return strconv.FormatUint(h.process, 36) }

// retries reports whether states say where they belong.
func (h *Handler) retries() bool { return h.opt.Internal.URL != "" && h.opt.Companion != nil }

// issue says in the states of the results that ask something that they belong to this process, and to a principal.
func (h *Handler) issue(out *server.Output, principal string) {
	for i := range out.Send {
		m := &out.Send[i].Message
		if m.Kind != jsonrpc.KindResult {
			continue
		}
		quoted, _ := rawjson.Get(string(m.Body), stateMember)
		state, is := rawjson.Unquote(quoted)
		if !is || rawjson.Text(string(m.Body), "resultType") != protocol.ResultInputRequired {
			continue
		}
		text, err := json.Marshal(issued{h.id(), h.opt.Internal.URL, time.Now().Unix(), state})
		if err != nil {
			continue // no struct of texts and numbers
		}
		out.Send = slices.Clone(out.Send)
		sealed := base64.RawURLEncoding.EncodeToString(h.internal.states.Seal(nil, nil, text, []byte(principal)))
		out.Send[i].Message = restated(*m, sealed)
	}
}

// restated returns a message with another requestState.
func restated(m jsonrpc.Message, state string) jsonrpc.Message {
	m.Body = jsonrpc.Raw(rawjson.Set(string(m.Body), stateMember, string(rawjson.AppendQuote(nil, state))))
	m.Span = jsonrpc.Span{}
	return m
}

// issuedState returns the state of a request and where it belongs; false if it has none that a process with the key has
// issued to the principal.
func (h *Handler) issuedState(m jsonrpc.Message, principal string) (at issued, ok bool) {
	quoted, _ := rawjson.Get(string(m.Body), stateMember)
	sealed, _ := rawjson.Unquote(quoted)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(raw) < h.internal.states.Overhead() {
		return at, false
	}
	text, err := h.internal.states.Open(nil, nil, raw, []byte(principal))
	if err != nil || json.Unmarshal(text, &at) != nil {
		return at, false
	}
	return at, time.Since(time.Unix(at.At, 0)) < retryWithin
}

// replies asks a process that a request was passed on to whether it answers another one; known is false if it does not.
func (h *Handler) replies(ctx context.Context, to cluster.Entry) (gone, known bool) {
	ctx, cancel := context.WithTimeout(ctx, h.opt.Lease/3)
	defer cancel()
	r, err := h.internal.request(ctx, to.Address, nil, ticket{To: to.Process, Method: http.MethodHead, Known: h.opt.Authenticate != nil})
	if err != nil {
		return false, false
	}
	resp, err := h.internal.transport.RoundTrip(r)
	if err != nil {
		return false, false
	}
	_ = resp.Body.Close()
	return false, resp.StatusCode == http.StatusNoContent
}
