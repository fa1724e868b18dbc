package manager

// InboxOptions bound an Inbox.
type InboxOptions struct {
	// Notifications is how many ordinary notifications wait at most, as log messages and those
	// of unknown methods; zero means DefaultInbox. One more drops the oldest.
	Notifications int
	// Progress is for how many operations progress waits at most; zero means DefaultInbox.
	Progress int
}

// DefaultInbox is what an Inbox takes for a zero of its options.
const DefaultInbox = 128

// Drops counts what an Inbox has left out.
type Drops struct {
	Notifications uint64 // ordinary notifications that nobody took in time
	Progress      uint64 // progress that a newer one replaced, or that there was no room for
	Coalesced     uint64 // announcements of a change that one that waits already stands for
}

// Inbox is a bounded queue of Events between a Manager and an application that is slower
// (row B24): a value. Control is never dropped: the end of an operation, changes of a server,
// requests of a server and their end. Of announcements of a change (list_changed,
// resources/updated of one uri) one waits for each server, of progress the newest of each
// operation, of other notifications a bounded number. Events come out in the order in which
// they came in; what replaces an earlier one takes its place.
type Inbox struct{ opt InboxOptions }

// NewInbox returns an empty Inbox.
func NewInbox(opt InboxOptions) Inbox { return Inbox{opt: opt} }

// Push adds an event.
func (q Inbox) Push(ev Event) Inbox { panic("under construction") }

// Pop takes the oldest event out; false if there is none.
func (q Inbox) Pop() (Inbox, Event, bool) { panic("under construction") }

// Len returns how many events wait.
func (q Inbox) Len() int { panic("under construction") }

// Drops returns what was left out so far.
func (q Inbox) Drops() Drops { panic("under construction") }
