package protocol

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

var (
	errNil     = errors.New("nil params or result")
	errNotJSON = errors.New("not a JSON object")

	errCodeZero = errors.New("error code 0")
	errData     = errors.New("error data is not JSON")
)

type validator interface{ Validate() error }

// Encoding says how bodies go out.
type Encoding struct {
	KeepNulls bool // raw bodies keep each null that stands in place of an optional member
	Loose     bool // raw bodies are not checked against their type, nor mended
	// Head is how a result of a tool begins that was built here and has no _meta: an object without
	// its last brace; "" for as it is. What is put in front of a body afterwards costs a copy of it.
	Head string
}

// EncodeParams returns the JSON of params of the method, "" for empty ones, and what
// dispatch needs to know of them. Raw params are checked against the type of the method,
// typed ones to be valid.
func (r *Row) EncodeParams(p Params, how Encoding) (Raw, ParamsInfo, error) {
	if p, ok := p.(RawRequest); ok && p.Decoded && how.Loose {
		if p.Body != "" && !isObject(p.Body) { // params may also be an array
			return "", ParamsInfo{}, errNotJSON
		}
		if p.read && r.Setting == SettingNone { // nothing else is kept of them
			return p.Body, ParamsInfo{Meta: p.meta}, nil
		}
		info, err := r.LooseParams(p.Body, p.Span)
		return p.Body, info, err
	}
	raw, err := EncodeParams(p)
	if err != nil {
		return "", ParamsInfo{}, err
	}
	if index, info := paramsOf(p); index == r.index && index != 0 {
		return raw, info, nil
	}
	info, err := r.LooseParams(raw, jsonrpc.Span{}) // of a relay, they may be those of its own peer
	if err != nil || how.Loose {
		return raw, info, err
	}
	if info, err = r.readSent(raw); err == nil && !how.KeepNulls {
		if mended := r.WithoutNulls(BodyParams, raw); mended != raw {
			raw = mended
			info, err = r.readSent(raw)
		}
	}
	return raw, info, err
}

// Prepared are params that may go out, not yet encoded.
type Prepared struct {
	Info  ParamsInfo // what dispatch needs to know of them
	raw   Raw
	typed Params
}

// Body returns the JSON of the params, "" for empty ones.
func (p Prepared) Body() Raw {
	if p.typed == nil {
		return p.raw
	}
	raw := Raw(p.typed.AppendJSON(make([]byte, 0, 256)))
	if raw == "{}" {
		return ""
	}
	return raw
}

// PrepareParams is EncodeParams that leaves it to the caller whether to encode.
func (r *Row) PrepareParams(p Params, how Encoding) (Prepared, error) {
	if index, info := typedParams(p); index == r.index && index != 0 {
		if v, ok := p.(validator); ok {
			if err := v.Validate(); err != nil {
				return Prepared{}, err
			}
		}
		return Prepared{Info: info, typed: p}, nil
	}
	raw, info, err := r.EncodeParams(p, how)
	return Prepared{Info: info, raw: raw}, err
}

// typedParams is paramsOf for a pointer that may be nil, whose method is unknown.
func typedParams(p Params) (index uint8, info ParamsInfo) {
	defer func() {
		if recover() != nil {
			index = 0
		}
	}()
	return paramsOf(p)
}

// SubjectOf returns the name, uri or level that params of the method are about; "" for none, and for
// params that are not JSON.
func (r *Row) SubjectOf(p Params) string {
	index, info := typedParams(p)
	if index != r.index || index == 0 {
		raw, err := EncodeParams(p)
		if err != nil {
			return ""
		}
		info, _ = r.LooseParams(raw, jsonrpc.Span{})
	}
	return info.Subject
}

// Encoded is a result as it goes out.
type Encoded struct {
	Body Raw        // the result
	Info ResultInfo // what it is, as far as it was built here or is a tool's
	// Common says that every revision has all that is in Body, which needs no Downgrade.
	Common bool
	// Headed says that Body begins with Encoding.Head.
	Headed bool
	// Found are the requirement rows that it breaks and goes out all the same.
	Found []Finding
}

