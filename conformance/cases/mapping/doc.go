// Package mapping compares docs/coming-from-beamagent.md with the tree: every row is
// there, and every identifier and every case that it names exists. It also has the cases
// of the page that belong to no other package. It has only tests.
package mapping
