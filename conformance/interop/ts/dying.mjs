// dying.mjs --sdk 1|2 URL : checks gateways of three processes with one store before behind.mjs, each request of which goes
// to the next one, with the client of the TypeScript SDK of that major version. It kills the process that is the home of its session,
// in the middle of a call, until one is left.
import { parseArgs } from 'node:util';
import { brief, check, finish, sleep, someFailed, strays, want } from './checks.mjs';

const { values: { sdk }, positionals: [url] } = parseArgs({ allowPositionals: true, options: { sdk: { type: 'string', default: '1' } } });
const second = sdk === '2';
let Client, StreamableHTTPClientTransport, T;
if (second) ({ Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client'));
else {
  ({ Client } = await import('@modelcontextprotocol/sdk/client/index.js'));
  ({ StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js'));
  T = await import('@modelcontextprotocol/sdk/types.js');
}
const client = new Client({ name: 'interop-ts-dying', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'legacy' } });
const transport = new StreamableHTTPClientTransport(new URL(url));
const received = [];
let asked = 0;
client.setRequestHandler(second ? 'elicitation/create' : T.ElicitRequestSchema, () => { asked++; return { action: 'accept', content: { sure: true } }; });
transport.onmessage = m => received.push(m); // the SDK calls it before its own
client.onerror = () => { }; // of streams that break off

const call = (name, options) => second ? client.callTool({ name, arguments: {} }, options) : client.callTool({ name, arguments: {} }, undefined, options);
async function text(name, options) {
  const r = await call(name, { timeout: 30000, ...options });
  want(!r.isError, `${name} gave an error result: ${brief(r)}`);
  return r.content[0].text;
}
async function until(f, what) {
  for (let i = 0; i < 1000 && !f(); i++) await sleep(10);
  want(f(), what);
}
// alive: every process serves the session, by the one server that it has; progress and questions arrive once.
async function alive(home) {
  for (let i = 0; i < 6; i++) want(await text('whose') === home, 'another process answers');
  const from = received.length, before = asked;
  want(await text('slow', { onprogress() { } }) === 'done', 'another result');
  const lines = received.slice(from), end = lines.findIndex(m => m.result?.content);
  const seen = lines.slice(0, end).filter(m => m.method === 'notifications/progress').map(m => m.params.progress);
  want(seen.join() === '1,2,3,4,5', 'progress ' + seen);
  want(await text('confirm') === 'accept' && asked === before + 1, `asked ${asked - before} times`);
}

let id, home;
await check('initialize', async () => {
  await client.connect(transport, { timeout: 20000 });
  id = transport.sessionId;
  want(id, 'there is no session id');
  let there = false; // the server behind takes its time
  for (let i = 0; i < 100 && !there; i++) if (!(there = (await client.listTools()).tools.some(t => t.name === 'whose'))) await sleep(200);
  want(there, 'a tool is missing');
});
if (someFailed()) finish();
await check('its home answers, whichever process is asked', async () => alive(home = await text('whose')));
for (const which of ['first', 'second']) {
  await check(`the ${which} home dies in the middle of a call: the call is told`, async () => {
    want(/^[1-9]\d+$/.test(home) && +home !== process.ppid, 'no process: ' + home);
    const from = received.length, begun = () => received.slice(from).some(m => m.method === 'notifications/progress');
    const lost = text('hang', { onprogress() { } }).then(() => { throw new Error('there is an answer'); }, e => e);
    await until(begun, 'the call has not begun');
    const killed = Date.now();
    process.kill(+home, 'SIGKILL');
    const e = await lost;
    console.log(`note told after ${Date.now() - killed} ms: ${brief(e.message)} ${brief(e.data)}`);
    want(e.code === -32603 && e.data?.outcome === 'unknown' && e.data.reason === 'process lost', `${e.code} ${e.message} ${brief(e.data)}`);
  });
  await check('the session goes on at another process', async () => {
    const next = await text('whose');
    want(next !== home, 'the process that was killed answers');
    home = next;
    want(transport.sessionId === id, 'the session has another id');
    await alive(home);
  });
}
await check('lists again', async () => want((await client.listTools()).tools.length === 4, 'other tools'));
await check('the session ends when the client leaves', async () => {
  await transport.terminateSession();
  await client.close();
});
await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
finish();
