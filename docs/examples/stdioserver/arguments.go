package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// arguments are the arguments of a call by their names, letter for letter. This is the one
// place that decodes them: encoding/json would take "PATH" for "path" and the last of two,
// so that a tool reads what its schema has not checked.
type arguments struct {
	members map[string]string
	err     error // the first argument that cannot be used
}

// read reads the arguments of a call. Names that are there twice are refused.
func read(raw jsonrpc.Raw) (*arguments, error) {
	a := &arguments{members: map[string]string{}}
	o, ok := rawjson.Members(string(raw))
	if !ok {
		return nil, errors.New("they have to be an object")
	}
	for name, value, ok := o.Next(); ok; name, value, ok = o.Next() {
		if _, twice := a.members[name]; twice {
			return nil, fmt.Errorf("%q is there twice", name)
		}
		a.members[name] = value
	}
	if o.Bad() {
		return nil, errors.New("they have to be JSON")
	}
	return a, nil
}

// The values of required members have the type that the schema of the tool names: the
// Catalog has checked it. What is left is the range of numbers.

func (a *arguments) text(name string) string {
	s, ok := rawjson.Unquote(a.members[name])
	a.check(ok, name)
	return s
}

func (a *arguments) number(name string) float64 {
	f, ok := rawjson.Float(a.members[name])
	a.check(ok, name)
	return f
}

func (a *arguments) integer(name string) int {
	f := a.number(name)
	ok := math.Abs(f) < 1<<31
	a.check(ok, name)
	if !ok {
		return 0
	}
	return int(f)
}

func (a *arguments) check(ok bool, name string) {
	if !ok && a.err == nil {
		a.err = fmt.Errorf("%s cannot be used", name)
	}
}
