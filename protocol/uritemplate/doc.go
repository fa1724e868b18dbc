// Package uritemplate expands URI templates and matches uris against them: RFC
// 6570, all four levels. A server uses it to find out which of its resource
// templates a uri belongs to and what the variables are; a client, to make the uri
// that it wants to read.
//
// A Template is parsed once. Expand makes a uri from Values, Match gives Values
// back, and a Set finds the most specific of many templates.
//
// # Loop
//
// A server parses its templates when it is configured, and asks the Set about
// every uri that is not that of a resource:
//
//	found, ok := set.Find(uri)
//	if !ok {
//		return notFound(uri)
//	}
//	return handlers[found.Index](found.Values)
//
// What a handler gets comes from the peer. A value may be anything, "..", "a/b" or
// a NUL byte, since triplets are decoded: one that becomes a path, a query or a
// command has to be checked as such.
//
// # Contract
//
// Parsing is strict, and Error says where a template is wrong. Expansion follows
// RFC 6570 to the letter, but for the one point that Expand names.
//
// Nothing panics, whatever the input is. Time is linear in the size of the output
// for Expand, and in the product of the lengths of uri and template for Match,
// since a match never goes back. Templates longer than MaxTemplate are refused;
// uris longer than MaxURI match nothing, and nor do those whose product with the
// template is larger than MaxWork, which takes hundreds of variables or a long uri.
// Find takes the time of one Match for each template whose text before its first expression
// the uri begins with, up to a limit that only thousands of templates with many variables reach;
// of others it takes a binary search.
//
// Match reads a uri as follows. Triplets are compared as RFC 3986, section 6.2.2,
// says: %7e, %7E and ~ are the same, %2F and / are not. A character that no uri
// has, as a space or ü, counts as encoded. A % that begins no triplet matches
// nothing. Values are decoded; those of {+x} and {#x} keep the triplets that mean
// something else than their character does, as %2F. First a uri is read exactly:
// it has to be what Expand writes, in this sense. If that fails, it is read
// loosely: a value may also contain what RFC 3986 allows in the place without
// encoding, that is ! $ & ' ( ) * + , ; = : @ and in {?x} and {&x} also / and ?,
// apart from what ends the value there. Many encoders leave some of these alone.
//
// A uri may have several readings. From left to right, the first of these choices
// is taken with which the rest of the uri can be read:
//
//   - A variable is defined rather than not. But if an expression without
//     operator, or with +, gives nothing, its variables are undefined, not empty.
//   - Parameters are in the order of the template (see below) rather than as they
//     are.
//   - A value is as long as possible, and an exploded variable has as many members
//     as possible. But {x,y} and {.x,y} give x the part before the first separator,
//     and y the rest; and before {?y}, {&y}, {;y} and {#y} a value ends at the first
//     character with which these begin: {+x}{?y} reads a/b?y=1 as one would.
//   - A comma in a value makes a list, except in {+x}, {#x} and {x:3}, where it
//     is text. Exploded members with = are pairs, if all have it; in {?x*}, {&x*}
//     and {;x*} they are a list if all are called x. One member is a text.
//
// Parameters have no order: {?x,y} reads ?y=2&x=1 as it reads ?x=1&y=2, and so do
// several expressions for parameters that follow each other, as {?x}{&y*}, together
// with the text next to them, as in ?v=1{&x,y}. Each parameter is there once at
// most, and one that the template does not name matches nothing but an exploded
// variable, which takes all that the variables before it do not: {?x,rest*} reads
// ?a=2&x=1 as x and, in rest, a. Where the parameters cannot be read in the order of
// the template, they are read as they are.
//
// Every uri that Expand writes has an exact reading, unless a name occurs more
// than once. Expand makes the same uri of the values read, but for the order of
// parameters, and they are those that Expand got, except where the uri does not
// tell: a list of one item comes back as text, pairs that are not exploded as a
// list, a list in {+x} or {#x} as text, what a prefix cut off not at all, an empty
// value alone in {x} or {+x} as undefined. In {+x} and {#x}, text with triplets or
// with characters that delimit it there may come back otherwise, and so may text
// with dots where a dot separates, defined variables after undefined ones where the
// operator writes no names, variables after an exploded one that could have them as
// members, members of an exploded variable with the name of a variable before it,
// and expressions that follow each other with nothing between.
//
// A name that occurs more than once has to have one value that gives every
// occurrence, of which a prefix may be part. Only the first reading is looked at;
// if that has two values for the name, the uri does not match.
//
// The result of Match and Find depends on nothing but template and uri. Values do
// not share memory with the uri. The zero Template is the empty one, which matches
// the empty uri alone; the zero Set finds nothing; the zero Value is undefined. All
// types may be copied, and read from several goroutines at once.
//
// # Not promised
//
// The texts of errors, and which fault of several is reported. That templates can
// be compared with ==. Which loose readings there are: more may be added, but
// never one that changes what an exact reading gives.
package uritemplate
