package limits

// inboxCost is the cost of a waiting event in an Inbox, with its places in the tables.
const inboxCost = 2 << 10

// manyRows are those of the machines of many servers.
func manyRows() []Row {
	return []Row{
		{
			Name: "inbox", Where: "manager.Inbox",
			What: "messages of servers that the application has not taken yet: notifications, progress, updates of resources, ends of elicitations, violations; " +
				"also announcements and changes, of which each server has a few",
			Settings: []Setting{inboxEvents, inboxBytes}, Formula: "2 × Bytes + 2,048 × (Notifications + Progress + 2 × Updates)",
			Bound:  func(s Settings) int { return 2*s.InboxBytes + 4*inboxCost*s.Inbox },
			Beyond: "the oldest are left out, of progress the newest operation, and counted; a longer one at once",
			Fields: []string{
				"manager.Inbox.queue", "manager.letter.ev", "manager.letter.about", "manager.Inbox.same",
				"manager.Inbox.old", "manager.Event.Session", "lifecycle.Event.ID", "lifecycle.Event.Method", "lifecycle.Event.Body",
				"lifecycle.Event.Err", "jsonrpc.ID.s", "jsonrpc.Error.Message", "jsonrpc.Error.Data", "lifecycle.Event.Cause",
				"lifecycle.Cause.Reason", "lifecycle.Cause.RPC",
			},
		},
	}
}
