package protocol

// Trims reports whether Downgrade looks at bodies of the kind.
func Trims(r *Row, kind BodyKind) bool { return r.trims>>kind&1 != 0 }
