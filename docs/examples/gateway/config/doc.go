// Package config reads the configuration files that MCP clients have for their servers: the
// mcpServers of Claude Desktop, Claude Code, Cursor and others, and the servers of VS Code.
//
//	{
//	  "mcpServers": {
//	    "files":  {"command": "server-files", "args": ["--root", "${HOME}"], "env": {"LOG": "${LEVEL:-info}"}},
//	    "search": {"url": "https://search.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}
//	  }
//	}
//
// A server has a command, with args, env and cwd, or a url, with headers; "type" or "transport"
// says which if there could be a doubt, and "disabled": true leaves the server out. In all texts
// of an entry ${NAME} and ${env:NAME} stand for a variable of the environment, ${NAME:-text} for
// text if it is not set or empty, ${userHome} for the home of the user and ${workspaceFolder} for
// the directory of the file. A variable that is not set is an error.
//
// Comments and commas behind the last element are taken, since files of VS Code have them. A
// member that is not known here is a Warning, and all else that is wrong an Error, with the place
// in the file.
package config
