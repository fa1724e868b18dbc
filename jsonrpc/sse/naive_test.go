package sse_test

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// naive reads a whole stream as the standard says, step by step, regardless of memory and
// time. Its only limit is the one on data.
func naive(stream string, limit int) (events []sse.Event, lastID string, retry time.Duration, hasRetry bool) {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	lines := strings.Split(stream, "\n")
	var e sse.Event
	var data []string
	for _, line := range lines[:len(lines)-1] { // the last one has no end
		if line == "" {
			if data != nil || e.HasID || e.HasRetry {
				e.Data = strings.Join(data, "\n")
				if len(e.Data) > limit {
					e.Data, e.Oversize = e.Data[:limit+1], true
				}
				events = append(events, e)
			}
			if e.HasID {
				lastID = e.ID
			}
			e, data = sse.Event{}, nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "id":
			if !strings.Contains(value, "\x00") {
				e.ID, e.HasID = value, true
			}
		case "event":
			e.Name = value
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				e.Retry, e.HasRetry = number(value), true
				retry, hasRetry = e.Retry, true
			}
		}
	}
	return events, lastID, retry, hasRetry
}

func number(digits string) (wait time.Duration) {
	for _, c := range digits {
		wait = wait*10 + time.Duration(c-'0')*time.Millisecond
	}
	return wait
}
