package protocol

import "github.com/sansmcp/mcp/jsonrpc"

// Row is one row of the method table of a revision: all that is particular to a method
// (spec pages of each method; docs/methods.md is printed from these rows). The dispatchers
// go by rows and know hardly any method by name, so a method is added by its row.
//
// The rows of a feature stand in its file, beside its types. One with since or until
// belongs to the revisions of that range only.
type Row struct {
	Method       string     // as it goes over the wire; "" in the rows of custom methods
	Notification bool       // else it is a request
	Receiver     Party      // who takes the message
	Gate         Capability // what the answering party (request) or the sender (notification) declares for it
	Requires     Capability // what the receiver of a notification has to have declared
	Declares     Capability // what a party declares that answers it
	Send         Phases     // where the sender may send it
	Serve        Phases     // where the receiver serves it
	Cancellable  bool       // whether notifications/cancelled may name it
	Wait         Wait       // how long its answer may take
	Lists        *List      // the list that a result is a page of, which makes it paginated
	Names        *List      // the list that the params name an item of
	Asks         bool       // a stateless result may ask for input first, as InputRequired
	Cached       bool       // a stateless result says how long it is fresh
	Completes    bool       // the notification says the end of what Terms announced, and names it
	Setting      Setting    // what it changes of the session, or, of a notification, goes by
	ResultRule   string     // the requirement row that a malformed result breaks
	ItemRule     string     // the requirement row that a malformed item of a result breaks

	ages // the revisions that it belongs to

	params paramsCheck
	result resultCheck
	info   resultInfo // nil: nothing but the check is of interest

	// The members of params, beside _meta, that say what a request is about: what a
	// gateway that leaves bodies alone has to be able to tell.
	telling [2]string
	// structured says that a result may have structured content and an output schema.
	structured bool
	// terms says what the answer to a request is bound by; nil: by nothing.
	terms func(*Row, Asked) Terms
	// possible reports whether terms can have returned the subject; nil: it returns none.
	possible func(r *Row, subject string, received bool) bool
	// accept mends and judges a result that came; nil: it is as its check says.
	accept func(*Row, Reply) Reply
	// complete mends and judges a result that goes out; nil: it goes as it is.
	complete func(*Row, Reply) Reply

	of    *revision
	trims uint8 // the bits of each BodyKind whose bodies can have in them what the revision lacks
	index uint8 // the number of the method; 0 in the rows of custom methods
}

// Wait is the kind of the time that an answer may take.
type Wait uint8

// The kinds.
const (
	WaitRequest    Wait = iota // as any request
	WaitInitialize             // initialize
	WaitPing                   // a sign of life
	WaitHuman                  // people have to act
	WaitProbe                  // a peer that does not know the question need not say so
	WaitListen                 // as long as a subscription lasts, which a notification of this kind begins
)

// Setting is something of a session that its peer may change.
type Setting uint8

// The settings.
const (
	SettingNone        Setting = iota
	SettingLevel               // the least level of log messages
	SettingSubscribe           // a subscription begins, or is served
	SettingUnsubscribe         // a subscription ends
)

type (
	paramsCheck = func(Raw, jsonrpc.Span, age) (ParamsInfo, error)
	resultCheck = func(Raw, jsonrpc.Span, age) error
	resultInfo  = func(Raw, jsonrpc.Span, age) (ResultInfo, error)
)

// ParamsInfo is what a dispatcher needs to know of params, found in the pass that checks
// them or told by their type. It is part of the params: copy what is kept.
type ParamsInfo struct {
	Meta      Meta   // their _meta
	Subject   string // the name, uri or level that they are about, if any
	Arguments Raw    // the arguments of tools/call; "" if absent or unchecked
	Answers   bool   // they bring what ReadResponses reads; false if unchecked
}

