// Command faults shows that the cases of the catalogue prove what they claim. For each row
// of a sample there is a patch here that breaks it; a run applies one patch at a time and
// sees that a case that bears the row fails, and that no case fails which has nothing
// to do with it: it bears neither the row nor one that the patch names as dependent. It
// exits non-zero if one of them does not hold.
//
//	go run ./conformance/audit/faults                # all of them
//	go run ./conformance/audit/faults -only TIME-008
//	go run ./conformance/audit/faults -sample 60     # those there are of this week's sample, and which lack
//	go run ./conformance/audit/faults -single        # runs nothing: rows that rest on one case and have no patch
//
// With -sample it exits non-zero as well if a row of the sample has no patch.
//
// # Which rows
//
// The patches here are those of the kept sample, KeptRows of KeptSeed, and any others. Lacking
// tells which rows of another sample, or of those that rest on a single case, nobody has
// tried to break yet.
//
// # The form of a patch
//
// The file ROW-001.patch begins with what it breaks, in a sentence. Lines "also: ROW
// reason" name further rows that really depend on what is broken. Then follow one or
// more changes: the file, and after each @@ some lines with what stays (blank), goes (-)
// and comes (+) marked as in a diff, without line numbers:
//
//	# Progress extends a request beyond its maximum.
//	# also: TIME-009 the default maximum is the same bound
//	--- lifecycle/engine/progress.go
//	@@
//	-		deadline = min(c.After(v.timeout), v.hard)
//	+		deadline = c.After(v.timeout)
//
// The lines that stay or go have to be in the file exactly once; how far they are
// indented does not matter. A patch changes the bodies of functions or the values of
// package variables, nothing else.
//
// A case that goes through a transport, as a transcript in the form for HTTP and the tests of
// drivers, goes through everything: a patch of what lies below transports is not held against it,
// unless the case bears the row.
//
// # How it runs
//
// Nothing in the tree changes, and nothing is compiled per patch: the patched bodies stand
// beside the sound ones in one overlay, and a variable of the environment chooses.
package main
