// Package phases drives server and client States through every row and every gap of
// the transition table. It has tests only.
package phases
