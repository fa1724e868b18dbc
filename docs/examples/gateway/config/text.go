package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what a value of JSON is.
type kind uint8

const (
	null kind = iota
	truth
	number
	text
	array
	object
)

var kinds = [...]string{"null", "a boolean", "a number", "a text", "an array", "an object"}

// value is a value of the file and where it begins.
type value struct {
	at      int // offset
	kind    kind
	text    string   // of a text; of a number or boolean as it is written
	items   []value  // of an array
	members []member // of an object, in order
	twice   *Error   // the first name that an object has twice
}

// again returns the first name that an object within the value has twice: which of the two counts,
// readers do not agree about.
func (v value) again() *Error {
	found := v.twice
	for i := 0; found == nil && i < len(v.items); i++ {
		found = v.items[i].again()
	}
	for i := 0; found == nil && i < len(v.members); i++ {
		found = v.members[i].again()
	}
	return found
}

type member struct {
	at   int
	name string
	value
}

// maxDepth is how deep values may be nested.
const maxDepth = 100

// reader reads values and knows where they are.
type reader struct {
	file  string
	data  []byte // as it is in the file
	dec   *json.Decoder
	lines []int // where each line begins; made by place
}

// read returns the value of a whole file.
func (r *reader) read() (value, error) {
	for at, c := range string(r.data) {
		if c == 0 || c == utf8.RuneError && !bytes.HasPrefix(r.data[at:], []byte("\ufffd")) {
			return value{}, r.fault(at, "the file is not UTF-8 text")
		}
	}
	plain := plainJSON(r.data)
	var all json.RawMessage
	if err := json.Unmarshal(plain, &all); err != nil { // it knows best where a text is no JSON
		return value{}, r.syntax(err)
	}
	r.dec = json.NewDecoder(bytes.NewReader(plain))
	r.dec.UseNumber()
	return r.value(plain, 0)
}

// syntax says what is no JSON.
func (r *reader) syntax(err error) error {
	var syntax *json.SyntaxError
	switch {
	case !errors.As(err, &syntax):
		return r.fault(0, err.Error())
	case int(syntax.Offset) >= len(r.data) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return r.fault(len(r.data), "the file ends too early")
	}
	why := strings.Replace(syntax.Error(), "invalid character", "unexpected", 1)
	why = strings.Replace(why, "looking for beginning of object key string", "where a name in double quotes should be", 1)
	why = strings.Replace(why, "looking for beginning of value", "where a value should be", 1)
	why = strings.Replace(why, "after object key:value pair", "where a comma or } should be", 1)
	why = strings.Replace(why, "after array element", "where a comma or ] should be", 1)
	why = strings.Replace(why, "after top-level value", "after the end of the configuration", 1)
	return r.fault(int(syntax.Offset)-1, why) // the offset is behind what is wrong
}

// token returns the next token and where it begins.
func (r *reader) token(plain []byte) (json.Token, int, error) {
	at := r.start(plain)
	t, err := r.dec.Token()
	if err != nil { // it was valid
		return nil, 0, r.fault(at, err.Error())
	}
	return t, at, nil
}

// start returns where the next token begins.
func (r *reader) start(plain []byte) int {
	at := int(r.dec.InputOffset())
	for at < len(plain) && strings.IndexByte(" \t\r\n,:", plain[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) value(plain []byte, depth int) (value, error) {
	t, at, err := r.token(plain)
	if err != nil {
		return value{}, err
	}
	if depth > maxDepth {
		return value{}, r.fault(at, "values are nested too deep")
	}
	switch t := t.(type) {
	case bool:
		return value{at: at, kind: truth, text: fmt.Sprint(t)}, nil
	case json.Number:
		return value{at: at, kind: number, text: t.String()}, nil
	case string:
		return value{at: at, kind: text, text: t}, nil
	case json.Delim:
		if t == '[' {
			return r.array(plain, at, depth)
		}
		return r.object(plain, at, depth)
	}
	return value{at: at, kind: null}, nil
}

func (r *reader) array(plain []byte, at, depth int) (value, error) {
	v := value{at: at, kind: array}
	for r.dec.More() {
		item, err := r.value(plain, depth+1)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
	_, _, err := r.token(plain)
	return v, err
}

func (r *reader) object(plain []byte, at, depth int) (value, error) {
	v := value{at: at, kind: object}
	seen := map[string]int{}
	for r.dec.More() {
		t, at, err := r.token(plain)
		if err != nil {
			return value{}, err
		}
		name, _ := t.(string) // the decoder takes nothing else
		if first, again := seen[name]; again {
			if v.twice == nil {
				line, _ := r.place(first)
				v.twice = r.fault(at, fmt.Sprintf("%q is a duplicate of line %d", brief(name), line))
			}
		}
		seen[name] = at
		item, err := r.value(plain, depth+1)
		if err != nil {
			return value{}, err
		}
		v.members = append(v.members, member{at: at, name: name, value: item})
	}
	_, _, err := r.token(plain)
	return v, err
}

// plainJSON returns the text with blanks in place of a byte order mark, of comments and of commas
// behind the last element, so that all else stays where it is.
func plainJSON(data []byte) []byte {
	out := bytes.Clone(data)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		blank(0, 3)
	}
	comma := -1         // where the last thing is a comma behind an element
	before := byte(',') // what stood before
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma, before = -1, '"'
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return out // its slash is what is wrong
			}
			blank(i, end)
			i = end - 1
		case c == ',' && strings.IndexByte(",:[{", before) < 0:
			comma, before = i, c
		case (c == '}' || c == ']') && comma >= 0:
			blank(comma, comma+1)
			comma, before = -1, c
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma, before = -1, c
		}
	}
	return out
}

// commentEnd returns where a comment ends; -1 if it does not.
func commentEnd(b []byte, i int) int {
	if b[i+1] == '/' {
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(b)
	}
	if n := bytes.Index(b[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return -1
}

// place returns the line and the column of an offset, both from 1 on; columns count characters.
// Each server of a file and each warning asks for one, so the file is read for the lines only once.
func (r *reader) place(at int) (line, column int) {
	if r.lines == nil {
		r.lines = []int{0}
		for i, c := range r.data {
			if c == '\n' {
				r.lines = append(r.lines, i+1)
			}
		}
	}
	at = min(at, len(r.data))
	line, is := slices.BinarySearch(r.lines, at)
	if is {
		line++
	}
	before := r.data[r.lines[line-1]:at]
	if line == 1 {
		before = bytes.TrimPrefix(before, []byte("\ufeff"))
	}
	return line, utf8.RuneCount(before) + 1
}

func (r *reader) fault(at int, why string) *Error {
	line, column := r.place(at)
	return &Error{File: r.file, Line: line, Column: column, Text: why}
}
