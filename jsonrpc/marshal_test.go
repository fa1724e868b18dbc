package jsonrpc_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// What a program may put in a struct of its own is written and read by encoding/json as it goes
// over the wire.
func TestMarshal(t *testing.T) {
	for _, c := range []struct {
		val  any
		want string
	}{
		{jsonrpc.Int(5), `5`}, {jsonrpc.Int(-1 << 63), `-9223372036854775808`}, {jsonrpc.String("5"), `"5"`}, {jsonrpc.String(""), `""`},
		{jsonrpc.Null, `null`}, {jsonrpc.ID{}, `null`}, {big(t), `1e40`},
		{struct{ A, B jsonrpc.ID }{jsonrpc.Int(1), jsonrpc.String("x")}, `{"A":1,"B":"x"}`}, {[]jsonrpc.ID{jsonrpc.Int(0)}, `[0]`},
		{struct {
			A jsonrpc.ID `json:"a,omitzero"`
		}{}, `{}`},
		{jsonrpc.Raw(`{"a":[1,"x"]}`), `{"a":[1,"x"]}`}, {jsonrpc.Raw(``), `null`}, {[]jsonrpc.Raw{`1`, `null`, `"s"`}, `[1,null,"s"]`},
		{jsonrpc.Error{Code: 1, Message: "m"}, `{"code":1,"message":"m"}`}, {&jsonrpc.Error{Code: -2, Message: `"`, Data: `[5]`}, `{"code":-2,"message":"\"","data":[5]}`},
	} {
		text, err := json.Marshal(c.val)
		if err != nil || string(text) != c.want {
			t.Errorf("%#v is written as %s, want %s: %v", c.val, text, c.want, err)
			continue
		}
		of := reflect.TypeOf(c.val)
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		back := reflect.New(of)
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Errorf("%s cannot be read: %v", text, err)
			continue
		}
		if again, err := json.Marshal(back.Interface()); err != nil || string(again) != c.want {
			t.Errorf("%s is read as %s: %v", text, again, err)
		}
		if id, ok := c.val.(jsonrpc.ID); ok && id != jsonrpc.Null && back.Elem().Interface() != c.val {
			t.Errorf("%s is read as another id: %#v", text, back.Elem())
		}
	}
}

func big(t *testing.T) jsonrpc.ID {
	id, _, ok := jsonrpc.ParseID("1e40")
	if !ok {
		t.Fatal("no id")
	}
	return id
}

// What is none is refused, and leaves the value as it was; null does too.
func TestUnmarshalRefuses(t *testing.T) {
	for _, text := range []string{`true`, `[]`, `{}`, `1.5`, `"\ud800"`, `1e1000001`} {
		id := jsonrpc.Int(7)
		if err := json.Unmarshal([]byte(text), &id); err == nil || err.Error() != "jsonrpc: not an id: want a string or an integer" || id != jsonrpc.Int(7) {
			t.Errorf("%s: %v %v", text, id, err)
		}
	}
	for _, text := range []string{`5`, `[]`, `{}`, `{"code":"1","message":"m"}`, `{"code":1}`, `{"code":1,"message":5}`} {
		e := jsonrpc.Error{Code: 7}
		const want = "jsonrpc: want an error object with an integer code and a message"
		if err := json.Unmarshal([]byte(text), &e); !errors.Is(err, jsonrpc.ErrRaw) || err.Error() != want || e.Code != 7 {
			t.Errorf("%s: %v %v", text, e, err)
		}
	}
	id, e := jsonrpc.Int(7), jsonrpc.Error{Code: 7}
	if err := errors.Join(json.Unmarshal([]byte(`null`), &id), json.Unmarshal([]byte(`null`), &e)); err != nil || id != jsonrpc.Int(7) || e.Code != 7 {
		t.Error(id, e, err)
	}
	data := []byte(`"abc"`)
	if err := id.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	data[1] = 'x'
	if id != jsonrpc.String("abc") {
		t.Error("the id shares the memory of the text")
	}
}