// EncodeResult returns a result of the method as it goes out, held against its Terms. Raw
// results are checked against the type of the method, typed ones to be valid.
func (r *Row) EncodeResult(result Result, subject string, how Encoding) (e Encoded, err error) {
	if raw, ok := result.(DecodedResult); ok && how.Loose {
		if !isObject(Raw(raw)) {
			return e, errNotJSON
		}
		e.Body = Raw(raw)
		return e, nil
	}
	if tool, ok := asToolResult(result); ok && r.structured {
		err = encodeToolResult(tool, how.Head, &e)
		if e.Info.Structured == "null" && r.of.handshake { // none in a session
			e.Body = r.WithoutNulls(BodyResult, e.Body)
		}
		if err != nil || !e.Info.Bare { // nothing is to be completed
			return e, err
		}
	} else {
		e.Body, err = EncodeResult(result)
		if err == nil && !how.Loose && resultOf(result) != r.index {
			e.Info, err = r.readSentResult(e.Body)
			if err == nil && !how.KeepNulls {
				e.Body = r.WithoutNulls(BodyResult, e.Body)
			}
		}
	}
	if err == nil && !how.Loose && r.Cached {
		e.Body, err = r.cacheOf(result, e.Body)
	}
	if err == nil && !how.Loose && r.complete != nil {
		a := r.complete(r, Reply{Subject: subject, Body: e.Body, Info: e.Info})
		e.Body, e.Info, e.Found, err = a.Body, a.Info, a.Found, a.Err
	}
	return e, err
}

// cacheOf is Put for a result that was encoded with its Cache, or that has members of its own that say the same.
func (r *Row) cacheOf(result Result, body Raw) (Raw, error) {
	if !r.Revision().Stateless() {
		return body, nil
	}
	var c Cache
	switch result := result.(type) {
	case ReadResourceResult:
		c = result.Cache
	case *ReadResourceResult:
		c = result.Cache
	default:
		ttl, _ := rawjson.Get(string(body), "ttlMs")
		scope, _ := rawjson.Get(string(body), "cacheScope")
		var ms int64
		var name string
		if setInt(&ms, ttl, false) != 0 || ms < 0 || setString(&name, scope, false) != 0 || name != "" && !CacheScope(name).Valid() {
			return "", errCache
		}
		return body, nil
	}
	return c.Put(body), c.Validate()
}

// EncodeParams returns the JSON of params, "" for empty ones. Raw params are
// checked to be an object, typed ones to be valid.
func EncodeParams(p Params) (Raw, error) {
	switch p := p.(type) {
	case nil:
		return "", errNil
	case RawRequest:
		if p.Body == "" {
			return "", nil
		}
		return p.Body, verifyRaw(p.Body)
	case CallToolParams:
		return encodeCall(&p)
	case *CallToolParams:
		if p == nil {
			return "", errNil
		}
		return encodeCall(p)
	}
	raw, err := encode(p)
	if raw == "{}" {
		raw = ""
	}
	return raw, err
}

// EncodeResult returns the JSON of a result. A Raw one is checked to be an object,
// a typed one to be valid.
func EncodeResult(r Result) (Raw, error) {
	switch r := r.(type) {
	case nil:
		return "", errNil
	case Raw:
		return r, verifyRaw(r)
	case DecodedResult:
		return Raw(r), verifyRaw(Raw(r))
	case EmptyResult:
		if r.Meta == "" {
			return "{}", nil
		}
	}
	if tool, ok := asToolResult(r); ok {
		var e Encoded
		err := encodeToolResult(tool, "", &e)
		return e.Body, err
	}
	switch r := r.(type) {
	case ReadResourceResult:
		return encodeRead(&r)
	case *ReadResourceResult:
		return encodeRead(r)
	}
	return encode(r)
}

// CheckError returns an error for an Error that must not be sent: code 0 means
// nothing, data has to be JSON, and, unless enc is Loose, CodeURLElicitationRequired has
// the data of URLElicitationRequired.
func CheckError(e jsonrpc.Error, enc Encoding) error {
	switch {
	case e.Code == 0:
		return errCodeZero
	case e.Data != "" && !rawjson.Valid(string(e.Data)):
		return errData
	case e.Code == CodeURLElicitationRequired && !enc.Loose: // ERR-102
		list, err := URLElicitations(e)
		for i := 0; err == nil && i < len(list); i++ {
			err = list[i].Validate()
		}
		return err
	}
	return nil
}

