package builtin

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// valueAt returns the value that a JSON Pointer (RFC 6901) leads to in a document, as it is written
// there. The pointer "" is the document. A name that an object has twice leads nowhere: nobody
// knows which is meant. Errors name the part of the pointer, cut after 64 bytes.
func valueAt(document protocol.Raw, pointer string) (protocol.Raw, error) {
	value := strings.Trim(string(document), " \t\r\n")
	if !rawjson.Valid(value) {
		return "", errors.New("the document is not JSON")
	}
	if pointer != "" && pointer[0] != '/' {
		return "", errors.New(`a pointer is empty or begins with "/"`)
	}
	if pointer == "" {
		return protocol.Raw(value), nil
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		name, ok := unescape(part)
		if !ok {
			return "", errors.New("a ~ in a pointer is followed by 0 or 1: " + quoted(part))
		}
		var err error
		if value, err = step(value, name); err != nil {
			return "", err
		}
	}
	return protocol.Raw(value), nil
}

func quoted(part string) string { return strconv.Quote(part[:min(len(part), 64)]) }

// unescape reads ~1 as / and ~0 as ~.
func unescape(part string) (string, bool) {
	known := strings.Count(part, "~0") + strings.Count(part, "~1")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(part), known == strings.Count(part, "~")
}

// step returns a member or an element.
func step(value, name string) (string, error) {
	if a, ok := rawjson.Elements(value); ok {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || strconv.Itoa(n) != name {
			return "", errors.New(quoted(name) + " is no index of an array")
		}
		i := 0
		for item := range a.All {
			if i == n {
				return item, nil
			}
			i++
		}
		return "", errors.New("the array has no element " + name + ", but " + strconv.Itoa(i))
	}
	o, ok := rawjson.Members(value)
	if !ok {
		return "", errors.New("there is nothing below a value that is neither object nor array: " + quoted(name))
	}
	found, times := "", 0
	for key, val := range o.All {
		if key == name {
			found = val
			times++
		}
	}
	switch times {
	case 0:
		return "", errors.New("the object has no member " + quoted(name))
	case 1:
		return found, nil
	}
	return "", errors.New("the object has more than one member " + quoted(name))
}
