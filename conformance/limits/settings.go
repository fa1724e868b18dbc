package limits

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Upper bounds of cost, in bytes allocated for each byte of the input.
const (
	PerListItem = 8  // an incoming result that is a list: invalid items are cut out, level by level
	PerMessage  = 16 // any other incoming message
	PerName     = 32 // content that is read into a table by name: arguments, structured content, initialize
	PerValue    = 16 // protocol.Decode of a list of the smallest items, encoded again
)

// Settings are the settings of the table, filled.
type Settings struct {
	lifecycle.Limits // of the Config of either role

	Message  int // jsonrpc.Decoder.MaxBytes
	Elements int // jsonrpc.Decoder.MaxBatch

	Pages int // MaxPages of client.Pager

	IDs int // client.Retries.MaxIDs

	Roots     int // server.Roots.MaxRoots
	RootBytes int // server.Roots.MaxBytes

	StreamBytes   int // streams.Options.MaxBytes
	StreamAnswers int // streams.Options.MaxAnswers
	Listeners     int // streams.Options.MaxListeners

	Inbox      int // manager.InboxOptions.Notifications, Progress and Updates
	InboxBytes int // manager.InboxOptions.Bytes
}

// Defaults returns the default Settings.
func Defaults() Settings {
	l, _ := lifecycle.Limits{}.Filled() // the zero Limits are valid
	return Settings{
		Limits: l, Message: jsonrpc.DefaultMaxBytes, Elements: 1000,
		Pages: 1000, IDs: 1000, Roots: 1000, RootBytes: 1 << 20,
		StreamBytes: 4 << 20, StreamAnswers: 16 << 20, Listeners: 8,
		Inbox: 128, InboxBytes: 4 << 20,
	}
}

// Setting is one of the settings of a row.
type Setting struct {
	Name string             // as written in a program
	Of   func(Settings) int // its value
}

// The settings by name.
var (
	inbound       = Setting{"Limits.Inbound", func(s Settings) int { return s.Inbound }}
	outbound      = Setting{"Limits.Outbound", func(s Settings) int { return s.Outbound }}
	subscriptions = Setting{"Limits.Subscriptions", func(s Settings) int { return s.Subscriptions }}
	text          = Setting{"Limits.Text", func(s Settings) int { return s.Text }}
	schema        = Setting{"Limits.Schema", func(s Settings) int { return s.Schema }}
	message       = Setting{"Decoder.MaxBytes", func(s Settings) int { return s.Message }}
	elements      = Setting{"Decoder.MaxBatch", func(s Settings) int { return s.Elements }}
	pages         = Setting{"MaxPages", func(s Settings) int { return s.Pages }}
	pageIDs       = Setting{"MaxIDs", func(s Settings) int { return s.IDs }}
	roots         = Setting{"MaxRoots", func(s Settings) int { return s.Roots }}
	rootBytes     = Setting{"MaxBytes", func(s Settings) int { return s.RootBytes }}
	streamBytes   = Setting{"Options.MaxBytes", func(s Settings) int { return s.StreamBytes }}
	streamAnswers = Setting{"Options.MaxAnswers", func(s Settings) int { return s.StreamAnswers }}
	listeners     = Setting{"Options.MaxListeners", func(s Settings) int { return s.Listeners }}
	inboxEvents   = Setting{"Notifications, Progress, Updates", func(s Settings) int { return s.Inbox }}
	inboxBytes    = Setting{"Bytes", func(s Settings) int { return s.InboxBytes }}
)
