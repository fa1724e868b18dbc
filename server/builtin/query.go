package builtin

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// valueAt returns the value that a JSON Pointer (RFC 6901) names in a document, as it is written
// there. The pointer "" names the document. A name that an object has twice is an error, because it
// is ambiguous. Errors name the part of the pointer, cut after 64 bytes.
func valueAt(document protocol.Raw, pointer string) (protocol.Raw, error) {
	value := strings.Trim(string(document), " \t\r\n")
	if !rawjson.Valid(value) {
		return "", errors.New("the document is not JSON")
	}
	if pointer != "" && pointer[0] != '/' {
		return "", errors.New(`a pointer is empty or begins with "/"`)
	}
	for pointer != "" {
		part := pointer[1:]
		pointer = ""
		if end := strings.IndexByte(part, '/'); end >= 0 {
			part, pointer = part[:end], part[end:]
		}
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

// unescape replaces ~1 by / and ~0 by ~.
func unescape(part string) (string, bool) {
	for i := strings.IndexByte(part, '~'); i >= 0; {
		if i+1 == len(part) || part[i+1] != '0' && part[i+1] != '1' {
			return "", false
		}
		next := strings.IndexByte(part[i+1:], '~')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(part), true
}

// step returns a member or an element.
func step(value, name string) (string, error) {
	if a, ok := rawjson.Elements(value); ok {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || strconv.Itoa(n) != name {
			return "", errors.New(quoted(name) + " is not an array index")
		}
		for i := 0; ; i++ {
			item, more := a.Next()
			if !more {
				return "", errors.New("the array has no element " + name + ": it has " + strconv.Itoa(i))
			}
			if i == n {
				return item, nil
			}
		}
	}
	o, ok := rawjson.Members(value)
	if !ok {
		return "", errors.New("only objects and arrays have members or elements: " + quoted(name))
	}
	found, times := "", 0
	for {
		key, val, more := o.Next()
		if !more {
			break
		}
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
