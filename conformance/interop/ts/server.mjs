// server.mjs is a stdio server made with the TypeScript SDK. It has what server-everything
// does not have at 2025-06-18: a form of primitive fields, and more than 100 proposals.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { z } from 'zod';

const server = new McpServer({ name: 'interop-ts', version: '1.0.0' });
server.registerTool('confirm', { description: 'Asks.', inputSchema: {} }, async () => {
  const r = await server.server.elicitInput({
    message: 'really?',
    requestedSchema: { type: 'object', properties: { answer: { type: 'string' }, times: { type: 'integer', maximum: 10 } }, required: ['answer'] },
  });
  return { content: [{ type: 'text', text: JSON.stringify(r) }] };
});
const numbers = Array.from({ length: 1000 }, (_, i) => String(i));
const n = completable(z.string(), value => numbers.filter(x => x.startsWith(value)));
server.registerPrompt('square', { argsSchema: { n } }, ({ n }) => ({ messages: [{ role: 'user', content: { type: 'text', text: String(n * n) } }] }));
await server.connect(new StdioServerTransport());
