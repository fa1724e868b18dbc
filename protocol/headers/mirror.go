package headers

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Headers of a stateless request repeat parts of its body, so that proxies need not read it: the
// revision, the method, its subject, and arguments that the tool names for it. The
// body counts; a server refuses headers that differ from it (transports, Streamable HTTP;
// TRANS-202).

// The headers of stateless requests.
const (
	RPCMethod   = "Mcp-Method" // the method of the message (HTTP-202)
	RPCName     = "Mcp-Name"   // the tool, prompt or URI of the request
	ParamPrefix = "Mcp-Param-" // before the name that a tool has given an argument (HTTP-206)
)

// Param is a tool argument that a header repeats.
type Param struct {
	Header string   // the name of the header, with ParamPrefix
	Path   []string // the names of the properties that lead to it
}

// Bounds on reading a schema.
const (
	maxParams      = 64
	maxParamsDepth = 16
)

var (
	errParamName  = errors.New("headers: an x-mcp-header that is not a token, or that is there twice")
	errParamType  = errors.New("headers: an x-mcp-header of what is not an integer, string or boolean")
	errParamPlace = errors.New("headers: an x-mcp-header where properties do not lead")
	errParams     = errors.New("headers: more or deeper arguments in headers than " + strconv.Itoa(maxParams) + " and " + strconv.Itoa(maxParamsDepth))
)

// Params returns the arguments that the inputSchema of a tool wants repeated in headers, by its
// x-mcp-header annotations. The error says why a client drops the tool (TOOL-211, TOOL-212, TOOL-213).
func Params(inputSchema jsonrpc.Raw) ([]Param, error) {
	if !strings.Contains(string(inputSchema), annotation) && strings.IndexByte(string(inputSchema), '\\') < 0 {
		return nil, nil
	}
	var list []Param
	seen := 0
	if err := params(string(inputSchema), nil, &list, &seen); err != nil {
		return nil, err
	}
	if seen != count(string(inputSchema), 0) { // the others are where no argument can be
		return nil, errParamPlace
	}
	return list, nil
}

// annotation is the member of a schema that names a header.
const annotation = "x-mcp-header"

// params collects the annotations of the properties of a schema.
func params(schema string, path []string, list *[]Param, seen *int) error {
	properties, _ := rawjson.Get(schema, "properties")
	o, ok := rawjson.Members(properties)
	for ok {
		name, sub, more := o.Next()
		if !more {
			break
		}
		at := append(path[:len(path):len(path)], name)
		if len(at) > maxParamsDepth {
			return errParams
		}
		if val, has := rawjson.Get(sub, annotation); has {
			*seen++
			text, isText := rawjson.Unquote(val)
			if !isText || !token(text) {
				return errParamName
			}
			for _, p := range *list {
				if strings.EqualFold(p.Header, ParamPrefix+text) {
					return errParamName
				}
			}
			switch rawjson.Text(sub, "type") {
			case "integer", "string", "boolean":
			default:
				return errParamType
			}
			if *list = append(*list, Param{ParamPrefix + text, at}); len(*list) > maxParams {
				return errParams
			}
		}
		if err := params(sub, at, list, seen); err != nil {
			return err
		}
	}
	return nil
}

// maxSchemaDepth is the depth limit of a schema with annotations: each level is read again for the
// next one.
const maxSchemaDepth = 64

// count returns how many members of a schema are named x-mcp-header, at any depth; -1 if it is too deep.
func count(raw string, depth int) (n int) {
	if depth > maxSchemaDepth {
		return -1
	}
	if o, ok := rawjson.Members(raw); ok {
		for {
			key, val, more := o.Next()
			if !more {
				return n
			}
			if key == annotation {
				n++
			}
			below := count(val, depth+1)
			if below < 0 {
				return -1
			}
			n += below
		}
	}
	if a, ok := rawjson.Elements(raw); ok {
		for {
			val, more := a.Next()
			if !more {
				return n
			}
			below := count(val, depth+1)
			if below < 0 {
				return -1
			}
			n += below
		}
	}
	return n
}

