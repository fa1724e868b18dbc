package catalog

import (
	"strings"
	"testing"
)

// A definition is the same as another one by its value, not by its text (E6).
func TestDigest(t *testing.T) {
	equal := []string{
		`{"a":[1,2.50,-0,1e2,"x\u00e9",null,true],"b":{"c":{}},"d":9007199254740993}`,
		` { "d" : 9007199254740993 , "b" : {"c":{ }} , "a" : [ 1.0 , 25e-1 , 0 , 100 , "xé" , null , true ] } `,
		`{"\u0061":[1,2.5,0.0,10e1,"x\u00E9",null,true],"b":5,"b":{"c":{}},"d":9007199254740993.0,"_meta":{"x":1}}`,
	}
	for _, s := range equal {
		if !same(s, equal[0]) {
			t.Errorf("%s is another value", s)
		}
	}
	other := []string{
		equal[0], `{}`, `{"a":1}`, `{"a":"1"}`, `{"a":[1]}`, `{"a":[[1]]}`, `{"a":{"":1}}`, `{"a":null}`, `{"a":false}`, `{"a":true}`, `{"a":""}`, `{"a":"null"}`,
		`{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[12]}`, `{"a":[]}`, `{"a":{}}`, `{"a":-1}`, `{"a":10}`, `{"a":0.1}`, `{"a":9007199254740992}`, `{"a":9007199254740993}`,
		`{"a":[[],[]]}`, `{"a":[[[]]]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"ab":1}`, `{"x":{"_meta":1}}`, `{"x":{}}`, `{"a":"\ud800"}`, `{"a":"\ufffd"}`,
	}
	for i, s := range other {
		for _, o := range other[:i] {
			if same(s, o) {
				t.Errorf("%s and %s are the same", o, s)
			}
		}
	}
	// What is no JSON does no harm.
	for i := range equal[0] {
		same(equal[0][:i], "")
	}
	same(strings.Repeat("[", 100_000), "")
	same(`{"a`+strings.Repeat("{", 1000), "")
	same(`{"a":{"b" 1}}`, "")
}
