package lifecycle

// MaxSnapshot is the longest snapshot that Restore of either role reads, in bytes; a longer one is
// refused with ErrSnapshot before anything is read. With the default Limits no peer can make a
// session that long. If you raise Limits, or pass output schemas of megabytes, check the length of
// what Snapshot returns.
const MaxSnapshot = 256 << 20
