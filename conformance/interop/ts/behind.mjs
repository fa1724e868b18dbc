// behind.mjs is a stdio server made with the TypeScript SDK, for gateways of several processes: it can say which process
// has started it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'interop-behind', version: '1.0.0' }), low = server.server;
const text = t => ({ content: [{ type: 'text', text: String(t) }] }), sleep = ms => new Promise(r => setTimeout(r, ms));
const tool = (name, f) => server.registerTool(name, { description: 'A tool.', inputSchema: {} }, f);
const progress = ({ _meta, sendNotification }, progress) => sendNotification({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress } });
tool('whose', () => text(process.ppid));
tool('hang', async (_, extra) => { await progress(extra, 1); await new Promise(() => { }); });
tool('slow', async (_, extra) => {
  for (let i = 1; i <= 5; i++) { await sleep(100); await progress(extra, i); }
  return text('done');
});
tool('confirm', async () => text((await low.elicitInput({ message: 'really? asks ' + process.ppid, requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } })).action));
await server.connect(new StdioServerTransport());
