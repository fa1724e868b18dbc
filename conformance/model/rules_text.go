package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// eachText is a Rule for the text of each outgoing message and its members.
func eachText(check func(text string, members map[string]any) error) Rule {
	return func(t *Taken) error {
		for _, o := range t.Out.Send {
			text := string(jsonrpc.Append(nil, o.Message))
			v, _ := parse(text)
			object, _ := v.(map[string]any)
			if err := check(text, object); err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
		}
		return nil
	}
}

// grammar is that of JSON-RPC 2.0: a version and one of four shapes, including an error without an
// id, which errorIDs checks further.
func grammar(_ string, m map[string]any) error {
	has := func(names string) bool {
		for _, name := range strings.Fields(names) {
			if _, ok := m[name]; !ok {
				return false
			}
		}
		return true
	}
	method, named := m["method"].(string)
	switch rest := len(m); {
	case m["jsonrpc"] != "2.0":
		return errors.New("no version 2.0")
	case has("params"):
		rest--
		fallthrough
	default:
		if rest == 2 && (has("jsonrpc method") || has("jsonrpc error")) || rest == 3 && (has("jsonrpc id method") || has("jsonrpc id result") || has("jsonrpc id error")) {
			if has("method") && (!named || method == "") {
				return errors.New("the method is no name")
			}
			return nil
		}
	}
	return errors.New("none of the five shapes")
}

func oneOutcome(_ string, m map[string]any) error {
	_, result := m["result"]
	_, failure := m["error"]
	if _, method := m["method"]; !method && result == failure {
		return errors.New("not one of result and error")
	}
	return nil
}

// answers checks that an error has a code and a message.
func answers(_ string, m map[string]any) error {
	failure, given := m["error"]
	e, _ := failure.(map[string]any)
	if _, message := e["message"].(string); given && (!message || e["code"] == nil) {
		return errors.New("an error without code and message")
	}
	return nil
}

func noIDOnNotes(_ string, m map[string]any) error {
	method, _ := m["method"].(string)
	if _, id := m["id"]; id && strings.HasPrefix(method, "notifications/") {
		return errors.New("a notification with an id")
	}
	return nil
}

func paramsObject(_ string, m map[string]any) error {
	params, given := m["params"]
	if _, object := params.(map[string]any); given && !object {
		return errors.New("params are no object")
	}
	return nil
}

func oneObject(text string, m map[string]any) error {
	if m == nil || !strings.HasPrefix(text, "{") {
		return errors.New("not one object")
	}
	return nil
}

// cancelledID checks that a cancellation says what it cancels.
func cancelledID(_ string, m map[string]any) error {
	params, _ := m["params"].(map[string]any)
	switch id := params["requestId"].(type) {
	case nil:
		if m["method"] == "notifications/cancelled" {
			return errors.New("a cancellation of nothing")
		}
	case bool, []any, map[string]any:
		return fmt.Errorf("%v is no id", id)
	}
	return nil
}
