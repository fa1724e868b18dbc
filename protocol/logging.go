package protocol

import "slices"

// The methods of logging (logging page).
const (
	MethodLoggingSetLevel = "logging/setLevel"
	MethodLoggingMessage  = "notifications/message"
)

var loggingRows = []Row{
	{
		// LOG-002
		Method: MethodLoggingSetLevel, Receiver: Server, Gate: CapLogging, Declares: CapLogging, Send: ready, Serve: early, Cancellable: true,
		Setting: SettingLevel, ResultRule: "SCHEMA-021", telling: [2]string{"level"},
		params: checkSetLevelParams, result: checkEmptyResult,
	},
	{
		// LIFE-011: also before notifications/initialized.
		Method: MethodLoggingMessage, Notification: true, Receiver: Client, Gate: CapLogging, Send: early, Serve: early,
		Setting: SettingLevel, params: checkLoggingMessageParams, telling: [2]string{"level"},
	},
}

// LoggingLevel is the severity of a log message (RFC 5424).
type LoggingLevel string

// The levels, from the least severe to the most.
const (
	LevelDebug     LoggingLevel = "debug"
	LevelInfo      LoggingLevel = "info"
	LevelNotice    LoggingLevel = "notice"
	LevelWarning   LoggingLevel = "warning"
	LevelError     LoggingLevel = "error"
	LevelCritical  LoggingLevel = "critical"
	LevelAlert     LoggingLevel = "alert"
	LevelEmergency LoggingLevel = "emergency"
)

var levels = [...]LoggingLevel{LevelDebug, LevelInfo, LevelNotice, LevelWarning, LevelError, LevelCritical, LevelAlert, LevelEmergency}

// Severity returns the rank of the level, from 0 (debug) to 7 (emergency), and
// -1 for a level that does not exist (LOG-006).
func (l LoggingLevel) Severity() int { return slices.Index(levels[:], l) }

// Valid reports whether l is one of the eight levels (SCHEMA-007, LOG-010).
func (l LoggingLevel) Valid() bool { return l.Severity() >= 0 }

// SetLevelParams are the params of logging/setLevel.
type SetLevelParams struct {
	// Level is the least severe level that the client wants to get (LOG-003).
	Level LoggingLevel `json:"level"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// LoggingMessageParams are the params of notifications/message.
type LoggingMessageParams struct {
	// Level is the severity.
	Level LoggingLevel `json:"level"`
	// Logger names where the message comes from.
	Logger string `json:"logger,omitzero" mcp:"name"`
	// Data is the message, any JSON value; "" is sent as null.
	Data Raw `json:"data"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
