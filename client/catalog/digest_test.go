package catalog

import (
	"strings"
	"testing"
)

// The digest is that of the value, not of its text (E6).
func TestDigest(t *testing.T) {
	equal := []string{
		`{"a":[1,2.50,-0,1e2,"x\u00e9",null,true],"b":{"c":{}},"d":9007199254740993}`,
		` { "d" : 9007199254740993 , "b" : {"c":{ }} , "a" : [ 1.0 , 25e-1 , 0 , 100 , "xé" , null , true ] } `,
		`{"\u0061":[1,2.5,0.0,10e1,"x\u00E9",null,true],"b":5,"b":{"c":{}},"d":9007199254740993.0,"_meta":{"x":1}}`,
	}
	for _, s := range equal {
		if digestOf(s, "_meta") != digestOf(equal[0], "_meta") {
			t.Errorf("%s is another value", s)
		}
	}
	other := []string{
		equal[0], `{}`, `{"a":1}`, `{"a":"1"}`, `{"a":[1]}`, `{"a":[[1]]}`, `{"a":{"":1}}`, `{"a":null}`, `{"a":false}`, `{"a":true}`, `{"a":""}`, `{"a":"null"}`,
		`{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[12]}`, `{"a":[]}`, `{"a":{}}`, `{"a":-1}`, `{"a":10}`, `{"a":0.1}`, `{"a":9007199254740992}`, `{"a":9007199254740993}`,
		`{"a":[[],[]]}`, `{"a":[[[]]]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"ab":1}`, `{"x":{"_meta":1}}`, `{"x":{}}`, `{"a":"\ud800"}`, `{"a":"\ufffd"}`,
	}
	seen := map[digest]string{}
	for _, s := range other {
		d := digestOf(s, "_meta")
		if was, ok := seen[d]; ok {
			t.Errorf("%s and %s are the same", was, s)
		}
		seen[d] = s
	}
	// What is no JSON does no harm.
	for i := range equal[0] {
		digestOf(equal[0][:i], "")
	}
	digestOf(strings.Repeat("[", 100_000), "")
	digestOf(`{"a`+strings.Repeat("{", 1000), "")
	digestOf(`{"a":{"b" 1}}`, "")
}
