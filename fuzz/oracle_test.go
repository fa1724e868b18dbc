package fuzz_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// object is an object as encoding/json reads it: the last value of each name,
// and how often the name occurs.
type object struct {
	values map[string]json.RawMessage
	times  map[string]int
}

// read reads an object; ok is false for any other text.
func read(text []byte) (o object, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return o, false
	}
	o = object{map[string]json.RawMessage{}, map[string]int{}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return o, false
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return o, false
		}
		o.values[name.(string)] = v
		o.times[name.(string)]++
	}
	return o, true
}

// start is read for a text with a fault: it has the members before the fault, and the name of
// the faulty one.
func start(text []byte) (o object) {
	d := json.NewDecoder(bytes.NewReader(text))
	o = object{map[string]json.RawMessage{}, map[string]int{}}
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return o
	}
	for d.More() {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			return o
		}
		o.times[key]++
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return o
		}
		o.values[key] = v
	}
	return o
}

// is reports whether the value of a name starts with one of the characters.
func (o object) is(name, chars string) bool {
	v := o.values[name]
	return len(v) > 0 && strings.IndexByte(chars, v[0]) >= 0
}

// whole reads a string without unpaired surrogates.
func whole(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	// encoding/json replaces an unpaired surrogate by U+FFFD.
	given := strings.Count(string(raw), "\ufffd") + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	return s, strings.Count(s, "\ufffd") <= given
}

// integer reads an integer; sure is false if that would take long.
func integer(raw json.RawMessage) (n *big.Int, sure bool) {
	if e := bytes.IndexAny(raw, "eE"); e >= 0 && len(raw)-e > 5 {
		return nil, false
	}
	if len(raw) == 0 || strings.IndexByte("-0123456789", raw[0]) < 0 {
		return nil, true
	}
	if r, ok := new(big.Rat).SetString(string(raw)); ok && r.IsInt() {
		return r.Num(), true
	}
	return nil, true
}

// verdict is the reading of an object: its kind; if it is invalid, its shape;
// and whether its id can be used.
type verdict struct {
	kind, shape jsonrpc.Kind
	id          bool
}

func of(m jsonrpc.Message) verdict { return verdict{m.Kind, m.Shape, !m.ID.IsZero()} }

// judge follows table 1e of the method tables. sure is false if the oracle
// cannot tell.
func judge(o object) (v verdict, sure bool) {
	n, known := integer(o.values["id"])
	_, str := whole(o.values["id"])
	if !known && !str {
		return v, false
	}
	v.id = o.times["id"] == 1 && (n != nil || str)
	repeated := false
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		repeated = repeated || o.times[name] > 1
	}
	version, _ := whole(o.values["jsonrpc"])
	good := version == "2.0" && !repeated
	response := o.times["result"]+o.times["error"] > 0

	if o.times["method"] == 0 {
		if !response && o.times["id"] == 0 {
			return v, true
		}
		v.shape = jsonrpc.KindResult
		switch {
		case !good || o.times["result"]+o.times["error"] != 1:
		case o.times["result"] == 1 && v.id && o.is("result", "{"):
			v.kind, v.shape = jsonrpc.KindResult, 0
		case o.times["error"] == 1 && (v.id || o.times["id"] == 0 || o.is("id", "n")) && o.is("error", "{"):
			e, _ := read(o.values["error"])
			code, known := integer(e.values["code"])
			if !known {
				return v, false
			}
			if code != nil && code.IsInt64() && e.is("message", `"`) {
				v.kind, v.shape = jsonrpc.KindError, 0
			}
		}
		return v, true
	}

	_, str = whole(o.values["method"])
	good = good && str && (o.times["params"] == 0 || o.is("params", "{[n"))
	switch {
	case response && v.id:
		v.shape = jsonrpc.KindRequest
	case response:
		v.shape = jsonrpc.KindResult
	case o.times["id"] == 0 && !o.is("method", `"`):
	case o.times["id"] == 0 && good:
		v.kind = jsonrpc.KindNotification
	case o.times["id"] == 0:
		v.shape = jsonrpc.KindNotification
	case good && v.id:
		v.kind = jsonrpc.KindRequest
	default:
		v.shape = jsonrpc.KindRequest
	}
	return v, true
}
