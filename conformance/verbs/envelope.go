package verbs

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Envelope adapts a script of a session to a revision without one. The peer's requests get
// the envelope that they need there, its results their type; and from the machine's messages it removes
// what the revision adds, so that the expected lines are the same. A missing addition stays
// visible: a result without its stamp, or a request without its envelope,
// becomes one of the method "nothing of the revision".
//
// Ping does not exist there. server/discover replaces it, which a machine also answers by itself.
type Envelope struct {
	Revision protocol.Revision       // without a handshake
	Role     protocol.Party          // of the machine under test
	Self     protocol.Implementation // its info
	Peer     string                  // the capabilities of the peer
}

// lacking is the method of a message without the revision's additions.
const lacking = "nothing of the revision"

const (
	metaVersion = "io.modelcontextprotocol/protocolVersion"
	metaCaps    = "io.modelcontextprotocol/clientCapabilities"
	metaClient  = "io.modelcontextprotocol/clientInfo"
	typed       = `"resultType":"complete"`
	uncached    = `,"ttlMs":0,"cacheScope":"private"`
)

// members returns the envelope for three cases: a request with a _meta, without one, and without params.
func (e *Envelope) members() (beside, alone, bare string) {
	version, caps := `"`+metaVersion+`":"`+e.Revision.String()+`"`, `"`+metaCaps+`":`+e.Peer
	return caps + "," + version, version + "," + caps, `"` + metaClient + `":{"name":"peer","version":"1"},` + version + "," + caps
}

// In returns the peer's message in the form of this revision. A text that is neither a request nor a result, or
// whose params or _meta are invalid, is unchanged.
func (e *Envelope) In(text string) string {
	m := jsonrpc.DecodeString(text)
	switch {
	case m.Kind == jsonrpc.KindRequest && e.Role == protocol.Server:
		return e.request(text, &m)
	case m.Kind == jsonrpc.KindResult && e.Role == protocol.Client:
		result, _ := rawjson.Get(text, "result")
		if _, given := rawjson.Get(result, "resultType"); given {
			return text
		}
		if result == "{}" {
			return rawjson.Set(text, "result", e.discovered())
		}
		return rawjson.Set(text, "result", first(result, typed))
	}
	return text
}

// discovered is the answer to a ping.
func (e *Envelope) discovered() string {
	return "{" + typed + `,"supportedVersions":["` + e.Revision.String() + `"],"capabilities":{}}`
}

// Verb returns the application's verb in the form of this revision.
func (e *Envelope) Verb(v Verb) Verb {
	switch p := v.Params.(type) {
	case protocol.PingParams:
		v.Params = protocol.DiscoverParams(p)
	case protocol.RawRequest:
		if p.Name == protocol.MethodPing {
			v.Params = protocol.RawRequest{Name: protocol.MethodDiscover, Body: p.Body}
		}
	}
	return v
}

func (e *Envelope) request(text string, m *jsonrpc.Message) string {
	beside, alone, bare := e.members()
	if m.Method == protocol.MethodPing {
		text = rawjson.Set(text, "method", `"`+protocol.MethodDiscover+`"`)
	}
	params, given := rawjson.Get(text, "params")
	if !given || params == "null" {
		return rawjson.Set(text, "params", `{"_meta":{`+bare+`}}`)
	}
	meta, given := rawjson.Get(params, "_meta")
	switch _, object := rawjson.Members(meta); {
	case params[0] != '{' || given && !object:
		return text
	case !given:
		return rawjson.Set(text, "params", rawjson.Set(params, "_meta", "{"+alone+"}"))
	}
	return rawjson.Set(text, "params", rawjson.Set(params, "_meta", first(meta, beside)))
}

// first returns an object with other members before its own.
func first(object, more string) string {
	rest := object[rawjson.Space(object, 0)+1:]
	if rest[rawjson.Space(rest, 0)] == '}' {
		return "{" + more + rest
	}
	return "{" + more + "," + rest
}

