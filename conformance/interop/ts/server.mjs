// server.mjs is a stdio server made with the TypeScript SDK. It has what server-everything
// does not have: a form that is small, more than 100 proposals, pages whose end is told, and
// tools for the model.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const server = new McpServer({
  name: 'interop-ts', version: '1.0.0', title: 'A server', description: 'Shows what came with 2025-11-25.', websiteUrl: 'https://example.com/interop',
  icons: [{ src: 'https://example.com/interop.png' }, { src: 'file:///etc/passwd' }],
});
const low = server.server, text = t => ({ content: [{ type: 'text', text: typeof t === 'string' ? t : JSON.stringify(t) }] });
const tool = (name, f, config) => server.registerTool(name, { description: 'A tool.', inputSchema: {}, ...config }, f);
tool('confirm', async () => text(await low.elicitInput({
  message: 'really?',
  requestedSchema: { type: 'object', properties: { answer: { type: 'string' }, times: { type: 'integer', maximum: 10 } }, required: ['answer'] },
})));
tool('choose', async () => {
  const { action, content } = await low.elicitInput({
    message: 'What may it be?',
    requestedSchema: {
      type: 'object', required: ['fruits'],
      properties: {
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'm', title: 'Medium' }, { const: 'l', title: 'Large' }], default: 'm' },
        fruits: { type: 'array', items: { type: 'string', enum: ['apple', 'cherry', 'plum'] }, minItems: 1, maxItems: 2, default: ['apple'] },
        extras: { type: 'array', items: { anyOf: [{ const: 'mint', title: 'A leaf of mint' }, { const: 'ice', title: 'Much ice' }] }, default: [] },
        glasses: { type: 'integer', minimum: 1, default: 2 },
        name: { type: 'string', default: 'Ada' },
      },
    },
  });
  return text({ action, content });
});
const page = () => { const elicitationId = randomUUID(); return { mode: 'url', message: 'Please have a look.', url: 'https://example.com/visit/' + elicitationId, elicitationId }; };
const later = f => setTimeout(f, 100);
tool('visit', async () => {
  const p = page(), { action } = await low.elicitInput(p);
  if (action === 'accept') later(low.createElicitationCompletionNotifier(p.elicitationId));
  return text({ action });
});
let signedIn = false;
tool('account', async () => {
  if (signedIn) return text('signed in');
  const p = page();
  later(() => { signedIn = true; low.createElicitationCompletionNotifier(p.elicitationId)(); });
  throw new UrlElicitationRequiredError([p]);
});
tool('reason', async ({ prompt }) => {
  const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
  const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
  for (let i = 0; i < 10; i++) {
    const { role, content } = await low.createMessage({ messages, maxTokens: 100, tools: [{ name: 'add', inputSchema: schema }] });
    const uses = [content].flat().filter(b => b.type === 'tool_use');
    if (uses.length === 0) return text([content].flat()[0].text);
    messages.push({ role, content }, { role: 'user', content: uses.map(u => ({ type: 'tool_result', toolUseId: u.id, content: [{ type: 'text', text: String(u.input.a + u.input.b) }] })) });
  }
}, { inputSchema: { prompt: z.string() } });
tool('who', async () => text(low.getClientVersion()));
const numbers = Array.from({ length: 1000 }, (_, i) => String(i));
const n = completable(z.string(), value => numbers.filter(x => x.startsWith(value)));
server.registerPrompt('square', { argsSchema: { n } }, ({ n }) => ({ messages: [{ role: 'user', content: { type: 'text', text: String(n * n) } }] }));
await server.connect(new StdioServerTransport());
