// Package mapping holds docs/coming-from-beamagent.md against the tree: every row is
// there, every identifier and every case that it names exists. It also has the cases that
// the page names and no other package has a place for. It has tests only.
package mapping
