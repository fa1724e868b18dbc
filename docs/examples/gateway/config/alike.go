package config

import (
	"strings"
	"unicode"
)

// No client reads a name with letters of other alphabets, such as full-width ones, as what it looks
// like. If it looks like a restriction it counts as one that is not understood.

// anyLetter stands for a letter that may be meant for any other.
const anyLetter = '?'

// alike are letters of other alphabets that look like Latin ones.
var alike = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'ғ': 'f', 'һ': 'h', 'н': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm',
	'п': 'n', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'ц': 'u', 'ѵ': 'v', 'ԝ': 'w', 'ш': 'w', 'х': 'x', 'у': 'y', 'ү': 'y',
	'α': 'a', 'β': 'b', 'ϲ': 'c', 'δ': 'd', 'ε': 'e', 'η': 'n', 'ι': 'i', 'ϳ': 'j', 'κ': 'k', 'μ': 'm', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o',
	'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'ω': 'w', 'ζ': 'z',
}

// folded returns a name as plainName does, with what its letters look like.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		is, known := alike[r]
		switch {
		case r <= unicode.MaxASCII:
			return r
		case known:
			return is
		case 'ａ' <= r && r <= 'ｚ':
			return 'a' + r - 'ａ'
		case 'ⓐ' <= r && r <= 'ⓩ':
			return 'a' + r - 'ⓐ'
		case 0x1d400 <= r && r < 0x1d6a4: // alphabets of mathematics, each of capital and small letters
			return 'a' + (r-0x1d400)%26
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Pd, unicode.Pc, unicode.Z, unicode.C):
			return -1 // not visible, or not a letter
		case unicode.In(r, unicode.Latin, unicode.Cherokee, unicode.Lisu, unicode.So, unicode.Sm, unicode.Nl):
			return anyLetter
		}
		return '/' // of a script that is not confused with Latin
	}, plainName(name))
}

// disguised reports whether a name looks like that of a restriction, and has letters other than
// ASCII.
func disguised(name string) bool {
	if strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return false
	}
	name = folded(name)
	for _, part := range restricts {
		for at := 0; at+len(part) <= len(name); at++ {
			if looksLike(name[at:at+len(part)], part) {
				return true
			}
		}
	}
	for known, u := range fields {
		switch u {
		case useOff, useOn, useDeny, useAllow, useFilter, useOptions, useApprovals, useSandboxes:
			if len(name) == len(known) && looksLike(name, known) {
				return true
			}
		}
	}
	return false
}

// looksLike reports whether a text of the same length may be meant for another.
func looksLike(text, other string) bool {
	for i := range len(other) {
		if text[i] != other[i] && text[i] != anyLetter {
			return false
		}
	}
	return true
}
