// Package rawjson reads and writes JSON as text: strings in, substrings out. It
// validates, walks objects and arrays, splices single members and appends
// scalars. It builds no trees and uses neither reflection nor unsafe.
//
// # Loop
//
// A reader validates a text once and then walks it as often as needed:
//
//	if !rawjson.Valid(text) {
//		return errBad
//	}
//	o, ok := rawjson.Members(text)
//	for ok {
//		var key, val string
//		if key, val, ok = o.Next(); ok {
//			use(key, val) // val is a substring of text
//		}
//	}
//	if o.Bad() { … } // cannot be after Valid
//
// A writer appends: AppendQuote and AppendFloat for scalars, Writer for members, and append for all
// punctuation.
//
// # Contract
//
// What Check, Valid, Skip and Key accept is RFC 8259 exactly, in UTF-8. Numbers
// may be of any size, names may repeat, escapes may name unpaired surrogates.
// Depth is bounded by an argument, and no function here recurses.
//
// All other functions expect text that was validated. Given anything else they
// neither panic nor loop: they report ok=false, end the walk with Bad, or return
// their input. The walks validate again what they step over, except a value that
// Jump vouches for, and all of a text that Trust vouches for.
//
// Time is linear in the text, whatever it is. Nothing is allocated except by
// Unquote for strings with escapes, by walks for names with escapes and for more
// than DefaultDepth levels, by Decimal, and by Set.
//
// # Not promised
//
// Compatibility. This package is what package jsonrpc and the codec of package
// protocol are made of; it is exported for them and may change with any release.
package rawjson
