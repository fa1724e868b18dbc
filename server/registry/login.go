package registry

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Login answers a host that asks a session to log in at a server. Groups are in the process and
// have no login, so the error is errors.ErrUnsupported. It returns params as Redacted does, for what the
// host is told. Errors: those of Redacted too.
func (s Scopes) Login(session string, params protocol.Raw) (protocol.Raw, error) {
	shown, err := Redacted(params)
	if err != nil {
		return "", err
	}
	return shown, &NameError{Err: errNotSupported, Kind: "session", Name: session}
}

// open are the members of login params that are not secret.
const open = " server server_name name scope scopes client_id redirect_uri grant_type response_type issuer audience "

// Redacted returns the params of a login, a JSON object, for answers and logs. It keeps the values
// of members that are known not to be secret, if they are texts or lists of texts, and replaces all
// others by "[redacted]". Errors: ErrInvalid for params that are not an object; "" counts as {}.
func Redacted(params protocol.Raw) (protocol.Raw, error) {
	if params == "" {
		params = "{}"
	}
	text := strings.TrimSpace(string(params))
	if !rawjson.Valid(text) || !strings.HasPrefix(text, "{") {
		return "", &NameError{Err: ErrInvalid, Kind: "params", Name: "login"}
	}
	w := rawjson.Writer{Dst: []byte{'{'}}
	o, _ := rawjson.Members(text)
	for key, val := range o.All {
		if !word(key) {
			key = "[redacted]"
		}
		if !strings.Contains(open, " "+key+" ") || !plain(val) {
			val = `"[redacted]"`
		}
		w.Raw(key, val)
	}
	return protocol.Raw(append(w.Dst, '}')), nil
}

// word reports whether a name looks like that of a member, and not like a secret.
func word(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// plain reports whether a value is a text, or a list of texts, and none of them looks like an
// address that may have a password in it: before an @, in a query or in a fragment.
func plain(val string) bool {
	if strings.HasPrefix(val, `"`) {
		s, ok := rawjson.Unquote(val)
		return ok && !strings.ContainsAny(s, "@?#")
	}
	list, _ := rawjson.Elements(val)
	for item := range list.All {
		if !strings.HasPrefix(item, `"`) || !plain(item) {
			return false
		}
	}
	return strings.HasPrefix(val, "[")
}
