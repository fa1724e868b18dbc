package transcript

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
)

// words splits a line at its spaces, except within JSON and within quotes. A word that
// begins with a quote is a Go string.
func words(line string) (list []string, err error) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		var word string
		word, line = cutWord(line)
		if word, err = unquote(word); err != nil {
			return nil, err
		}
		list = append(list, word)
	}
	return list, nil
}

// cutWord splits off the first word of a line, which may have spaces within braces, brackets
// and quotes.
func cutWord(line string) (word, rest string) {
	for i, depth := range nesting(line) {
		if line[i] == ' ' && depth <= 0 {
			return line[:i], line[i+1:]
		}
	}
	return line, ""
}

// odd reports whether a line of text cannot hold the character.
func odd(r rune) bool {
	return r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

// bare reports whether text can be written unquoted in a line: it is fully visible, and no
// editor changes it.
func bare(text string) bool {
	return !strings.ContainsFunc(text, odd) && strings.TrimSpace(text) == text && !strings.Contains(text, "${revision}")
}

// quote is strconv.Quote for a line in which ${revision} stands for the revision.
func quote(text string) string { return strings.ReplaceAll(strconv.Quote(text), "${", `\x24{`) }

// wordOf returns text as one word for unquote: bare or as a Go string.
func wordOf(text string) string {
	if word, rest := cutWord(text + " x"); text != "" && word == text && rest == "x" && text[0] != '"' && bare(text) {
		return text
	}
	return quote(text)
}

// unquote reads a word of wordOf.
func unquote(word string) (string, error) {
	if strings.HasPrefix(word, `"`) {
		return strconv.Unquote(word)
	}
	return word, nil
}

// The words for arguments of a verb other than text, and before a Go string.
const (
	nothing = "nil"
	quoted  = "quoted "
)

// bodyOf returns a body in the form that cutBody reads.
func bodyOf(text string) string {
	body, rest := cutJSON(text + " x")
	if string(body) == text && rest == " x" && bare(text) {
		return text
	}
	return quoted + quote(text)
}

// nesting yields the bytes of a line with their depth in braces, brackets and
// quotes.
func nesting(line string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		depth, escaped := 0, false
		quoted := 0 // or 1
		for i := range len(line) {
			switch c := line[i]; {
			case escaped:
				escaped = false
			case quoted == 1 && c == '\\':
				escaped = true
			case c == '"':
				quoted = 1 - quoted
			case quoted == 1:
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				depth--
			}
			if !yield(i, depth+quoted) {
				return
			}
		}
	}
}

// cutJSON splits off the JSON object at the start of s, if any.
func cutJSON(s string) (body jsonrpc.Raw, rest string) {
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, `"`) {
		return "", s
	}
	for i, depth := range nesting(s) {
		if depth == 0 {
			return jsonrpc.Raw(s[:i+1]), s[i+1:]
		}
	}
	return jsonrpc.Raw(s), ""
}

// cutBody reads the body at the start of a line: JSON, a Go string after "quoted", or nil.
func cutBody(line string) (body jsonrpc.Raw, null bool, rest string, err error) {
	if text, ok := strings.CutPrefix(line, quoted); ok {
		literal, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", false, "", err
		}
		body, err := strconv.Unquote(literal)
		return jsonrpc.Raw(body), false, text[len(literal):], err
	}
	if line == nothing || strings.HasPrefix(line, nothing+" ") {
		return "", true, line[len(nothing):], nil
	}
	body, rest = cutJSON(line)
	return body, false, rest, nil
}

// restOf returns text in the form that restText reads: an argument up to the end of the line.
func restOf(text string) string {
	if bare(text) && text != nothing && !strings.HasPrefix(text, quoted) {
		return text
	}
	return quoted + quote(text)
}

// restText reads the rest of a line: the text itself, or a Go string after "quoted".
func restText(rest string) (string, error) {
	if text, ok := strings.CutPrefix(rest, quoted); ok {
		return strconv.Unquote(text)
	}
	return rest, nil
}
