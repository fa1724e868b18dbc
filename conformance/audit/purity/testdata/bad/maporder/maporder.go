// Package maporder gives output in the order of a map.
package maporder

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

type headers map[string]string

func leak(m headers) (out []string) {
	for k := range m { // want maporder
		out = append(out, k)
	}
	return out
}

func sortedLater(m headers) []string {
	var out []string
	for k := range m { // want maporder
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func approximate[M ~map[K]V, K comparable, V any](m M) (out []V) {
	for _, v := range m { // want maporder
		out = append(out, v)
	}
	return out
}

func iterators(m headers) {
	for k := range maps.Keys(m) { // want maporder
		use(k)
	}
	use(strings.Join(slices.Collect(maps.Values(m)), " ")) // want maporder
	// Values that compare equal can differ.
	_ = slices.SortedFunc(maps.Values(m), func(a, b string) int { return cmp.Compare(len(a), len(b)) }) // want maporder
	each := maps.All[headers]                                                                           // want maporder
	each(m)(func(k, _ string) bool { use(k); return true })
}

func pure(m headers, list []string) int {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		use(m[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys[headers](m), strings.Compare) {
		use(m[k])
	}
	for _, s := range list {
		use(s)
	}
	n := 0
	for range m {
		n++
	}
	maps.Copy(m, maps.Clone(m))
	return n
}

func use(string) {}