// without removes the members that first added; ok is false if they are missing.
func without(object, more string) (string, bool) {
	rest, ok := strings.CutPrefix(object, "{"+more)
	return "{" + strings.TrimPrefix(rest, ","), ok
}

// Out returns the machine's Output in the form of a session.
func (e *Envelope) Out(out lifecycle.Output) lifecycle.Output {
	for i := range out.Send {
		switch m := &out.Send[i].Message; {
		case m.Kind == jsonrpc.KindResult && e.Role == protocol.Server:
			m.Body = e.unstamped(m.Body)
		case m.Kind == jsonrpc.KindRequest && e.Role == protocol.Client:
			m.Body = e.unwrapped(m.Body)
			if m.Method == protocol.MethodDiscover {
				m.Method = protocol.MethodPing
			}
		default:
			continue
		}
		if m := &out.Send[i].Message; m.Body == lacking {
			m.Kind, m.Method, m.Body = jsonrpc.KindRequest, lacking, ""
		}
	}
	for i := range out.Events {
		ev := &out.Events[i]
		switch ev.Kind {
		case lifecycle.RequestReceived:
			ev.Body = e.unwrappedEvent(ev.Body)
		case lifecycle.ResponseReceived:
			if body, ok := without(string(ev.Body), typed); string(ev.Body) == e.discovered() {
				ev.Body = "{}"
			} else if ok {
				ev.Body = jsonrpc.Raw(body)
			}
		}
		if ev.Method == protocol.MethodDiscover {
			ev.Method = protocol.MethodPing
		}
	}
	return out
}

// unstamped removes the additions to each result of a server. One with questions keeps its type.
func (e *Envelope) unstamped(body jsonrpc.Raw) jsonrpc.Raw {
	meta, _ := rawjson.Get(string(body), "_meta")
	rest, ok := strings.CutPrefix(string(body), "{"+typed)
	info, named := rawjson.Get(meta, protocol.MetaServerInfo)
	switch asks := strings.HasPrefix(string(body), `{"resultType":"input_required"`); {
	case !ok && !asks, !named, info != string(e.Self.AppendJSON(nil)):
		return lacking
	case asks:
		rest = string(body)
	default:
		rest = "{" + strings.TrimPrefix(strings.TrimPrefix(rest, uncached), ",")
	}
	if meta = rawjson.Set(meta, protocol.MetaServerInfo, ""); meta == "{}" {
		meta = ""
	}
	if _, discovered := rawjson.Get(rest, "supportedVersions"); discovered {
		return "{}"
	}
	return jsonrpc.Raw(rawjson.Set(rest, "_meta", meta))
}

// unwrapped removes the envelope of a request of a client.
func (e *Envelope) unwrapped(body jsonrpc.Raw) jsonrpc.Raw {
	meta, _ := rawjson.Get(string(body), "_meta")
	version, _ := rawjson.Get(meta, metaVersion)
	caps, _ := rawjson.Get(meta, metaCaps)
	info, _ := rawjson.Get(meta, metaClient)
	if version != `"`+e.Revision.String()+`"` || !strings.HasPrefix(caps, "{") || info != string(e.Self.AppendJSON(nil)) {
		return lacking
	}
	for _, name := range []string{metaVersion, metaCaps, metaClient} {
		meta = rawjson.Set(meta, name, "")
	}
	if meta == "{}" {
		meta = ""
	}
	if body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta)); body == "{}" {
		return ""
	}
	return body
}

// unwrappedEvent removes what In has added to a request.
func (e *Envelope) unwrappedEvent(body jsonrpc.Raw) jsonrpc.Raw {
	beside, alone, bare := e.members()
	meta, _ := rawjson.Get(string(body), "_meta")
	switch own, had := without(meta, beside); {
	case body == jsonrpc.Raw(`{"_meta":{`+bare+`}}`):
		return ""
	case had:
		return jsonrpc.Raw(rawjson.Set(string(body), "_meta", own))
	case meta == "{"+alone+"}":
		return jsonrpc.Raw(rawjson.Set(string(body), "_meta", ""))
	}
	return body
}
