package manager_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Each value of a snapshot that is another is refused or taken as it was, and what is taken is
// written as it was. The sessions within are the concern of package client.
func TestEachValueOfASnapshot(t *testing.T) {
	r := busy(t)
	var sessions []string
	text := string(r.m.Snapshot())
	for {
		at := strings.Index(text, `"client":{`)
		if at < 0 {
			break
		}
		at += len(`"client":`)
		end := rawjson.Skip(text, at, 99)
		sessions = append(sessions, text[at:end])
		text = text[:at] + fmt.Sprintf("%q", "#"+strconv.Itoa(len(sessions)-1)) + text[end:]
	}
	mark := regexp.MustCompile(`"#(\d+)"`)
	others := []string{"", "null", "0", "1", "2", "3", "7", "-1", "-60000000000", "4294967296", "9007199254740993", "18446744073709551615", "true", `""`, `"x"`, `"waiting"`, "[]", "{}"}
	texts.Same(t, "4483 of 4483, 512c9edb", texts.Values(others, text), func(s string) string {
		whole := mark.ReplaceAllStringFunc(s, func(m string) string {
			i, _ := strconv.Atoi(m[2 : len(m)-1])
			return sessions[i]
		})
		m, err := manager.Restore(busyConfig(), []byte(whole), r.now, busyOptions)
		if err != nil {
			return err.Error()
		}
		next, _ := m.NextDeadline()
		again := string(m.Snapshot())
		for i, session := range sessions {
			again = strings.ReplaceAll(again, session, fmt.Sprintf("%q", "#"+strconv.Itoa(i)))
		}
		out := fmt.Sprint(again, next, m.Check())
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			status, _ := m.Status(name)
			out += fmt.Sprintf("%v %v %v %v", status.Condition, status.Since, status.RetryAt, status.Err)
		}
		return out
	})
}
