// server2.mjs is a server over HTTP made with the TypeScript SDK 2, with sessions and
// resumption, at the port PORT. It has some of the tools of docs/examples/stdioserver.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport, localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node';

const sleep = ms => new Promise(r => setTimeout(r, ms));
const text = t => ({ content: [{ type: 'text', text: typeof t === 'string' ? t : JSON.stringify(t) }] });
const anything = fromJsonSchema({ type: 'object' });

function makeServer() {
  const server = new McpServer({ name: 'interop-ts2', version: '1.0.0' }, { capabilities: { logging: {} } });
  const tool = (name, f) => server.registerTool(name, { description: 'A tool.', inputSchema: anything }, f);
  tool('echo', ({ text: t }) => text(t));
  tool('slow', async ({ ms, steps }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= steps && !ctx.mcpReq.signal.aborted; progress++) {
      await sleep(ms / steps);
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: steps } });
    }
    return text(`${steps} steps`);
  });
  tool('ask', async ({ prompt }, ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
    const r = await ctx.mcpReq.send({ method: 'sampling/createMessage', params: { messages, maxTokens: 100 } });
    return text([r.content].flat()[0].text);
  });
  tool('confirm', async ({ message }, ctx) => text(await ctx.mcpReq.send({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] } },
  })));
  let extra;
  tool('toggle', () => {
    if (extra) { extra.remove(); extra = undefined; } else extra = tool('extra', () => text('here'));
    return text('done');
  });
  return server;
}

// Events keeps the events of one session; their ids name the stream.
class Events {
  list = [];
  async storeEvent(stream, message) {
    const id = `${stream}/${this.list.length}`;
    this.list.push({ id, stream, message });
    return id;
  }
  async getStreamIdForEventId(id) { return this.list.find(e => e.id === id)?.stream; }
  async replayEventsAfter(last, { send }) {
    const at = this.list.findIndex(e => e.id === last), stream = this.list[at]?.stream;
    for (const e of this.list.slice(at + 1)) if (e.stream === stream && e.message.jsonrpc) await send(e.id, e.message);
    return stream;
  }
}

const sessions = new Map(), hostIsGood = localhostHostValidation(), originIsGood = localhostOriginValidation();
createServer(async (req, res) => {
  if (!hostIsGood(req, res) || !originIsGood(req, res)) return;
  const id = req.headers['mcp-session-id'];
  let transport = sessions.get(id);
  if (id && !transport) return res.writeHead(404).end();
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID, eventStore: new Events(), retryInterval: 1000,
      onsessioninitialized: id => { sessions.set(id, transport); }, onsessionclosed: id => { sessions.delete(id); },
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(req, res);
}).listen(Number(process.env.PORT), '127.0.0.1');