// verifyRaw checks that params and results which go out are objects (JRPC-026).
func verifyRaw(raw Raw) error {
	if !isObject(raw) || !rawjson.Valid(string(raw)) {
		return errNotJSON
	}
	return nil
}

// isObject reports whether JSON is an object.
func isObject(raw Raw) bool {
	i := rawjson.Space(string(raw), 0)
	return i < len(raw) && startsObject(raw[i])
}

func encode(r Result) (_ Raw, err error) {
	defer func() {
		if recover() != nil { // a nil pointer in an interface, or a type with faults of its own
			err = errNil
		}
	}()
	if v, ok := r.(validator); ok {
		if err := v.Validate(); err != nil {
			return "", err
		}
		return Raw(r.AppendJSON(make([]byte, 0, 256))), nil
	}
	raw := Raw(r.AppendJSON(make([]byte, 0, 256)))
	return raw, verifyRaw(raw)
}

// The messages that make up most of the traffic are encoded on the stack.

func encodeCall(p *CallToolParams) (Raw, error) {
	if err := p.Validate(); err != nil {
		return "", err
	}
	var buf [512]byte
	return Raw(p.AppendJSON(buf[:0])), nil
}

// encodeToolResult makes *e, which is zero, what the result is as well, for r may be changed afterwards. A result
// that is to be completed has no head.
func encodeToolResult(r *CallToolResult, head string, e *Encoded) error {
	if r == nil {
		return errNil
	}
	var buf [512]byte
	if text, ok := r.oneText(); ok {
		if len(text) > len(buf) {
			e.Body = longOneText(head, text, r.IsError)
		} else {
			e.Body = headed(appendOneText(append(buf[:0], head...), text, r.IsError), head)
		}
		e.Info.Failed, e.Common, e.Headed = r.IsError, true, head != ""
		return nil
	}
	if err := r.Validate(); err != nil {
		return err
	}
	e.Info = ResultInfo{Failed: r.IsError, Bare: len(r.Content) == 0, Structured: r.StructuredContent}
	for i := range r.Content {
		e.Info.Embeds = e.Info.Embeds || r.Content[i].Type == ContentEmbedded
	}
	if e.Info.Bare || r.Meta != "" {
		head = ""
	}
	e.Body, e.Headed = headed(r.AppendJSON(append(buf[:0], head...)), head), head != ""
	return nil
}

// headed returns a head and the object behind it, which has members, as one object.
func headed(dst []byte, head string) Raw {
	if head != "" {
		dst[len(head)] = ','
	}
	return Raw(dst)
}

func encodeRead(r *ReadResourceResult) (Raw, error) {
	if r == nil {
		return "", errNil
	}
	n, good := len(`{"contents":[],"_meta":}`)+len(r.Meta), verifyMeta(r.Meta) == 0
	for i := range r.Contents {
		c := &r.Contents[i]
		good = good && c.validate() == nil
		n += len(`{"uri":"","mimeType":"","text":"","_meta":},`) + len(c.URI) + len(c.MIMEType) + len(c.Text) + len(c.Meta)
		if c.Blob != nil {
			n += len(*c.Blob)
		}
	}
	n += n / 8 // escapes
	var buf [1536]byte
	dst := buf[:0]
	if n > len(buf) {
		dst = make([]byte, 0, n)
	}
	raw := Raw(r.AppendJSON(dst))
	// A text that is not UTF-8 has become one with U+FFFD in it: any other is not read once more to be validated.
	if !good || strings.Contains(string(raw), "\uFFFD") {
		if err := r.Validate(); err != nil {
			return "", err
		}
	}
	return raw, nil
}

func asToolResult(r Result) (*CallToolResult, bool) {
	switch r := r.(type) {
	case CallToolResult:
		return &r, true
	case *CallToolResult:
		return r, true
	}
	return nil, false
}

// MethodName returns the method that p is the params of, "" for a nil pointer.
func MethodName(p Params) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	return p.Method()
}
