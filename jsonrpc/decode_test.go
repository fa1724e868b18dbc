package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// show gives everything that tells one message from another.
func show(m jsonrpc.Message) string {
	s := fmt.Sprintf("%v/%v/%v id=%v", m.Kind, m.Fault, m.Shape, m.ID)
	if sp := m.Spelling(); sp != "" {
		s += " spelled " + string(sp)
	}
	if m.Method != "" {
		s += fmt.Sprintf(" method=%q", m.Method)
	}
	if m.Body != "" {
		s += " body=" + string(m.Body)
	}
	if m.Err != nil {
		s += fmt.Sprintf(" err=%d %q %s", m.Err.Code, m.Err.Message, m.Err.Data)
	}
	for _, b := range m.Batch() {
		s += "\n  " + show(b)
	}
	return s
}

func TestDecodeValid(t *testing.T) {
	for text, want := range map[string]string{
		// requests
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                                    `request/none/invalid id=1 method="ping"`,
		`{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}}`:                                 `request/none/invalid id="a" method="ping" body={"x":1}`,
		`{"jsonrpc":"2.0","id":0,"method":"m","params":{}}`:                                           `request/none/invalid id=0 method="m" body={}`,
		`{"jsonrpc":"2.0","id":"","method":"m","params":[]}`:                                          `request/none/invalid id="" method="m" body=[]`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":[1, 2]}`:                                       `request/none/invalid id=1 method="m" body=[1, 2]`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`:                                         `request/none/invalid id=1 method="m"`,
		`{"params":{"a":[{}]},"method":"m","id":-5,"jsonrpc":"2.0"}`:                                  `request/none/invalid id=-5 method="m" body={"a":[{}]}`,
		" \t\r\n{ \"jsonrpc\" : \"2.0\" ,\n\"id\" : 1 , \"method\" : \"m\" , \"params\" : { } } \r\n": `request/none/invalid id=1 method="m" body={ }`,
		`{"jsonrpc":"2.0","id":1,"method":"m","foo":1,"foo":{},"Method":"x"}`:                         `request/none/invalid id=1 method="m"`,
		`{"json\u0072pc":"2\u002e0","\u0069d":1,"metho\u0064":"p\u0069ng"}`:                           `request/none/invalid id=1 method="ping"`,
		`{"jsonrpc":"2.0","id":1,"method":"m","\\u0069d":2,"\"id\"":3,"\ud800":4}`:                    `request/none/invalid id=1 method="m"`,
		`{"jsonrpc":"2.0","id":1,"method":""}`:                                                        `request/none/invalid id=1`,
		`{"jsonrpc":"2.0","id":1,"method":"a\u0000b\ud83d\ude00"}`:                                    `request/none/invalid id=1 method="a\x00b😀"`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2,"s":"\ud800"}}`:                   `request/none/invalid id=1 method="m" body={"a":1,"a":2,"s":"\ud800"}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"m"}`:                                                     `request/none/invalid id=1000 spelled 1e3 method="m"`,
		`{"jsonrpc":"2.0","id":-0,"method":"m"}`:                                                      `request/none/invalid id=0 spelled -0 method="m"`,
		`{"jsonrpc":"2.0","id":"\u0061b","method":"m"}`:                                               `request/none/invalid id="ab" spelled "\u0061b" method="m"`,
		`{"jsonrpc":"2.0","id":9223372036854775808,"method":"m"}`:                                     `request/none/invalid id=9223372036854775808 method="m"`,
		`{"jsonrpc":"2.0","id":10000000000000000000,"method":"m"}`:                                    `request/none/invalid id=1e19 spelled 10000000000000000000 method="m"`,
		// notifications
		`{"jsonrpc":"2.0","method":"n"}`:                          `notification/none/invalid id=absent method="n"`,
		`{"jsonrpc":"2.0","method":"n","params":{"a":"b"}}`:       `notification/none/invalid id=absent method="n" body={"a":"b"}`,
		`{"jsonrpc":"2.0","method":"n","params":null,"x":[null]}`: `notification/none/invalid id=absent method="n"`,
		// results
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                     `result/none/invalid id=1 body={}`,
		`{"jsonrpc":"2.0","result":{"a":{"b":1}},"id":"x"}`:        `result/none/invalid id="x" body={"a":{"b":1}}`,
		`{"jsonrpc":"2.0","id":1.0,"result":{}}`:                   `result/none/invalid id=1 spelled 1.0 body={}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"params":5,"x":null}`: `result/none/invalid id=1 body={}`,
		// errors
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`:                                    `error/none/invalid id=1 err=-32601 "no" `,
		`{"jsonrpc":"2.0","id":1,"error":{"code":3000000000,"message":"","data":null}}`:                      `error/none/invalid id=1 err=3000000000 "" null`,
		`{"jsonrpc":"2.0","id":1,"error":{"data":[0],"message":"a","code":-9007199254740993}}`:               `error/none/invalid id=1 err=-9007199254740993 "a" [0]`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1e2,"message":"a\ud800"}}`:                                  `error/none/invalid id=1 err=100 "a�" `,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":1,"code":0,"message":"b","data":1,"data":2}}`: `error/none/invalid id=1 err=0 "b" 2`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a","extra":{}}}`:                               `error/none/invalid id=1 err=1 "a" `,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"p"}}`:                                  `error/none/invalid id=absent err=-32700 "p" `,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"p"}}`:                                            `error/none/invalid id=absent err=-32700 "p" `,
	} {
		if got := show(jsonrpc.DecodeString(text)); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if got := show(jsonrpc.Decode([]byte(text))); got != want {
			t.Errorf("Decode of %s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Table 1e of the method tables: input that is no valid message, row by row.
func TestDecodeInvalid(t *testing.T) {
	const v = `"jsonrpc":"2.0",`
	for _, row := range []struct {
		name  string
		cases map[string]string
	}{
		{"blank line", map[string]string{
			``: `invalid/not JSON/invalid id=absent`, " \t\r\n": `invalid/not JSON/invalid id=absent`,
		}},
		{"not one JSON text", map[string]string{
			`{x`:                                    `invalid/not JSON/invalid id=absent`,
			`{`:                                     `invalid/not JSON/invalid id=absent`,
			`{"`:                                    `invalid/not JSON/invalid id=absent`,
			`{"id":1`:                               `invalid/not JSON/invalid id=absent`,
			`{"id":1;`:                              `invalid/not JSON/invalid id=absent`,
			`{"id":1,`:                              `invalid/not JSON/invalid id=absent`,
			`{"id":1,}`:                             `invalid/not JSON/invalid id=absent`,
			`{"id":`:                                `invalid/not JSON/invalid id=absent`,
			`{"id" 1}`:                              `invalid/not JSON/invalid id=absent`,
			`{"id":01}`:                             `invalid/not JSON/invalid id=absent`,
			`{"params":{`:                           `invalid/not JSON/invalid id=absent`,
			`{"params":{"a"`:                        `invalid/not JSON/invalid id=absent`,
			`{"params":{"a":x}}`:                    `invalid/not JSON/invalid id=absent`,
			`{"params":{"a":1`:                      `invalid/not JSON/invalid id=absent`,
			`{"params":{"a":1]}`:                    `invalid/not JSON/invalid id=absent`,
			`{"params":{"a":1,}}`:                   `invalid/not JSON/invalid id=absent`,
			`{` + v + `"id":1,"method":"m"]`:        `invalid/not JSON/request id=1`,
			`{` + v + `"id":1,"method":"m"`:         `invalid/not JSON/request id=1`,
			"{" + v + "\"id\":1,\"method\":\"\n\"}": `invalid/not JSON/request id=1`,
			"\ufeff":                                `invalid/not JSON/invalid id=absent`,
			`[1,`:                                   `invalid/not JSON/invalid id=absent`,
			`nul`:                                   `invalid/not JSON/invalid id=absent`,
			"\xff":                                  `invalid/not JSON/invalid id=absent`,
			"{" + v + "\"id\":1,\"method\":\"\xff\"}":                       `invalid/invalid UTF-8/request id=1`,
			"{" + v + "\"id\":1,\"method\":\"m\",\"x\xc3\":0}":              `invalid/invalid UTF-8/request id=1 method="m"`,
			"{" + v + "\"id\":\"\xed\xa0\x80\",\"method\":\"m\"}":           `invalid/invalid UTF-8/request id=absent method="m"`,
			`{` + v + `"id":1,"method":"m"}{}`:                              `invalid/data after the JSON value/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m"} {` + v + `"id":2,"method":"m"}`: `invalid/data after the JSON value/request id=1 method="m"`,
			`1 2`:  `invalid/data after the JSON value/invalid id=absent`,
			`[] x`: `invalid/data after the JSON value/invalid id=absent`,
		}},
		{"JSON that is no object", map[string]string{
			`42`: `invalid/not an object/invalid id=absent`, `"x"`: `invalid/not an object/invalid id=absent`,
			` null `: `invalid/not an object/invalid id=absent`, `true`: `invalid/not an object/invalid id=absent`,
			`[]`: `invalid/empty or too long array/invalid id=absent`, ` [ ] `: `invalid/empty or too long array/invalid id=absent`,
		}},
		{"no method, but id, result or error", map[string]string{
			// neither result nor error
			`{` + v + `"id":3}`:                 `invalid/result is not an object/result id=3`,
			`{` + v + `"id":3,"Method":"ping"}`: `invalid/result is not an object/result id=3`,
			`{` + v + `"id":3,"params":{}}`:     `invalid/result is not an object/result id=3`,
			`{` + v + `"id":null}`:              `invalid/id is not usable/result id=absent`,
			`{"id":3}`:                          `invalid/jsonrpc is not "2.0"/result id=3`,
			// both
			`{` + v + `"id":3,"result":{},"error":{"code":1,"message":"x"}}`: `invalid/both result and error/result id=3 body={"code":1,"message":"x"} err=1 "x" `,
			`{` + v + `"id":3,"error":null,"result":{}}`:                     `invalid/both result and error/result id=3 body=null`,
			`{` + v + `"result":{},"error":{"code":1,"message":"x"}}`:        `invalid/both result and error/result id=absent body={"code":1,"message":"x"} err=1 "x" `,
			// a bad result
			`{` + v + `"id":3,"result":null}`:   `invalid/result is not an object/result id=3 body=null`,
			`{` + v + `"id":3,"result":[]}`:     `invalid/result is not an object/result id=3 body=[]`,
			`{` + v + `"id":3.0,"result":"ok"}`: `invalid/result is not an object/result id=3 spelled 3.0 body="ok"`,
			// a bad error
			`{` + v + `"id":3,"error":null}`:                                 `invalid/error has no integer code or no string message/result id=3 body=null`,
			`{` + v + `"id":3,"error":"x"}`:                                  `invalid/error has no integer code or no string message/result id=3 body="x"`,
			`{` + v + `"id":3,"error":{}}`:                                   `invalid/error has no integer code or no string message/result id=3 body={}`,
			`{` + v + `"id":3,"error":{"code":1}}`:                           `invalid/error has no integer code or no string message/result id=3 body={"code":1}`,
			`{` + v + `"id":3,"error":{"message":"x"}}`:                      `invalid/error has no integer code or no string message/result id=3 body={"message":"x"}`,
			`{` + v + `"id":3,"error":{"code":1.5,"message":"x"}}`:           `invalid/error has no integer code or no string message/result id=3 body={"code":1.5,"message":"x"}`,
			`{` + v + `"id":3,"error":{"code":1e19,"message":"x"}}`:          `invalid/error has no integer code or no string message/result id=3 body={"code":1e19,"message":"x"}`,
			`{` + v + `"id":3,"error":{"code":"x","message":"x"}}`:           `invalid/error has no integer code or no string message/result id=3 body={"code":"x","message":"x"}`,
			`{` + v + `"id":3,"error":{"code":1,"message":null}}`:            `invalid/error has no integer code or no string message/result id=3 body={"code":1,"message":null}`,
			`{` + v + `"id":3,"error":{"code":1,"message":"x","code":null}}`: `invalid/error has no integer code or no string message/result id=3 body={"code":1,"message":"x","code":null}`,
			`{` + v + `"error":5}`:                                           `invalid/error has no integer code or no string message/result id=absent body=5`,
			// a bad id
			`{` + v + `"result":{}}`:                                `invalid/id is not usable/result id=absent body={}`,
			`{` + v + `"id":null,"result":1}`:                       `invalid/id is not usable/result id=absent body=1`,
			`{` + v + `"id":1.5,"result":{}}`:                       `invalid/id is not usable/result id=absent body={}`,
			`{` + v + `"id":true,"error":{"code":1,"message":"x"}}`: `invalid/id is not usable/result id=absent body={"code":1,"message":"x"} err=1 "x" `,
			`{` + v + `"id":"\ud800","result":{}}`:                  `invalid/id is not usable/result id=absent body={}`,
			// repeated members, a bad version
			`{` + v + `"id":3,"id":3,"result":{}}`:           `invalid/a member is repeated/result id=absent body={}`,
			`{` + v + `"id":3,"result":{},"result":{"a":1}}`: `invalid/a member is repeated/result id=3 body={"a":1}`,
			`{` + v + v + `"id":3,"result":{}}`:              `invalid/a member is repeated/result id=3 body={}`,
			`{"jsonrpc":"1.0","id":3,"result":{}}`:           `invalid/jsonrpc is not "2.0"/result id=3 body={}`,
			`{"jsonrpc":2.0,"id":3,"result":{}}`:             `invalid/jsonrpc is not "2.0"/result id=3 body={}`,
			`{"result":{}}`:                                  `invalid/jsonrpc is not "2.0"/result id=absent body={}`,
			`{"error":{"code":1,"message":"x"}}`:             `invalid/jsonrpc is not "2.0"/result id=absent body={"code":1,"message":"x"} err=1 "x" `,
		}},
		{"none of method, id, result, error", map[string]string{
			`{}`:                          `invalid/no method, id, result or error/invalid id=absent`,
			`{ }`:                         `invalid/no method, id, result or error/invalid id=absent`,
			`{` + v + `"params":{}}`:      `invalid/no method, id, result or error/invalid id=absent`,
			`{"jsonrpc":"2.0"}`:           `invalid/no method, id, result or error/invalid id=absent`,
			`{"jsonrpc":1,"jsonrpc":1}`:   `invalid/no method, id, result or error/invalid id=absent`,
			`{"Id":1,"ID":1,"RESULT":{}}`: `invalid/no method, id, result or error/invalid id=absent`,
		}},
		{"method together with result or error", map[string]string{
			`{` + v + `"id":8,"method":"m","result":{}}`:       `invalid/method together with result or error/request id=8 method="m"`,
			`{` + v + `"id":8e0,"method":"m","error":{}}`:      `invalid/method together with result or error/request id=8 spelled 8e0 method="m"`,
			`{"id":8,"method":5,"result":null,"error":null}`:   `invalid/method together with result or error/request id=8`,
			`{` + v + `"method":"m","result":{}}`:              `invalid/method together with result or error/result id=absent method="m"`,
			`{` + v + `"id":null,"method":"m","error":{}}`:     `invalid/method together with result or error/result id=absent method="m"`,
			`{` + v + `"id":8,"id":8,"method":"m","error":{}}`: `invalid/method together with result or error/result id=absent method="m"`,
		}},
		{"string method, no id", map[string]string{
			`{"method":"notifications/x"}`:                    `invalid/jsonrpc is not "2.0"/notification id=absent method="notifications/x"`,
			`{"jsonrpc":"1.0","method":"n"}`:                  `invalid/jsonrpc is not "2.0"/notification id=absent method="n"`,
			`{` + v + `"method":"n","params":5}`:              `invalid/params is neither object nor array/notification id=absent method="n"`,
			`{` + v + `"method":"n","method":"n"}`:            `invalid/a member is repeated/notification id=absent method="n"`,
			`{` + v + `"method":"n","params":{},"params":{}}`: `invalid/a member is repeated/notification id=absent method="n"`,
			`{` + v + `"method":"\ud800"}`:                    `invalid/method is not a string/notification id=absent`,
		}},
		{"method that is no string, no id", map[string]string{
			`{` + v + `"method":5}`:                  `invalid/method is not a string/invalid id=absent`,
			`{` + v + `"method":null}`:               `invalid/method is not a string/invalid id=absent`,
			`{"method":{},"params":1}`:               `invalid/method is not a string/invalid id=absent`,
			`{` + v + `"method":"n","method":["n"]}`: `invalid/method is not a string/invalid id=absent`,
		}},
		{"method and usable id, else wrong", map[string]string{
			`{"id":1,"method":"ping"}`:                                 `invalid/jsonrpc is not "2.0"/request id=1 method="ping"`,
			`{"jsonrpc":"1.0","id":1,"method":"ping"}`:                 `invalid/jsonrpc is not "2.0"/request id=1 method="ping"`,
			`{"jsonrpc":2.0,"id":1,"method":"ping"}`:                   `invalid/jsonrpc is not "2.0"/request id=1 method="ping"`,
			`{"jsonrpc":null,"id":1e3,"method":"ping"}`:                `invalid/jsonrpc is not "2.0"/request id=1000 spelled 1e3 method="ping"`,
			`{` + v + `"id":1,"method":5}`:                             `invalid/method is not a string/request id=1`,
			`{` + v + `"id":"","method":null}`:                         `invalid/method is not a string/request id=""`,
			`{` + v + `"id":1,"method":"\ud800"}`:                      `invalid/method is not a string/request id=1`,
			`{` + v + `"id":1,"method":"m","params":"x"}`:              `invalid/params is neither object nor array/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","params":1}`:                `invalid/params is neither object nor array/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","params":true}`:             `invalid/params is neither object nor array/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","params":false}`:            `invalid/params is neither object nor array/request id=1 method="m"`,
			`{` + v + v + `"id":1,"method":"m"}`:                       `invalid/a member is repeated/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","method":"m"}`:              `invalid/a member is repeated/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","\u006dethod":"m"}`:         `invalid/a member is repeated/request id=1 method="m"`,
			`{` + v + `"id":1,"method":"m","params":null,"params":{}}`: `invalid/a member is repeated/request id=1 method="m"`,
		}},
		{"method and an id that is not usable", map[string]string{
			`{` + v + `"id":null,"method":"m"}`:          `invalid/id is null/request id=absent method="m"`,
			`{` + v + `"id":1.5,"method":"m"}`:           `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":true,"method":"m"}`:          `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":[1],"method":"m"}`:           `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":{},"method":"m"}`:            `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":"\ud800","method":"m"}`:      `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":1e1000001,"method":"m"}`:     `invalid/id is not usable/request id=absent method="m"`,
			`{` + v + `"id":1,"id":2,"method":"m"}`:      `invalid/a member is repeated/request id=absent method="m"`,
			`{` + v + `"id":1,"id":1,"method":"m"}`:      `invalid/a member is repeated/request id=absent method="m"`,
			`{` + v + `"id":1,"\u0069d":1,"method":"m"}`: `invalid/a member is repeated/request id=absent method="m"`,
			`{"id":null,"method":5,"params":1}`:          `invalid/id is null/request id=absent`,
		}},
	} {
		for text, want := range row.cases {
			if got := show(jsonrpc.Decode([]byte(text))); got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", row.name, text, got, want)
			}
		}
	}
}

// TestDecodeLimits proves the rows it names.
//
// rows: JRPC-046
func TestDecodeLimits(t *testing.T) {
	pad := func(n int) string {
		const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":""}}`
		return text[:len(text)-3] + strings.Repeat("x", n-len(text)) + text[len(text)-3:]
	}
	deep := func(levels int) string {
		n := levels - 2
		return `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	tight := jsonrpc.Decoder{MaxBytes: 1000, MaxDepth: 10, MaxBatch: 2}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		d    jsonrpc.Decoder
		text string
		kind jsonrpc.Kind
		want jsonrpc.Fault
	}{
		{tight, pad(1000), jsonrpc.KindRequest, 0},
		{tight, pad(1001), jsonrpc.KindInvalid, jsonrpc.FaultSize},
		{tight, strings.Repeat("x", 1001), jsonrpc.KindInvalid, jsonrpc.FaultSize},
		{tight, deep(10), jsonrpc.KindRequest, 0},
		{tight, deep(11), jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{tight, "[" + ping + "," + ping + "]", jsonrpc.KindBatch, 0},
		{tight, "[" + ping + "," + ping + "," + ping + "]", jsonrpc.KindInvalid, jsonrpc.FaultBatch},
		{tight, strings.Repeat("[", 11) + strings.Repeat("]", 11), jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{jsonrpc.Decoder{MaxDepth: 1}, ping, jsonrpc.KindRequest, 0},
		{jsonrpc.Decoder{MaxDepth: 1}, deep(2), jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{jsonrpc.Decoder{MaxDepth: 1}, `{"result":{}}`, jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{jsonrpc.Decoder{MaxDepth: 1}, "[" + ping + "]", jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{jsonrpc.Decoder{MaxDepth: 2}, "[" + ping + "]", jsonrpc.KindBatch, 0},
		{jsonrpc.Decoder{MaxDepth: 100_000}, deep(100_000), jsonrpc.KindRequest, 0},
		{jsonrpc.Decoder{}, deep(rawjson.DefaultDepth), jsonrpc.KindRequest, 0},
		{jsonrpc.Decoder{}, deep(rawjson.DefaultDepth + 1), jsonrpc.KindInvalid, jsonrpc.FaultDepth},
		{jsonrpc.Decoder{}, pad(jsonrpc.DefaultMaxBytes), jsonrpc.KindRequest, 0},
		{jsonrpc.Decoder{MaxBytes: -1}, pad(jsonrpc.DefaultMaxBytes + 1), jsonrpc.KindInvalid, jsonrpc.FaultSize},
		{jsonrpc.Decoder{}, "[" + strings.Repeat(ping+",", 1000-1) + ping + "]", jsonrpc.KindBatch, 0},
		{jsonrpc.Decoder{}, "[" + strings.Repeat(ping+",", 1000) + ping + "]", jsonrpc.KindInvalid, jsonrpc.FaultBatch},
	} {
		for _, m := range []jsonrpc.Message{c.d.Decode([]byte(c.text)), c.d.DecodeString(c.text)} {
			if m.Kind != c.kind || m.Fault != c.want {
				t.Errorf("%+v of %d bytes %.60s…: %v, %v", c.d, len(c.text), c.text, m.Kind, m.Fault)
			}
		}
	}
}

func TestDecodeBatch(t *testing.T) {
	m := jsonrpc.DecodeString(` [ {"jsonrpc":"2.0","id":1e0,"method":"a","params":{}} , 5, [], {"jsonrpc":"2.0","id":1},` +
		`{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":2,"result":{}}, "x", {} ] `)
	const want = `batch/none/invalid id=absent
  request/none/invalid id=1 spelled 1e0 method="a" body={}
  invalid/not an object/invalid id=absent
  invalid/not an object/invalid id=absent
  invalid/result is not an object/result id=1
  notification/none/invalid id=absent method="b"
  result/none/invalid id=2 body={}
  invalid/not an object/invalid id=absent
  invalid/no method, id, result or error/invalid id=absent`
	if got := show(m); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1.0,"method":"a"}`).Batch(); got != nil {
		t.Errorf("a request is a batch of %v", got)
	}
}

func TestSpan(t *testing.T) {
	long, longer := strings.Repeat("x", 40), strings.Repeat("y", 50)
	for _, c := range []struct{ body, want string }{
		{`{"a":"` + long + `"}`, `"` + long + `"`},
		{`{ "a" : 1 , "b" : "` + long + `" , "c" : ["` + longer + `"] }`, `["` + longer + `"]`},
		{`{"c":"` + longer + `","a":"` + long + `"}`, `"` + longer + `"`},
		{`{"a":1,"b":"short"}`, ``},
		{`{}`, ``},
		{`["` + long + `"]`, ``},
	} {
		for _, frame := range []string{`{"jsonrpc":"2.0","id":1,"method":"m","params":%s}`, `{"params":%s,"method":"m","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"result":%s}`} {
			m := jsonrpc.DecodeString(fmt.Sprintf(frame, c.body))
			if m.Kind == jsonrpc.KindInvalid && c.body[0] == '[' {
				continue
			}
			if got := m.Body[m.Span.Start:m.Span.End]; string(got) != c.want || string(m.Body) != c.body {
				t.Errorf("%s in %s: span %v is %s, want %s", c.body, frame, m.Span, got, c.want)
			}
		}
	}
	// The span is about the body, whatever else there is.
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"a":1},"params":{"a":"` + long + `"}}`)
	if m.Span != (jsonrpc.Span{}) {
		t.Errorf("the span of other params: %v", m.Span)
	}
	m = jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"a":"` + long + `"},"result":[]}`)
	if m.Span != (jsonrpc.Span{}) || m.Body != "[]" {
		t.Errorf("the span of a repeated result: %v of %s", m.Span, m.Body)
	}
}

// A decoded message owns its text.
func TestDecodeCopies(t *testing.T) {
	data := []byte(`{"jsonrpc":"2.0","id":"abc","method":"m","params":{"a":"b"}}`)
	m := jsonrpc.Decode(data)
	before := show(m)
	for i := range data {
		data[i] = '#'
	}
	if after := show(m); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	name := func(s string) {
		if s == "" || seen[s] {
			t.Errorf("the name %q is empty or given twice", s)
		}
		seen[s] = true
	}
	for k := jsonrpc.KindInvalid; k <= jsonrpc.KindBatch+1; k++ {
		name(k.String())
	}
	for f := jsonrpc.Fault(0); f <= jsonrpc.FaultBatch+1; f++ {
		name(f.String())
	}
}
