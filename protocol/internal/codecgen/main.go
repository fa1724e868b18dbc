// Command codecgen writes the codecs of package protocol: for every struct with
// json tags the methods AppendJSON, DecodeJSON and Validate, unless they were
// written by hand, and MarshalJSON and UnmarshalJSON for all; for every ...Params
// and ...Result a check function. It runs in the directory of the package.
//
// A field is optional if its json tag has omitzero. The mcp tag says more:
//
//	object       Raw: has to be an object; map: its values have to be
//	schema       Raw: has to be the schema of a tool
//	primitive    map: its values have to be strings, numbers, booleans or arrays of strings
//	null         *int64: required, and nil is null
//	one          []Content: a single item goes without brackets, and is read so too
//	lenient      slice of structs: an item that is not one is left out, and so are all if it
//	             is not an array
//	ordinary     Content, or a slice of it: of a type that a tool can give
//	icon, sizes  string, slice: Validate wants the uri and the sizes of an icon
//	fields       of a form
//	inline       of a type whose codec is written by hand: the members of the field are
//	             members of the type
//	request      Meta: of a request, so its progressToken counts
//	sampling     Content, or a slice of it: of a type that a model can be given
//	name         string: names something, so Validate wants UTF-8 and puts no U+FFFD
//	uri, root    string: Validate wants a uri, or the uri of a root
//	min=0,max=1  *float64: the range
//
// The tags since and until name the first revision that has the field and the first that no
// longer has it. In other revisions the member is ignored when it comes and left out by
// Downgrade. The tag arrays names the first revision in which a field with one, which else
// always may, or a value of a map with primitive, which else never may, may be an array. The tag optional names the first revision in whose
// messages a required member may be absent, and required the first in which it may not again; DecodeJSON
// wants it all the same.
//
// The tag odd:"fault" is for a member that Row.DropInvalid does not leave out if its value is odd,
// nor elements of it: without it the whole would say something else.
//
// A line //sansmcp:schema in the comment of a type says what the schema calls it. Beside a
// constant it makes that a type of content that not every revision has; since and until
// follow the name.
//
// The members of an embedded struct are members of the whole.
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
