// Package uritemplate expands URI templates and matches URIs against them: RFC
// 6570, all four levels. A server finds out which of its resource templates a URI
// belongs to and what its variables are; a client makes the URI that it wants to read.
//
// A Template is parsed once. Expand makes a URI from Values, Match returns the Values
// of a URI, and a Set finds the most specific of many templates.
//
// # Loop
//
// A server parses its templates when it is configured, and asks the Set about
// every URI that does not name a resource:
//
//	found, ok := set.Find(uri)
//	if !ok {
//		return notFound(uri)
//	}
//	return handlers[found.Index](found.Values)
//
// Values come from the peer. A value may be anything, "..", "a/b" or a NUL byte, since
// triplets are decoded: check it before it becomes part of a path, a query or a command.
//
// # Contract
//
// Parsing is strict, and Error says where a template is wrong. Expansion follows
// RFC 6570 to the letter, except for the one point that Expand names.
//
// No input causes a panic. The time of Expand is linear in the size of its output,
// that of Match in the product of the lengths of URI and template, since a match never
// goes back. Parse rejects templates longer than MaxTemplate. URIs longer than MaxURI
// match nothing, and neither do those whose product with the template exceeds MaxWork,
// which needs hundreds of variables or a long URI. Find takes the time of one Match for
// each template whose text before its first expression begins the URI, up to a limit that
// only thousands of templates with many variables reach; it skips the others by binary search.
//
// Match reads a URI as follows. Triplets are compared as RFC 3986, section 6.2.2,
// says: %7e, %7E and ~ are the same, %2F and / are not. A character that URIs cannot
// contain, such as a space or ü, counts as encoded. A % that begins no triplet matches
// nothing. Values are decoded; those of {+x} and {#x} keep the triplets that differ in
// meaning from their character, such as %2F. First, a URI is read exactly:
// it must be what Expand writes, in this sense. If that fails, it is read
// loosely: a value may also contain what RFC 3986 allows there without
// encoding, which is ! $ & ' ( ) * + , ; = : @ and in {?x} and {&x} also / and ?,
// except for what ends the value there. Many encoders leave some of these as they are.
//
// A URI may have several readings. From left to right, Match takes the first of these
// choices that lets it read the rest of the URI:
//
//   - A variable is defined rather than undefined. But if an expression without
//     operator, or with +, is empty, its variables are undefined, not empty.
//   - Parameters are in the order of the template (see below) rather than in their own.
//   - A value is as long as possible, and an exploded variable has as many members
//     as possible. But {x,y} and {.x,y} give x the part before the first separator,
//     and y the rest; and before {?y}, {&y}, {;y} and {#y} a value ends at the first
//     character that can begin these: {+x}{?y} reads a/b?y=1 as expected.
//   - A comma in a value makes a list, except in {+x}, {#x} and {x:3}, where it
//     is text. Exploded members with = are pairs, if all have it; in {?x*}, {&x*}
//     and {;x*} they are a list if all are named x. One member is a text.
//
// Parameters have no order: {?x,y} reads ?y=2&x=1 as it reads ?x=1&y=2. So do
// several parameter expressions in a row, such as {?x}{&y*}, together
// with the text next to them, as in ?v=1{&x,y}. Each parameter occurs at most
// once. A parameter that the template does not name matches only an exploded
// variable, which receives all that the variables before it do not: {?x,rest*} reads
// ?a=2&x=1 as x and, in rest, a. Parameters that cannot be read in the order of
// the template are read in their own.
//
// Every URI that Expand writes has an exact reading, unless a name occurs more
// than once. Expand makes the same URI from the values read, except for the order of
// parameters. The values are those that Expand got, except where the URI does not
// tell: a list of one item is read as text, pairs that are not exploded as a
// list, a list in {+x} or {#x} as text, what a prefix cut off is lost, and an empty
// value alone in {x} or {+x} is undefined. The following may be read differently: in {+x}
// and {#x}, text with triplets or with characters that delimit it there; text with dots
// where a dot separates; defined variables after undefined ones where the
// operator writes no names; variables after an exploded one that could have them as
// members; members of an exploded variable with the name of an earlier variable;
// and adjacent expressions with nothing between them.
//
// A name that occurs more than once must have one value for all its
// occurrences, where a prefix may be part of it. Match looks only at the first reading;
// if that has two values for the name, the URI does not match.
//
// The result of Match and Find depends only on template and URI. Values do
// not share memory with the URI. The zero Template is the empty one, which matches
// only the empty URI; the zero Set finds nothing; the zero Value is undefined. All
// types may be copied, and read from several goroutines at once.
//
// # Not promised
//
// The texts of errors, and which of several faults is reported. That templates can
// be compared with ==. Which loose readings exist: more may be added, but
// never one that changes an exact reading.
package uritemplate
