// Command codecgen writes the codecs of package protocol: for every struct with
// json tags the methods AppendJSON, DecodeJSON and Validate, unless they were
// written by hand, and MarshalJSON and UnmarshalJSON for all; for every ...Params
// and ...Result a check function. It runs in the directory of the package.
//
// A field is optional if its json tag has omitzero. The mcp tag says more:
//
//	object       Raw: has to be an object; map: its values have to be
//	schema       Raw: has to be the schema of a tool
//	primitive    map: its values have to be strings, numbers or booleans
//	request      Meta: of a request, so its progressToken counts
//	sampling     Content: of a type that a model can be given
//	name         string: names something, so Validate wants UTF-8 and puts no U+FFFD
//	uri, root    string: Validate wants a uri, or the uri of a root
//	min=0,max=1  *float64: the range
//
// Named string types with a method Valid are enumerations.
package main

import (
	"fmt"
	"os"
)

const output = "zz_codec_gen.go"

func main() {
	src, err := generate(".")
	if err == nil {
		err = os.WriteFile(output, src, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "codecgen:", err)
		os.Exit(1)
	}
}