// ResultInfo is what a dispatcher needs to know of a result, found in the pass that checks
// it or told by its type. It is part of the result: copy what is kept.
type ResultInfo struct {
	Unknown    bool // some content block is of a kind that the schema does not have
	Failed     bool // isError of tools/call
	Bare       bool // the result of tools/call has no content block
	Embeds     bool // some content block of tools/call is an embedded resource
	Asks       bool // it is questions in the place of a result (InputRequired)
	Structured Raw  // structuredContent of tools/call, "" for none
}

// Paginated reports whether the method takes a cursor (pagination page; PAGE-001).
func (r *Row) Paginated() bool { return r.Lists != nil && !r.Notification }

// Types returns zero values of the types of the params and of the result; nil for custom
// methods, and nil for the result of a notification.
func (r *Row) Types() (Params, Result) { return bodyValues(r.index) }

// Custom reports whether the row is one for methods outside the table.
func (r *Row) Custom() bool { return r.Method == "" }

// Revision returns the revision that the row belongs to.
func (r *Row) Revision() Revision { return Revision{r.of} }

// CheckParams checks params of the method, "" where the message has none. It
// returns nil or a *DecodeError.
func (r *Row) CheckParams(raw Raw, span jsonrpc.Span) error {
	_, err := r.params(raw, span, r.of.reads)
	return err
}

// ReadParams is CheckParams that returns what dispatch needs of the params.
func (r *Row) ReadParams(raw Raw, span jsonrpc.Span) (ParamsInfo, error) {
	return r.params(raw, span, r.of.reads)
}

// CheckResult checks a result of the method. It returns nil or a *DecodeError. Nothing is a
// result of a notification.
func (r *Row) CheckResult(raw Raw, span jsonrpc.Span) error {
	return r.checkResult(raw, span, r.of.reads)
}

func (r *Row) checkResult(raw Raw, span jsonrpc.Span, a age) error {
	if r.result == nil {
		return fault("Result", "", ReasonType)
	}
	return r.result(raw, span, a)
}

// readResult is CheckResult, for any age, that returns what dispatch needs of the result.
func (r *Row) readResult(raw Raw, span jsonrpc.Span, a age) (ResultInfo, error) {
	if r.info == nil {
		return ResultInfo{}, r.checkResult(raw, span, a)
	}
	return r.info(raw, span, a)
}

// readSent reads raw params that are to go out: they may have all that any revision has,
// for what theirs does not have is cut off by Downgrade, or refused by their Terms.
func (r *Row) readSent(raw Raw) (ParamsInfo, error) { return r.params(raw, jsonrpc.Span{}, sent) }

// readSentResult is readSent for a result. In a session null is no structured one, as ever.
func (r *Row) readSentResult(raw Raw) (ResultInfo, error) {
	info, err := r.readResult(raw, jsonrpc.Span{}, sent)
	if r.of.handshake && info.Structured == "null" {
		info.Structured = ""
	}
	return info, err
}

// Sender returns who sends the message.
func (r *Row) Sender() Party {
	if r.Receiver == BothParties {
		return BothParties
	}
	return r.Receiver.Peer()
}

// Row returns what the revision says of the method of that name, nil if it does not
// define it. Names are case-sensitive (JRPC-025).
func (r Revision) Row(method string) *Row {
	i := methodIndex(method)
	if r.t == nil || i == 0 || r.t.rows[i].index == 0 {
		return nil
	}
	return &r.t.rows[i]
}

// Rows returns the rows of the revision in the order of the table (SCHEMA-022); nil for
// the zero Revision.
func (r Revision) Rows() []*Row {
	if r.t == nil {
		return nil
	}
	var list []*Row
	for i := range r.t.rows {
		if r.t.rows[i].index != 0 {
			list = append(list, &r.t.rows[i])
		}
	}
	return list
}

// Known reports whether some revision defines the method.
func Known(method string) bool { return methodIndex(method) != 0 }

// Methods is a set of methods of the table.
type Methods uint64

