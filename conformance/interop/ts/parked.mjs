// parked.mjs URL : checks gateways of three processes before behind.mjs, each request of which goes to the next one, with the client
// of the TypeScript SDK 2 at 2026-07-28: the answer to what a server asks within a call comes to another process than the call
// did. It kills the process that has such a call.
import { brief, check, finish, sleep, someFailed, strays, want } from './checks.mjs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url] = process.argv.slice(2);
const client = new Client({ name: 'interop-ts-parked', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } });
const transport = new StreamableHTTPClientTransport(new URL(url));
let asked = [], before = () => { };
client.setRequestHandler('elicitation/create', async r => {
  asked.push(r.params.message.replace(/.* /, ''));
  await before();
  return { action: 'accept', content: { sure: true } };
});
const posts = [], send = transport.send.bind(transport);
transport.send = (m, ...rest) => { posts.push(m); return send(m, ...rest); };
const call = name => client.callTool({ name, arguments: {} }, { timeout: 30000 });
async function text(name) {
  const r = await call(name);
  want(!r.isError, `${name} gave an error result: ${brief(r)}`);
  return r.content[0].text;
}

await check('connect: no session', async () => {
  await client.connect(transport, { timeout: 20000 });
  want(client.getProtocolEra() === 'modern' && !transport.sessionId, 'there is a session');
  let there = 0; // in a row, of each process; the servers behind take their time
  for (let i = 0; i < 100 && there < 3; i++) {
    if ((await client.listTools()).tools.some(t => t.name === 'whose')) there++;
    else { there = 0; await sleep(200); }
  }
  want(there === 3, 'a tool is missing');
});
if (someFailed()) finish();
let all;
await check('each process has a server of its own', async () => {
  const seen = new Set();
  for (let i = 0; i < 3; i++) seen.add(await text('whose'));
  all = [...seen];
  want(all.length === 3, 'processes ' + all);
});
await check('a question is answered at another process than it was asked', async () => {
  for (let i = 0; i < 9; i++) want(await text('confirm') === 'accept', 'another result');
  want(asked.length === 9 && posts.filter(m => m.params?.requestState).length === 9, `asked ${asked.length} times`);
});
await check('the process that has the call dies: the call is told', async () => {
  let killed;
  before = async () => { killed = asked.at(-1); want(all.includes(killed), 'no process: ' + killed); process.kill(+killed, 'SIGKILL'); await sleep(200); };
  let e;
  try { await call('confirm'); } catch (x) { e = x; }
  console.log('note told: ' + brief(e?.message) + ' ' + brief(e?.data));
  want(e?.code === -32603 && e.data?.outcome === 'unknown' && e.data.reason === 'process lost', `${e?.code} ${e?.message}`);
  before = () => { };
});
await check('the others go on', async () => { for (let i = 0; i < 4; i++) want(await text('confirm') === 'accept', 'another result'); });
await check('closing', () => client.close());
await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
finish();
