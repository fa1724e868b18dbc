package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// setList reads an array of objects. With skim it builds no list: of what it has
// read it leaves in p the first odd item alone, if there is one.
func setList[T any, P interface {
	*T
	read(Raw, jsonrpc.Span, mode) error
}](p *[]T, typ, member, raw string, need bool, how mode) error {
	if !given(raw) {
		if r := lack(raw, need); r != 0 {
			return fault(typ, member, r)
		}
		return nil
	}
	var a rawjson.Array
	a.Open(raw)
	var list []T
	odd := false
	for n := 0; ; n++ {
		val, ok := a.Next()
		if !ok {
			break
		}
		if n == 0 {
			list = make([]T, 1) // with skim, the only one
		} else if !how.skim {
			list = append(roomFor(list, a), *new(T))
		}
		at := P(&list[len(list)-1])
		if err := at.read(Raw(val), jsonrpc.Span{}, how); err != nil {
			return within(typ, item(member, n), err)
		}
		if o, ok := any(at).(interface{ unknown() bool }); how.skim && !odd && ok && o.unknown() {
			odd = true
			*p = append([]T(nil), *at)
		}
	}
	if a.Bad() {
		return fault(typ, member, ReasonType)
	}
	if !how.skim {
		if list == nil {
			list = []T{}
		}
		*p = list
	}
	return nil
}

// setOne reads an array of blocks of content, or one block for an array of it alone
// (SAMP-107).
func setOne(p *[]Content, typ, member, raw string, need bool, how mode) error {
	if !given(raw) || raw[0] == '[' {
		return setList(p, typ, member, raw, need, how)
	}
	var one Content
	if err := one.read(Raw(raw), jsonrpc.Span{}, how); err != nil {
		return within(typ, member, err)
	}
	if !how.skim {
		*p = []Content{one}
	}
	return nil
}

// setGood reads an array of objects and leaves out the elements that cannot be read, so that
// one of them does not cost the value that they belong to (ICON-005). With more than maxInvalid
// such elements nothing is read. What is about to go out may have none.
func setGood[T any, P interface {
	*T
	read(Raw, jsonrpc.Span, mode) error
}](p *[]T, typ, member, raw string, need bool, how mode) error {
	if how.age&sent != 0 {
		return setList[T, P](p, typ, member, raw, need, how)
	}
	a, ok := rawjson.Elements(raw)
	if !ok || how.skim {
		return nil
	}
	list, odd := []T{}, 0
	for val := range a.All {
		var v T
		if P(&v).read(Raw(val), jsonrpc.Span{}, how) == nil {
			list = append(roomFor(list, a), v)
		} else if odd++; odd > maxInvalid {
			return nil
		}
	}
	if !a.Bad() {
		*p = list
	}
	return nil
}
