package protocol

import "github.com/sansmcp/mcp/jsonrpc/rawjson"

// anyObject is the schema of a tool without arguments.
const anyObject Raw = `{"type":"object"}`

// setSchema reads an inputSchema or outputSchema: an object with type "object",
// properties that map to objects, and a required that lists strings. It is kept
// whole, whatever else is in it.
func setSchema(p *Raw, raw string, need bool) Reason {
	if r := setObject(p, raw, need); r != 0 || !given(raw) {
		return r
	}
	var kind, properties, required string
	o, _ := rawjson.Members(raw)
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "properties":
			properties = val
		case "required":
			required = val
		}
	}
	if o.Bad() {
		return ReasonSyntax
	}
	var name string
	if r := setString(&name, kind, true); r != 0 {
		return r
	}
	if name != "object" {
		return ReasonValue
	}
	if r := eachObject(properties); r != 0 {
		return r
	}
	return eachString(required)
}

func eachObject(raw string) Reason {
	if !given(raw) {
		return 0
	}
	o, _ := rawjson.Members(raw)
	for {
		_, val, ok := o.Next()
		if !ok {
			break
		}
		if !startsObject(val[0]) {
			return ReasonType
		}
	}
	if o.Bad() {
		return ReasonType
	}
	return 0
}

func eachString(raw string) Reason {
	if !given(raw) {
		return 0
	}
	a, _ := rawjson.Elements(raw)
	for {
		val, ok := a.Next()
		if !ok {
			break
		}
		if val[0] != '"' {
			return ReasonType
		}
	}
	if a.Bad() {
		return ReasonType
	}
	return 0
}

func verifySchema(v Raw) Reason {
	if v == "" {
		return 0
	}
	if r := verifyText(v); r != 0 {
		return r
	}
	return setSchema(new(Raw), string(v[rawjson.Space(string(v), 0):]), true)
}
