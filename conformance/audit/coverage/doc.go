// Package coverage holds the requirement catalogue against the cases that prove its rows:
// transcripts, whose head names rows, and Go tests, which name them in a line "rows: …" of
// their comment or as a subtest.
//
// # The catalogue
//
// conformance/requirements.tsv is tab-separated: the id of a row, its area, who has to keep
// to it, how strong it is, the requirement, how to test it, and then
//
//   - since, the first revision that the row holds in, "" for the oldest,
//   - until, the last one, "" for the newest,
//   - note: "open: WHAT" for a row of something that is not built yet, "below" for a row
//     that says what is done in sessions of older revisions than since, "replaced: IDS" and
//     "extended: IDS" for a row that those of a newer revision take the place of or add to;
//     several are separated by "; ".
//
// A row whose thing exists in a revision holds there, even if the row lists more than that
// revision has: a list is read as those of its entries that the revision knows, and MUST as
// what the revision says.
//
// # Which revisions a case proves a row in
//
// A row is covered in a revision if one of its cases is run in it. A transcript is run at
// the revisions that [transcript.Revisions] finds in its head, all by default. For a Go test
// they are, in this order:
//
//   - those of a line "revisions: …" in its comment or, for a subtest, in the comment
//     above it, in the form of a transcript's head;
//   - all, if the test or what surrounds the subtest ranges over protocol.AllRevisions(), or
//     hands a function to a helper of its package that does; those with a handshake, if that
//     is so of protocol.Revisions();
//   - all, in the packages whose functions are the same in every revision, unless the test
//     names one: there the revision is an argument or there is none;
//   - [Default] otherwise.
//
// The revisions without a handshake are those of cases that name them: a range that is open
// to newer revisions ends at the newest with a handshake.
package coverage