// With returns the set with the method of the row; nil and custom methods change nothing.
func (s Methods) With(r *Row) Methods {
	if r == nil || r.index == 0 {
		return s
	}
	return s | 1<<r.index
}

// Has reports whether the method of the row is in the set. nil and custom methods are in none.
func (s Methods) Has(r *Row) bool { return r != nil && r.index != 0 && s>>r.index&1 != 0 }

// define returns the revision with its rows.
func (t *revision) define() *revision {
	for _, list := range featureRows {
		for _, r := range list {
			if t.age.in(r.ages) {
				r.index, r.of = methodIndex(r.Method), t
				if !t.handshake {
					r.stateless()
				}
				for kind, id := range bodyTypes[r.index] {
					if lacking[t.age][id] {
						r.trims |= 1 << kind
					}
				}
				t.rows[r.index] = r
			}
		}
	}
	t.customs = t.custom()
	t.trims = t.age.trims()
	return t
}

// stateless makes r a row of a revision without sessions: a request is served whenever its
// connection is live (REQM-014), and what a server asks is part of a result (JRPC-202).
func (r *Row) stateless() {
	switch {
	case r.Receiver == Client && !r.Notification:
		r.Send, r.Serve = 0, 0
	case r.Receiver == Client:
		r.Send, r.Serve = live, early
	case r.Method == MethodDiscover:
		r.Send, r.Serve = PhaseSet(Uninitialized, Ready), served
	default:
		r.Serve = served
	}
}

// The phases in which messages are sent and served. What belongs to a feature goes out once
// the session is ready (LIFE-007, LIFE-009, LIFE-010); pings go out before (PING-015).
var (
	live      = PhaseSet(Uninitialized, Initializing, Ready, ShuttingDown)
	beforeAny = PhaseSet(Uninitialized)
	handshake = PhaseSet(Initializing)
	ready     = PhaseSet(Ready)
	// A request of the client may overtake notifications/initialized, which a
	// transport with several streams can reorder.
	early = PhaseSet(Initializing, Ready)
	pings = PhaseSet(Initializing, Ready, ShuttingDown)
	// Without a session.
	served = PhaseSet(Uninitialized, Initializing, Ready)
)

// customRows are the rows of methods that no revision defines: they are served like those
// of the table that need no capability. Of their results the schema knows _meta only.
type customRows struct{ toServer, toClient, notes Row }

func (t *revision) custom() customRows {
	request := Row{Send: ready, Cancellable: true, params: acceptParams, result: checkEmptyResult, of: t}
	c := customRows{toServer: request, toClient: request}
	c.toServer.Receiver, c.toServer.Serve = Server, early
	c.toClient.Receiver, c.toClient.Serve = Client, ready
	c.notes = Row{Notification: true, Receiver: BothParties, Send: ready, Serve: early, params: acceptParams, of: t}
	if !t.handshake {
		c.toServer.Serve, c.toClient.Send, c.toClient.Serve, c.notes.Send, c.notes.Serve = served, 0, 0, live, live
	}
	return c
}

// CustomRow returns the row that holds for requests outside the table that the
// given party receives; nil for the zero Revision.
func (r Revision) CustomRow(receiver Party) *Row {
	switch {
	case r.t == nil:
		return nil
	case receiver == Client:
		return &r.t.customs.toClient
	}
	return &r.t.customs.toServer
}

// CustomNotificationRow returns the row that holds for notifications outside the
// table; nil for the zero Revision.
func (r Revision) CustomNotificationRow() *Row {
	if r.t == nil {
		return nil
	}
	return &r.t.customs.notes
}

// acceptParams accepts any object with a good _meta and, since params may be absent,
// nothing.
func acceptParams(raw Raw, span jsonrpc.Span, a age) (ParamsInfo, error) {
	if raw == "" {
		return ParamsInfo{}, nil
	}
	return checkPingParams(raw, span, a)
}
