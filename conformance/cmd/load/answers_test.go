package main

import (
	"strings"
	"testing"
)

// TestAnswers checks that the points of answers are found, whatever form their body has.
func TestAnswers(t *testing.T) {
	const (
		length  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n"
		chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
		empty   = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
		none    = "HTTP/1.1 204 No Content\r\n\r\n"
		closing = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	)
	long := "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1000) + "\r\ncontent-length: 2\r\n\r\n"
	for _, tt := range []struct {
		name, text string
		want       string // h, e and a for what each of the parts that | divides text into ends with
	}{
		{"length", length + "|hello|" + length + "|hello|", "h a h a"},
		{"empty", empty + "|" + none + "|" + length + "|hello|", "a a h a"},
		{"long", long + "|ok|", "h a"},
		{"chunked", chunked + "|7\r\nid: 1\n\n|\r\n8\r\ndata: 2\n\r\n1\r\n\n\r\n0\r\n\r\n|" + empty + "|", "h e a a"},
		{"trailer", chunked + "|0\r\nX-End: yes\r\n\r\n|" + empty + "|", "h a a"},
		{"split", chunked + "|4\r\nid: \r\n2\r\n7\n\r\nd\r\ndata: x\r\n\r\n|: |\r\n0\r\n\r\n|", "h e  a"},
		{"no id", chunked + "|9\r\ndata: 1\n\n\r\n|0\r\n\r\n|", "h  a"},
		{"several", chunked + "|1e\r\nid: 1\ndata: x\n\n|id: 2\ndata: y\n\n|\r\n0\r\n\r\n|", "h e e a"},
		{"closing", closing + "|id: 1\n\n|data: x\n\n|", "h e "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f answers
			var got []string
			for part := range strings.SplitSeq(strings.TrimSuffix(tt.text, "|"), "|") {
				seen := ""
				for i := range len(part) {
					m := f.step(part[i])
					if m != within {
						seen = map[mark]string{headEnd: "h", eventEnd: "e", answerEnd: "a"}[m]
					}
					if m != within && i != len(part)-1 {
						t.Errorf("%s at %d of %q", seen, i, part)
					}
				}
				got = append(got, seen)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", strings.Join(got, " "), tt.want)
			}
		})
	}
}
