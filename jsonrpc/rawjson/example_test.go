package rawjson_test

import (
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func ExampleMembers() {
	o, ok := rawjson.Members(`{"name": "echo", "arguments": {"text": "hi"}}`)
	for ok {
		var key, val string
		if key, val, ok = o.Next(); ok {
			fmt.Println(key, val)
		}
	}
	fmt.Println(o.Bad())
	// Output:
	// name "echo"
	// arguments {"text": "hi"}
	// false
}

func ExampleSet() {
	const raw = `{ "progressToken": 1.0, "other": [1,  2] }`
	fmt.Println(rawjson.Set(raw, "progressToken", `"t-7"`))
	fmt.Println(rawjson.Set(raw, "progressToken", ""))
	fmt.Println(rawjson.Set(raw, "trace", "true"))
	// Output:
	// { "progressToken": "t-7", "other": [1,  2] }
	// { "other": [1,  2] }
	// { "progressToken": 1.0, "other": [1,  2],"trace":true }
}

func ExampleCheck() {
	for _, s := range []string{`{"a":[1]}`, `{"a":1`, `[[1]]`, `{} {}`} {
		fmt.Println(rawjson.Check(s, 2))
	}
	fmt.Println(rawjson.Check(`[[[1]]]`, 2))
	// Output:
	// ok
	// bad syntax
	// ok
	// data after the value
	// nested too deeply
}

func ExampleAppendQuote() {
	fmt.Println(string(rawjson.AppendQuote(nil, "say \"<hi>\"\n")))
	// Output: "say \"<hi>\"\n"
}
