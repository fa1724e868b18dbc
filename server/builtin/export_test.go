package builtin

// The functions behind the tools.
var (
	Calculate = evaluate
	Query     = valueAt
	At        = dateAt
	UUID4     = uuid4
	UUID7     = uuid7
)

// DateTime is what the tool date_time tells.
type DateTime = date
