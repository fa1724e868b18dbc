package rawjson

import "strings"

// Set returns raw with the member of that name set to val, which has to be
// JSON text: the last member of the name is replaced and earlier ones are
// removed; if there is none, one is added at the end. An empty val removes the
// member. All else stays byte for byte. An empty raw counts as {} unless there
// is nothing to add; a raw that is not a valid object is returned as it is.
func Set(raw, key, val string) string {
	if raw == "" {
		if val == "" {
			return ""
		}
		raw = "{}"
	}
	o, _ := Members(raw)
	found, empty, end, size := 0, true, o.i, len(raw)+len(val)
	for {
		k, v, ok := o.Next()
		if !ok {
			break
		}
		empty, end = false, o.i
		if k == key {
			found++
			size -= len(v)
		}
	}
	switch {
	case o.Bad():
		return raw
	case found > 0:
		return replace(raw, key, val, found, size)
	case val == "":
		return raw
	}
	var buf [64]byte
	name := AppendQuote(buf[:0], key)
	var b strings.Builder
	b.Grow(size + len(name) + len(`,:`))
	b.WriteString(raw[:end])
	if !empty {
		b.WriteByte(',')
	}
	b.Write(name)
	b.WriteByte(':')
	b.WriteString(val)
	b.WriteString(raw[end:])
	return b.String()
}

// replace sets the last of the members of that name, of which there are found,
// and drops the others; the result has at most size bytes. A member that stays keeps the comma
// and white space before it, unless it becomes the first.
func replace(raw, key, val string, found, size int) string {
	var b strings.Builder
	b.Grow(size)
	o, _ := Members(raw)
	first, last := true, o.i // last: where the member before ended
	b.WriteString(raw[:Space(raw, last)])
	for {
		k, name, v, _ := o.member()
		if k < 0 {
			break
		}
		text, same := raw[k:o.i], false
		if s, _ := Unquote(raw[k:name]); s == key {
			found--
			same = true
		}
		switch {
		case same && (found > 0 || val == ""):
			last = o.i
			continue
		case same:
			text = raw[k:v] + val
		}
		if !first {
			b.WriteString(raw[last:k])
		}
		b.WriteString(text)
		first, last = false, o.i
	}
	b.WriteString(raw[last:])
	return b.String()
}
