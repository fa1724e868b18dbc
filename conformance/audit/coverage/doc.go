// Package coverage compares the requirement catalogue with the cases that prove its rows:
// transcripts, whose head names rows, and Go tests, which name them in a line "rows: …" of
// their comment or as a subtest.
//
// # The catalogue
//
// conformance/requirements.tsv is tab-separated: the id of a row, its area, the side that must
// comply, its level, the requirement, how to test it, and then
//
//   - since, the first revision with the row, "" for the oldest,
//   - until, the last one, "" for the newest,
//   - note: "open: WHAT" for a row of a feature that is not built yet, "below" for a row
//     about sessions of older revisions than since, "replaced: IDS" and
//     "extended: IDS" for a row that rows of a newer revision replace or extend;
//     several are separated by "; ".
//
// A row whose subject exists in a revision holds there, even if the row lists more than that
// revision has: a list means those of its entries that the revision knows, and MUST
// what the revision says.
//
// # Which revisions a case proves a row in
//
// A row is covered in a revision if one of its cases runs in it. A transcript runs in
// the revisions that [transcript.Revisions] finds in its head, by default in all. For a Go test
// they are, in this order:
//
//   - those of a line "revisions: …" in its comment or, for a subtest, in the comment
//     above it, in the form of a transcript's head;
//   - all, if the test or the code around the subtest ranges over protocol.AllRevisions(), or
//     passes a function to a helper of its package that does; those with a handshake, if
//     it ranges over protocol.Revisions();
//   - all, in packages whose functions are the same in every revision, unless the test
//     names one: there the revision is an argument, or irrelevant;
//   - [Default] otherwise.
//
// Only cases that name revisions without a handshake run in them: a range that is open
// to newer revisions ends at the newest with a handshake.
package coverage