func token(s string) bool {
	for i := range len(s) {
		if !tokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// form says how a header repeats a value of the body.
type form uint8

const (
	absent  form = iota // not in the body
	literal             // unchanged
	encoded             // unchanged, or in base64
	integer             // like encoded, in any notation of the number
)

// Mirror returns the headers that repeat parts of a stateless message. list are the Params of the tool
// that it calls.
func Mirror(m jsonrpc.Message, rev protocol.Revision, list []Param) []Field {
	fields := []Field{{Version, rev.String()}, {RPCMethod, m.Method}}
	if about, is := subject(m); is != absent {
		fields = append(fields, Field{RPCName, encode(about)})
	}
	for _, p := range list {
		if val, is := argument(m.Body, p.Path); is != absent {
			fields = append(fields, Field{p.Header, encode(val)})
		}
	}
	return fields
}

// Differs returns how the headers of a stateless request differ from its body, "" if they agree.
// version is the one in its envelope. values returns the values of a header, and params the Params of
// a tool, which is asked for if the request calls one (HTTP-203, HTTP-207).
func Differs(m jsonrpc.Message, version string, values func(name string) []string, params func(tool string) []Param) string {
	why := differs(values, Version, version, literal)
	if why == "" {
		why = differs(values, RPCMethod, m.Method, literal)
	}
	about, is := subject(m)
	if why == "" && is != absent { // a method without a subject accepts any name
		why = differs(values, RPCName, about, is)
	}
	if m.Method != protocol.MethodToolsCall {
		return why
	}
	for _, p := range params(about) {
		if why != "" {
			break
		}
		val, is := argument(m.Body, p.Path)
		why = differs(values, p.Header, val, is)
	}
	return why
}

// differs compares one header with the body.
func differs(values func(name string) []string, name, want string, is form) string {
	all := values(name)
	switch {
	case is == absent && len(all) == 0:
		return ""
	case is == absent:
		return name + " is not in the body"
	case len(all) == 0:
		return name + " is missing"
	}
	for _, v := range all {
		got, ok := trim(v), true
		if is != literal {
			got, ok = decode(got)
		}
		switch {
		case !ok || !plain(trim(v)):
			return name + " is malformed"
		case got != want && (is != integer || !sameInteger(got, want)):
			return name + " differs from the body"
		}
	}
	return ""
}

// sameInteger reports whether two texts are the same integer.
func sameInteger(a, b string) bool {
	m, ok := rawjson.Int(a)
	n, also := rawjson.Int(b)
	return ok && also && m == n
}

// subject returns what a header says the message is about: a tool, a prompt or a URI.
func subject(m jsonrpc.Message) (string, form) {
	member := ""
	switch m.Method {
	case protocol.MethodToolsCall, protocol.MethodPromptsGet:
		member = "name"
	case protocol.MethodResourcesRead:
		member = "uri"
	default:
		return "", absent
	}
	text, ok := rawjson.Unquote(string(protocol.MemberOf(m.Body, m.Span, member)))
	if !ok {
		return "", absent
	}
	return text, encoded
}

// argument returns the value of an argument in the form of a header; absent for null. A value that no
// schema with a header allows, such as a list, is its JSON: it is a fault of the arguments, not of the
// headers.
func argument(body jsonrpc.Raw, path []string) (string, form) {
	val, ok := rawjson.Get(string(body), "arguments")
	for _, name := range path {
		if !ok {
			return "", absent
		}
		val, ok = rawjson.Get(val, name)
	}
	if !ok || val == "null" {
		return "", absent
	}
	if text, ok := rawjson.Unquote(val); ok {
		return text, encoded
	}
	if n, ok := rawjson.Int(val); ok {
		return strconv.FormatInt(n, 10), integer
	}
	return val, encoded
}

const (
	sentinel    = "=?base64?"
	sentinelEnd = "?="
)

// encode returns a text as the value of a header: unchanged or, if a header cannot carry it, in
// base64 (HTTP-205).
func encode(s string) string {
	if plain(s) && !strings.Contains(s, "\t") && s == trim(s) && !strings.HasPrefix(strings.ToLower(s), sentinel) {
		return s
	}
	return sentinel + base64.StdEncoding.EncodeToString([]byte(s)) + sentinelEnd
}

// plain reports whether the value of a header has only bytes that the page of the transport
// allows: visible ASCII, spaces and tabs.
func plain(s string) bool {
	return all(s, func(c byte) bool { return c == ' ' || c == '\t' || visible(c) })
}

// decode returns the text of a header; false for invalid base64.
func decode(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, sentinel)
	if !ok {
		return s, true
	}
	if rest, ok = strings.CutSuffix(rest, sentinelEnd); !ok {
		return s, true // it only looks encoded
	}
	text, err := base64.StdEncoding.Strict().DecodeString(rest)
	return string(text), err == nil
}
