package lifecycle

// MaxSnapshot is the longest snapshot that Restore of either role reads, in bytes; a
// longer one is refused with ErrSnapshot before anything is read. With the default
// Limits no peer can make a session that long. Who raises Limits, or gives requests
// output schemas of megabytes, keeps an eye on the length of what Snapshot returns.
const MaxSnapshot = 256 << 20
