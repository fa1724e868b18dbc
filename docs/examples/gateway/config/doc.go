// Package config reads the configuration files of MCP clients for their servers.
//
//	{
//	  "mcpServers": {
//	    "files":  {"command": "server-files", "args": ["--root", "${HOME}"], "disabledTools": ["delete_file"]},
//	    "search": {"url": "https://search.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
//	  }
//	}
//
// A fault in an entry affects only that entry, and is reported with its place. A restriction that is
// not understood leaves its server out, or all servers if it is a setting of the whole file. A
// member counts as one if its name looks like that of a restriction, or if it has a type or value
// that it must not have. An unknown member that restricts nothing is a Warning.
//
// # Forms
//
// Names of members are read without case, - and _. A name with letters of other alphabets that looks
// like a restriction is one that is not understood.
//
//	member of the file                      understood as
//	mcpServers, object or array             the servers; an array has their names in "name" (Continue)
//	servers, mcp.servers                    the servers (VS Code and its settings)
//	context_servers                         the servers (Zed)
//	mcp, with entries                       the servers (opencode)
//	entries alone                           the servers (plugins)
//	inputs                                  what ${input:id} asks for: promptString and pickString
//	mcp.allowed, allowMCPServers,           the servers that alone there are
//	enabledMcpjsonServers
//	mcp.excluded, excludeMCPServers,        servers that there are not
//	disabledMcpjsonServers
//	excludeTools, tools.exclude             tools that no server offers (Gemini CLI)
//	tools: {"server_tool*": false}          tools that are not offered (opencode)
//	permission, of tools of the client      nothing; of other tools: refused, with the file
//	another that looks like a restriction   refused, with the file
//	of servers or tools
//	anything else                           warned of
//
//	member of an entry                      understood as
//	command                                 the program: a word, an array with its arguments, or an
//	                                        object with path, args and env; several words: refused
//	args                                    an array; a text: refused
//	env, environment                        an object; an array: refused
//	cwd                                     where it runs; the folder of the file by default
//	url, serverUrl, httpUrl, baseUrl        the url; two of them: refused
//	headers, requestOptions.headers         an object
//	type, transport, transportType          stdio, local; http, streamable-http, streamableHttp,
//	                                        remote, sse; any other: refused
//	command and url, without a type         refused
//	disabled: true, enabled: false,         switched off; anything but a boolean: refused
//	isActive: false, options.disabled
//	disabledTools, excludeTools             tools that are not offered, by name; * is any text
//	includeTools, enabledTools,             the tools that alone are offered; "*": all, []: none
//	allowedTools, tools                     null: refused, as toolFilter, enabled and isActive
//	tools: {"name": false}                  tools that are not offered
//	toolFilter, options.toolFilter          {"mode": "allow" or "block", "list": [names]}
//	autoApprove, alwaysAllow, trust         nothing, with a note: nobody is asked here
//	requireApproval, but "never"            refused, and so is sandboxEnabled: true
//	another that looks like a restriction   refused
//	anything else                           warned of
//
//	in a text                               stands for
//	${NAME}, ${env:NAME}                    a variable of the environment; not set: refused
//	${NAME:-text}                           text, if it is not set or empty
//	$NAME                                   a variable in files of Gemini CLI, itself in those of VS Code,
//	                                        Zed, Windsurf and others that can be told; else refused
//	{env:NAME}                              a variable, in files of opencode
//	${input:id}                             what Options.Input says: a flag, or who sits at a terminal
//	${workspaceFolder}, its Basename        the folder of the file, or the one above .vscode, .cursor,
//	                                        .gemini, .roo, .zed and .kiro
//	${userHome}, ~ at the beginning of      the home of the user; ~ in arguments: itself, with a note
//	a command or cwd
//	${pathSeparator}, ${/}                  the separator of paths
//	any other ${…}                          refused
//
// A relative cwd, and a relative command with a slash, start from ${workspaceFolder}. Comments and
// trailing commas are accepted. Of two members with the same name neither counts.
//
// The files in testdata show the result for each form.
package config
