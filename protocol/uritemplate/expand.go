package uritemplate

// Expand returns the URI that the template makes of the values, by RFC 6570,
// section 3, with one deviation: names of pairs in {?x*}, {&x*} and {;x*}
// are encoded like values, so that a name cannot add a parameter. Strings that are
// not UTF-8 are encoded byte by byte. Values that the template does not name are
// ignored. The error is an *Error with ReasonComposite, with an empty URI.
func (t Template) Expand(values Values) (string, error) {
	c := t.get()
	dst := make([]byte, 0, 2*len(c.text))
	for _, p := range c.parts {
		if p.op == nil {
			dst = appendEncoded(dst, p.literal, true)
			continue
		}
		between := p.op.first
		for i := p.from; i < p.to; i++ {
			v := &c.vars[i]
			val := values.Get(v.Name)
			if !val.Defined() {
				continue
			}
			if v.Prefix > 0 && val.kind != KindText {
				return "", &Error{v.offset, ReasonComposite}
			}
			dst = append(dst, between...)
			between = p.op.sep
			dst = v.append(dst, val)
		}
	}
	return string(dst), nil
}

func (v *variable) append(dst []byte, val Value) []byte {
	op := v.op
	switch {
	case val.kind == KindText:
		text := val.text
		if v.Prefix > 0 {
			text = truncate(text, v.Prefix, op.reserved)
		}
		return v.appendMember(dst, v.Name, text)
	case !v.Explode:
		if op.named {
			dst = append(append(dst, v.Name...), '=')
		}
		for i, s := range val.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendEncoded(dst, s, op.reserved)
		}
		return dst
	case val.kind == KindList:
		for i, s := range val.items {
			if i > 0 {
				dst = append(dst, op.sep...)
			}
			dst = v.appendMember(dst, v.Name, s)
		}
		return dst
	}
	for i := 0; i < len(val.items); i += 2 {
		if i > 0 {
			dst = append(dst, op.sep...)
		}
		dst = appendEncoded(dst, val.items[i], op.reserved)
		if s := val.items[i+1]; s != "" || !op.bare {
			dst = appendEncoded(append(dst, '='), s, op.reserved)
		}
	}
	return dst
}

// appendMember writes a string, with a name if the operator wants one. It is the name
// of a variable, which needs no encoding.
func (v *variable) appendMember(dst []byte, name, s string) []byte {
	if v.op.named {
		dst = append(dst, name...)
		if s != "" || !v.op.bare {
			dst = append(dst, '=')
		}
	}
	return appendEncoded(dst, s, v.op.reserved)
}
