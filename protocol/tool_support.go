package protocol

// ToolExecution says how a tool can be called.
type ToolExecution struct {
	// TaskSupport says whether calls may, or have to, become tasks; absent means TaskForbidden.
	TaskSupport TaskSupport `json:"taskSupport,omitzero"`
}

// TaskSupport says whether calls of a tool may become tasks.
type TaskSupport string

// The values of TaskSupport.
const (
	TaskForbidden TaskSupport = "forbidden"
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
)

// Valid reports whether s is one of the three values.
func (s TaskSupport) Valid() bool {
	return s == TaskForbidden || s == TaskOptional || s == TaskRequired
}

// TaskSupport returns the taskSupport of the tool, TaskForbidden if absent (TOOL-103).
func (v Tool) TaskSupport() TaskSupport {
	if v.Execution == nil || v.Execution.TaskSupport == "" {
		return TaskForbidden
	}
	return v.Execution.TaskSupport
}

// ValidToolName reports whether name is what a tool should be called: 1 to 128 ASCII
// letters, digits, underscores, hyphens and dots (tools, Tool Names; TOOL-104,
// TOOL-105). Other names are sent and taken all the same.
func ValidToolName(name string) bool {
	return 1 <= len(name) && len(name) <= 128 && consists(name, "_-.")
}
