package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// metaPrefix begins the keys of _meta that the specification keeps for itself.
const metaPrefix = "io.modelcontextprotocol/"

// The keys of _meta that the stateless revisions define (basic, _meta).
const (
	MetaProtocolVersion    = metaPrefix + "protocolVersion"    // of a request: the revision it is made under
	MetaClientCapabilities = metaPrefix + "clientCapabilities" // of a request: what the client offers for it
	MetaClientInfo         = metaPrefix + "clientInfo"         // of a request: who the client is
	MetaLogLevel           = metaPrefix + "logLevel"           // of a request: the least severe log message that it wants
	MetaServerInfo         = metaPrefix + "serverInfo"         // of a result: who the server is
	MetaSubscription       = metaPrefix + "subscriptionId"     // of a notification: the id of the subscription it is for
)

// Envelope is what a request of a stateless revision says of itself in its _meta (REQM-001). The
// texts are parts of the _meta: copy what is kept.
type Envelope struct {
	// Version is the name of the revision, any text.
	Version string
	// Capabilities is what the client offers for this request.
	Capabilities Capability
	// Client is who the client is, an Implementation as JSON; "" if it does not say.
	Client Raw
	// Level is the least severe log message that the client wants within the request; "" for none.
	Level LoggingLevel
}

// Envelope returns the envelope in the _meta of a request. ok is false if there is none, so that the
// request is one of a session. The error is a *DecodeError for an envelope that lacks a member, or
// has one that cannot be read (REQM-003, REQM-004, LOG-205).
func (m Meta) Envelope() (e Envelope, ok bool, err error) {
	const typ = "_meta"
	if e, ok := m.usual(); ok {
		return e, true, nil
	}
	if !mentions(string(m), "modelcontextprotocol") {
		return e, false, nil // as the _meta of most requests of a session
	}
	var version, capabilities, client, level string
	o, _ := rawjson.Members(string(m))
	for {
		key, val, more := o.Next()
		if !more {
			break
		}
		switch key {
		case MetaProtocolVersion:
			version = val
		case MetaClientCapabilities:
			capabilities = val
		case MetaClientInfo:
			client = val
		case MetaLogLevel:
			level = val
		}
	}
	if version == "" && capabilities == "" {
		return e, false, nil
	}
	if r := setString(&e.Version, version, true); r != 0 {
		return e, true, fault(typ, MetaProtocolVersion, r)
	}
	if !given(capabilities) {
		return e, true, fault(typ, MetaClientCapabilities, ReasonMissing)
	}
	if e.Capabilities, err = readCapabilities(capabilities); err != nil {
		return e, true, within(typ, MetaClientCapabilities, err)
	}
	if given(client) {
		if err := checkImplementation(client); err != nil {
			return e, true, within(typ, MetaClientInfo, err)
		}
		e.Client = Raw(client)
	}
	if r := setString((*string)(&e.Level), level, false); r != 0 {
		return e, true, fault(typ, MetaLogLevel, r)
	}
	if given(level) && e.Level.Severity() < 0 {
		return e, true, fault(typ, MetaLogLevel, ReasonValue)
	}
	return e, true, nil
}

// mentions reports whether JSON text may have a member whose name has one of the parts, which are found
// faster than members are read. Escapes may spell any name.
func mentions(raw string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(raw, part) {
			return true
		}
	}
	return strings.IndexByte(raw, '\\') >= 0
}

// Version returns the name of the revision that a request says it is made under, "" for none. It need
// not be one of this package.
func (m Meta) Version() string {
	if e, ok := m.usual(); ok {
		return e.Version
	}
	return rawjson.Text(string(m), MetaProtocolVersion)
}

// ServerInfo returns who a stateless server says it is in the _meta of a result; the zero
// Implementation if it does not, or not well (META-202, META-204).
func (m Meta) ServerInfo() (v Implementation) {
	raw, _ := m.Get(MetaServerInfo)
	if v.DecodeJSON(raw, jsonrpc.Span{}) != nil {
		return Implementation{}
	}
	return v
}

// Subscription returns the id of the subscription that a notification is for; false if it is for
// none (META-207).
func (m Meta) Subscription() (id jsonrpc.ID, ok bool) {
	raw, ok := m.Get(MetaSubscription)
	return id, ok && setID(&id, string(raw), true) == 0
}

// readCapabilities returns what an object of the client declares.
func readCapabilities(raw string) (Capability, error) {
	if raw == "{}" {
		return 0, nil
	}
	var v ClientCapabilities
	if err := v.DecodeJSON(Raw(raw), jsonrpc.Span{}); err != nil {
		return 0, err
	}
	return v.Set(), nil
}

// checkImplementation returns a *DecodeError for what is no Implementation.
func checkImplementation(raw string) error {
	return new(Implementation).read(Raw(raw), jsonrpc.Span{}, mode{skim: true})
}

// MetaOf returns the _meta of params, "" for none, and for params that are not an object.
func MetaOf(params Raw, span jsonrpc.Span) Meta {
	if m := usualMeta(string(params), int(span.Start), int(span.End)); m != "" {
		return m
	}
	return Meta(MemberOf(params, span, "_meta"))
}

// MemberOf returns a member of params, "" for one that is absent, and for params that are not an object. Of
// members of one name the last counts. What span says is the largest is not read again.
func MemberOf(params Raw, span jsonrpc.Span, name string) (val Raw) {
	var o rawjson.Object
	o.Open(string(params))
	o.Jump(int(span.Start), int(span.End))
	for {
		key, v, more := o.Next()
		if !more {
			return val
		}
		if key == name {
			val = Raw(v)
		}
	}
}
