// Command faults shows that the cases of the catalogue prove what they claim. Each row
// of a sample has a patch here that breaks it. A run applies one patch at a time and
// checks that a case of the row fails, and that no unrelated case does: one with neither
// the row nor a row that the patch names as dependent. It
// exits non-zero if a check fails.
//
//	go run ./conformance/audit/faults                # all of them
//	go run ./conformance/audit/faults -only TIME-008
//	go run ./conformance/audit/faults -sample 60     # the patches for this week's sample, and the missing ones
//	go run ./conformance/audit/faults -single        # runs nothing: rows with one case and no patch
//
// With -sample it also exits non-zero if a row of the sample has no patch.
//
// # Which rows
//
// The patches here are those of the kept sample, KeptRows of KeptSeed, and others. Lacking
// tells which rows of another sample, or of those with a single case, have no patch
// yet.
//
// # The form of a patch
//
// The file ROW-001.patch begins with a sentence on what it breaks. Lines "also: ROW
// reason" name further rows that depend on the broken code. Then follow one or
// more changes: the file, and after each @@ lines that stay (space), are removed (-)
// or added (+) as in a diff, without line numbers:
//
//	# Progress extends a request beyond its maximum.
//	# also: TIME-009 the default maximum is the same bound
//	--- lifecycle/engine/progress.go
//	@@
//	-		deadline = min(c.After(v.timeout), v.hard)
//	+		deadline = c.After(v.timeout)
//
// The lines that stay or are removed must occur exactly once in the file; their indentation
// does not matter. A patch may only change the bodies of functions or the values of
// package variables.
//
// A case over a transport, such as a transcript in HTTP form or a test of a
// driver, depends on everything: if it fails for a patch below the transports, that does not
// count, unless the case has the row.
//
// # How it runs
//
// Nothing in the tree changes, and patches are not compiled one by one: one overlay contains the
// patched bodies and the original ones, and an environment variable chooses.
package main
