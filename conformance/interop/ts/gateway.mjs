// gateway.mjs --over stdio|http --gateway COMMAND --stdioserver COMMAND --httpserver COMMAND --gosdkserver COMMAND --mcp FOLDER
// checks the gateway between clients of the TypeScript SDK and servers of several kinds, all
// in one file: over stdio with one client, and names as they are; over HTTP with two clients
// at once, of both versions of the SDK, and qualified names. FOLDER has the npm packages of
// servers. One line per check, 'N passed, N failed' at the end; lines of "note" are figures.
import { join } from 'node:path';
import { late } from './late.mjs';
import * as bed from './gatewaybed.mjs';
const { alive, brief, check, childrenOf, figure, finish, flags, Listener, rejects, sleep, strays, textOf, until, want, words } = bed;

const http = flags.over === 'http', CHANGED = 'notifications/tools/list_changed', URI = 'example://note';
const { web, gosdk, servers } = await bed.stand();
// name is what a tool or prompt of a server is called; each is the same over stdio if no
// server before it in the file has it.
const shared = { everything: ['echo'], gosdk: 'echo slow ask confirm choose visit account reason roots who toggle'.split(' '), web: undefined };
const name = (server, tool) => http ? `mcp__${server}__${tool}` : !(server in shared) || shared[server]?.includes(tool) === false ? tool : `mcp.${server}.${tool}`;
const uri = (server, u) => http || server === 'web' ? `${server}+${u}` : u;

// The gateway and its clients.
const gateway = words('gateway'), peers = [];
let running, pid;
if (http) {
  running = await new Listener([...gateway, '-http', '{addr}', '-names', 'qualified', '-form', 'provider', '-uris', 'qualified', '-away', 'keep', '-check', '100ms', bed.file]).start();
  pid = running.child.pid;
  await check('two clients connect', async () => peers.push(...await Promise.all([bed.open(1, 'anna', { url: running.url() }), bed.open(2, 'bert', { url: running.url() })])));
} else {
  await check('a client connects', async () => {
    peers.push(await bed.open(1, 'anna', { command: gateway[0], args: [...gateway.slice(1), '-names', 'plain', '-check', '0', bed.file] }));
    pid = peers[0].transport.pid;
  });
}
if (peers.length === 0) finish();
const [anna, bert] = peers;
// all checks something with each client, at once.
const all = (what, f) => check(what, () => Promise.all(peers.map(f)));
const version = p => p.received.find(m => m.result?.protocolVersion).result.protocolVersion;
// changes waits until a client was told often enough that tools have changed, and then for
// what must not come.
async function changes(p, before, n, quiet = 400) {
  await until(() => p.told(CHANGED).length >= before + n, () => `told ${p.told(CHANGED).length - before} times, want ${n}`);
  await sleep(quiet);
  want(p.told(CHANGED).length === before + n, `told ${p.told(CHANGED).length - before} times, want ${n}`);
}

await all('the revision, and what the gateway says of itself', async p => {
  const v = p.client.getServerVersion(), c = p.client.getServerCapabilities();
  want(version(p) === '2025-11-25' && v.name === 'gateway', `${version(p)} ${brief(v)}`);
  want(c.tools.listChanged && c.resources.subscribe && c.prompts && c.completions && c.logging, brief(c));
});
let direct; // the tools of the servers over HTTP, asked without the gateway
await all('all servers join the list of tools', async p => {
  const last = [name('ours', 'echo'), name('everything', 'trigger-sampling-request'), name('everything', 'get-roots-list'), name('files', 'read_text_file'), name('memory', 'create_entities'), name('gosdk', 'echo'), name('web', 'echo')];
  let got;
  for (let i = 0; i < 300; i++) {
    got = await p.tools();
    if (last.every(n => got.includes(n))) break;
    await sleep(50);
  }
  want(last.every(n => got.includes(n)) && new Set(got).size === got.length, brief(last.filter(n => !got.includes(n))));
});
await check('tools of one name are all there, and each is as its server lists it but for the name', async () => {
  direct = {};
  for (const [server, l] of [['gosdk', gosdk], ['web', web]]) {
    const p = await bed.open(1, 'direct', { url: l.url() });
    direct[server] = await p.list('tools/list', 'tools');
    await p.transport.terminateSession();
    await p.client.close();
  }
  const got = await anna.list('tools/list', 'tools');
  for (const [server, tools] of [...Object.entries(direct), ['ours', direct.web]]) for (const t of tools) {
    const twin = got.find(g => g.name === name(server, t.name));
    want(JSON.stringify({ ...t, name: '' }) === JSON.stringify({ ...twin, name: '' }), `${server} ${t.name}: ${brief(twin)}`);
  }
  const count = s => got.filter(t => t.name.startsWith(http ? `mcp__${s}__` : `mcp.${s}.`)).length;
  want(count('gosdk') === direct.gosdk.length && count('web') === direct.web.length, brief(got.map(t => t.name)));
});
// The processes of server-memory have one file, and read it before they write it.
let turn = Promise.resolve();
const alone = f => turn = turn.then(f);
await all('a call to each', async p => {
  const big = p.name + 'x'.repeat(300000);
  for (const t of ['', 'grüße, <b> & "quotes" \\ \u2028 \r\n\n 🙂', big]) for (const s of ['ours', 'gosdk', 'web']) want(await p.text(name(s, 'echo'), { text: t }) === t, s + ': another text came back');
  want(await p.text(name('everything', 'echo'), { message: big }) === 'Echo: ' + big, 'everything: another text came back');
  await alone(() => p.text(name('memory', 'create_entities'), { entities: [{ name: p.name, entityType: 'client', observations: ['is here'] }] }));
  want((await p.text(name('memory', 'search_nodes'), { query: p.name })).includes('is here'), 'the memory');
  const sum = await p.call(name('web', 'sum'), { a: 1, b: 2.5 });
  want(sum.structuredContent.sum === 3.5, brief(sum));
});
await all('roots reach the servers: each client sees its own folder', async p => {
  await until(() => p.received.length > 0, 'nothing');
  let got;
  for (let i = 0; i < 200; i++) { // server-filesystem asks for them by itself, at its time
    got = await p.call(name('files', 'read_text_file'), { path: join(p.dir, 'hello.txt') });
    if (!got.isError) break;
    await sleep(50);
  }
  want(textOf(got) === 'text of ' + p.name, brief(got));
  const other = await p.call(name('files', 'read_text_file'), { path: join(bed.root('nobody'), 'hello.txt') });
  want(other.isError, brief(other));
  for (const s of ['ours', 'web']) want(await p.text(name(s, 'roots'), {}) === 'file://' + p.dir, s);
  want((await p.text(name('everything', 'get-roots-list'), {})).includes(p.dir), 'everything');
});
await all('roots: a change is told on', async p => {
  p.roots.push({ uri: 'file://' + bed.root(p.name + '-more') });
  await p.client.sendRootsListChanged();
  let got;
  for (let i = 0; i < 200; i++) {
    got = await p.call(name('files', 'read_text_file'), { path: join(p.dir + '-more', 'hello.txt') });
    if (!got.isError) break;
    await sleep(50);
  }
  want(textOf(got) === `text of ${p.name}-more`, brief(got));
  want(await p.text(name('ours', 'roots'), {}) === `file://${p.dir}\nfile://${p.dir}-more`, 'ours');
});
await all('sampling comes to the client that called, and its answer to the server that asked', async p => {
  for (const s of ['ours', 'gosdk', 'web']) want(await p.text(name(s, 'ask'), { prompt: `${s} for ${p.name}` }) === 'answer of ' + p.name, s);
  want((await p.text(name('everything', 'trigger-sampling-request'), { prompt: `everything for ${p.name}` })).includes('answer of ' + p.name), 'everything');
  const asked = p.sampled.map(m => m.messages[0].content.text ?? m.messages[0].content[0].text);
  want(asked.length === 4 && ['ours', 'gosdk', 'web', 'everything'].every((s, i) => asked[i].includes(`${s} for ${p.name}`)), brief(asked));
  for (const s of ['gosdk', 'web']) want((await p.text(name(s, 'reason'), { prompt: 'the sum' })) === `The tool of ${p.name} says 3`, s + ' with tools');
});
await all('elicitation: accept, decline and cancel, each by the client that called', async p => {
  for (p.action of ['accept', 'decline', 'cancel']) for (const s of ['ours', 'gosdk', 'web']) {
    const got = await p.text(name(s, 'confirm'), { message: 'really?' });
    want(got.includes(p.action) && got.includes('typed by ' + p.name) === (p.action === 'accept'), `${s} ${p.action}: ${got}`);
  }
  p.action = 'accept', p.filled = { name: p.name };
  want((await p.text(name('everything', 'trigger-elicitation-request'), {})).includes(p.name), 'everything');
  want(p.elicited.length === 10, p.elicited.length + ' questions');
});
await all('elicitation: choices and defaults', async p => {
  p.filled = { fruits: ['plum', 'cherry'], name: p.name };
  for (const s of ['ours', 'gosdk', 'web']) {
    const { content: c } = JSON.parse(await p.text(name(s, 'choose'), {}));
    want(c.fruits.join() === 'plum,cherry' && c.name === p.name && c.glasses === 2 && c.size === 'm', `${s}: ${brief(c)}`);
  }
});
await all('elicitation by url: the word that it is done, and a call that needs it', async p => {
  for (const s of ['ours', 'gosdk', 'web']) {
    p.elicited.length = p.done.length = 0;
    await p.text(name(s, 'visit'), {});
    await until(() => p.done.length > 0, s + ': not told that it is done');
    want(p.elicited[0].mode === 'url' && p.done.join() === p.elicited[0].elicitationId, `${s}: ${brief(p.elicited)}, done are ${p.done}`);
  }
  p.done.length = 0;
  await rejects(p.call(name('web', 'account'), {}), -32042);
  await until(() => p.done.length > 0, 'not told that it is done');
  want(await p.text(name('web', 'account'), {}) === 'signed in', 'not signed in');
});
await all('progress within calls of several servers at once', async p => {
  const from = p.received.length;
  await Promise.all([...['ours', 'gosdk', 'web'].map(s => p.text(name(s, 'slow'), { ms: 300, steps: 3 }, { onprogress() { } })),
    p.text(name('everything', 'trigger-long-running-operation'), { duration: 0.3, steps: 3 }, { onprogress() { } })]);
  await sleep(50); // the Go SDK hands it over beside the result
  const steps = {};
  for (const { params } of p.received.slice(from).filter(m => m.method === 'notifications/progress')) (steps[params.progressToken] ??= []).push(params.progress);
  want(Object.keys(steps).length === 4 && Object.values(steps).every(s => s.join() === '1,2,3'), brief(steps));
});
await all('logging: what a server logs within a call, from the level on that the client set', async p => {
  await p.client.setLoggingLevel('warning');
  for (const s of ['ours', 'web']) for (const level of ['info', 'warning', 'error']) await p.text(name(s, 'log'), { level, text: `${s} of ${p.name}` });
  await sleep(200);
  const got = p.told('notifications/message').map(m => m.params).filter(m => m.logger === 'example');
  want(got.map(m => m.level + ' ' + m.data).join() === ['ours', 'web'].flatMap(s => ['warning', 'error'].map(l => `${l} ${s} of ${p.name}`)).join(), brief(got));
});
await all('resources: lists, templates and reads', async p => {
  const uris = (await p.list('resources/list', 'resources')).map(r => r.uri), templates = (await p.list('resources/templates/list', 'resourceTemplates')).map(t => t.uriTemplate);
  for (const s of ['ours', 'web']) want(uris.includes(uri(s, URI)), `${uri(s, URI)}: ${brief(uris)}`);
  want(uris.some(u => u.includes('demo://resource/static')) && templates.some(t => t.includes('demo://resource/dynamic/text')) && templates.includes(uri('ours', 'example://square/{n}')), brief([uris, templates]));
  for (const s of ['ours', 'web']) for (const [u, text] of [['example://greeting', 'Hello!'], ['example://square/12', '144']]) {
    const c = (await p.client.readResource({ uri: uri(s, u) })).contents[0];
    want(c.text === text && c.uri === (http ? uri(s, u) : s === 'web' ? c.uri : u), `${s}: ${brief(c)}`);
  }
  want((await p.client.readResource({ uri: uri('everything', 'demo://resource/dynamic/text/1') })).contents[0].text.includes('Resource 1'), 'everything');
  await rejects(p.client.readResource({ uri: 'nowhere://at-all' }));
  want(p.received.at(-1).error?.code === -32002, brief(p.received.at(-1)));
});
await check('subscriptions: updates come to who has subscribed, under the name that it has', async () => {
  const told = p => p.told('notifications/resources/updated').map(m => m.params.uri), u = uri('web', URI), writer = bert ?? anna;
  await writer.text(name('web', 'write'), { text: 'before' });
  await anna.client.subscribeResource({ uri: u });
  await anna.text(name('ours', 'write'), { text: 'of another server' });
  await writer.text(name('web', 'write'), { text: 'meanwhile' });
  await until(() => told(anna).length > 0, 'no update');
  want((await anna.client.readResource({ uri: u })).contents[0].text === 'meanwhile', 'another text was read');
  await anna.client.unsubscribeResource({ uri: u });
  await writer.text(name('web', 'write'), { text: 'after' });
  await sleep(200);
  want(told(anna).join() === u && (bert ? told(bert) : []).length === 0, brief(peers.map(told)));
});
await all('prompts and completion', async p => {
  const prompts = (await p.list('prompts/list', 'prompts')).map(x => x.name);
  for (const n of [name('ours', 'greet'), name('web', 'greet'), name('everything', 'simple-prompt')]) want(prompts.includes(n), `${n}: ${prompts}`);
  for (const s of ['ours', 'web']) {
    want((await p.client.getPrompt({ name: name(s, 'greet'), arguments: { name: p.name } })).messages[0].content.text === `Say hello to ${p.name}.`, s);
    const { completion: c } = await p.client.complete({ ref: { type: 'ref/prompt', name: name(s, 'greet') }, argument: { name: 'name', value: 'Al' }, context: { arguments: { language: 'French' } } });
    const { completion: d } = await p.client.complete({ ref: { type: 'ref/resource', uri: uri(s, 'example://square/{n}') }, argument: { name: 'n', value: '' } });
    want(c.values.join() === 'Alain' && d.values.length === 100 && d.total === 1000, `${s}: ${brief([c, d])}`);
  }
  const { completion: c } = await p.client.complete({ ref: { type: 'ref/prompt', name: name('everything', 'completable-prompt') }, argument: { name: 'department', value: 'Sa' } });
  want(c.values.join() === 'Sales', brief(c));
});
await all('errors come as they are, and of what does not exist', async p => {
  const r = await p.call(name('web', 'fail'), { message: 'it broke' });
  want(r.isError && textOf(r).includes('it broke'), brief(r));
  await rejects(p.call('no-such-tool', {}), -32602);
  await rejects(p.client.getPrompt({ name: 'no-such-prompt' }), -32602);
});
await all('a cancelled call is not answered, nor one that waits for the client', async p => {
  for (const s of ['ours', 'gosdk', 'web', 'everything']) {
    const abort = new AbortController(), from = p.received.length;
    const call = s === 'everything' ? ['trigger-long-running-operation', { duration: 0.6, steps: 6 }] : ['slow', { ms: 600, steps: 6 }];
    const c = p.call(name(s, call[0]), call[1], { signal: abort.signal, onprogress() { } });
    await until(() => p.received.slice(from).some(m => m.method === 'notifications/progress'), s + ': no progress');
    abort.abort('enough');
    await rejects(c);
    await sleep(100);
    const before = p.received.length;
    await sleep(600);
    want(late(p.received.slice(before)).length === 0, `${s} still sent ` + brief(late(p.received.slice(before))));
  }
  const abort = new AbortController();
  p.held = [];
  const c = p.call(name('web', 'ask'), { prompt: 'no hurry' }, { signal: abort.signal });
  await until(() => p.held.length > 0, 'not asked');
  abort.abort('enough');
  await rejects(c);
  await until(() => p.told('notifications/cancelled').length > 0, 'the question was not withdrawn');
  p.held[0]({ role: 'assistant', model: 'none', content: { type: 'text', text: 'too late' } });
  p.held = undefined;
  await p.client.ping();
});
await all('twenty calls at once over several servers, with progress and questions', async p => {
  p.sampled.length = 0;
  await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const s = ['ours', 'gosdk', 'web'][i % 3], t = `text ${i} of ${p.name}`;
    switch (i % 5) {
      case 0: return want(await p.text(name(s, 'echo'), { text: t }) === t, 'another text came back');
      case 1: return want(await p.text(name(s, 'ask'), { prompt: t }) === 'answer of ' + p.name, s);
      case 2: return want((await p.text(name(s, 'confirm'), { message: t })).includes('typed by ' + p.name), s);
      case 3: return want(await p.text(name('everything', 'echo'), { message: t }) === 'Echo: ' + t, 'everything');
      case 4: return want(await p.text(name(s, 'slow'), { ms: 200, steps: 4 }, { onprogress() { } }), 'no text');
    }
  }));
  const asked = p.sampled.map(m => (m.messages[0].content.text ?? m.messages[0].content[0].text)).sort();
  want(asked.join() === [1, 6, 11, 16].map(i => `text ${i} of ${p.name}`).sort().join(), brief(asked));
});

// pidOf returns the process of a server that is a command.
const pidOf = (command, not = []) => childrenOf(pid).filter(c => c.command.startsWith(command) && !not.includes(c.pid)).map(c => c.pid);
// killed kills a server while each client waits for a call of it, and the calls of other
// servers go on.
let moment; // of the last kill
async function killed(server, others, kill, call = ['slow', { ms: 60000, steps: 600 }]) {
  const calls = peers.map(async p => {
    const from = p.received.length, steps = () => p.received.slice(from).filter(m => m.method === 'notifications/progress');
    const one = p.call(name(server, call[0]), call[1], { onprogress() { } }).then(r => { throw new Error('answered: ' + brief(r)); }, e => ({ e, at: performance.now() }));
    await until(() => steps().length > 0, 'no progress');
    return { one, rest: others.map(s => p.text(name(s, 'slow'), { ms: 500, steps: 2 })) };
  });
  const waiting = await Promise.all(calls);
  moment = performance.now();
  await kill();
  await anna.text(name(others[0], 'echo'), { text: 'how busy is the machine?' });
  const limit = 1000 + 20 * (performance.now() - moment);
  for (const { one, rest } of waiting) {
    const { e, at } = await one;
    figure(`${server} is killed, error after`, at - moment);
    want(at - moment < limit, `error after ${at - moment} ms: ${e.message}`);
    want(!/timed out|timeout/i.test(e.message), e.message);
    for (const r of rest) want(await r, 'no text');
  }
}
for (const [server, others, kill, again] of [
  ['ours', ['gosdk', 'web'], async () => { for (const p of pidOf(flags.stdioserver)) process.kill(p, 'SIGKILL'); }, async () => { }],
  ['gosdk', ['ours', 'web'], () => gosdk.kill(), () => gosdk.start().then(() => true)],
]) {
  await check(server + ': a tool more is announced once', async () => {
    await Promise.all(peers.map(p => p.tools()));
    const before = peers.map(p => p.told(CHANGED).length);
    // Each client has a process of its own of a command.
    await Promise.all((server === 'ours' ? peers : [anna]).map(p => p.text(name(server, 'toggle'), {})));
    await Promise.all(peers.map((p, i) => changes(p, before[i], 1)));
    for (const p of peers) want(await p.text(name(server, 'extra'), {}), 'no text');
    for (const p of peers) want((await p.tools()).includes(name(server, 'extra')), 'not listed');
  });
  const before = peers.map(p => p.told(CHANGED).length);
  await check(server + ': it is killed, its callers have an error at once, and the others go on', () => killed(server, others, kill));
  if (!http) await check(server + ': its tools are off the list', async () => {
    // A process is started again at once; the list may have it back already.
    await until(() => anna.told(CHANGED).length > before[0], 'not told');
    if (server === 'gosdk') want(!(await anna.tools()).includes(name(server, 'echo')), 'listed');
  });
  if (await again()) moment = performance.now();
  // Over HTTP the tools of a server that is away stay listed. Who reads the list meanwhile is
  // not told of what it has read, so nobody does.
  const times = http ? 1 : 2;
  await check(`${server}: it is back, and clients are told ${http ? 'once' : 'once that it was away, and once that it is back'}`, async () => {
    await until(() => peers.every((p, i) => p.told(CHANGED).length >= before[i] + times), 'not told');
    figure(`${server} is told to be back after`, performance.now() - moment);
    await Promise.all(peers.map((p, i) => changes(p, before[i], times)));
  });
  await all(server + ': its tools are as they are now', async p => {
    const tools = await p.tools(), there = t => tools.includes(name(server, t));
    want(there('echo') && !there('extra'), brief(tools));
    want(await p.text(name(server, 'echo'), { text: 'again' }) === 'again', 'another text came back');
  });
}

await check('everything: it is killed, its callers have an error at once, and it works again', async () => {
  const mine = c => c.command.includes('server-everything');
  await killed('everything', ['ours', 'gosdk'], async () => { for (const c of childrenOf(pid).filter(mine)) process.kill(c.pid, 'SIGKILL'); }, ['trigger-long-running-operation', { duration: 60, steps: 600 }]);
  for (const p of peers) for (let i = 0; ; i++) try { // while it is away there is an error
    want(await p.text(name('everything', 'echo'), { message: 'again' }) === 'Echo: again', 'another text came back');
    break;
  } catch (e) { want(i < 200, e.message); await sleep(50); }
});
await check('a server that hangs holds up nobody', async () => {
  const mine = childrenOf(pid).filter(c => c.command.includes('server-memory')).map(c => c.pid);
  for (const p of mine) process.kill(p, 'SIGSTOP');
  const waits = peers.map(p => p.text(name('memory', 'read_graph'), {}));
  const began = performance.now();
  await Promise.all(peers.flatMap(p => Array.from({ length: 20 }, (_, i) => p.text(name(['ours', 'gosdk', 'web'][i % 3], 'echo'), { text: 'x'.repeat(i * 10000) }))));
  await Promise.all(peers.map(p => p.tools()));
  const took = performance.now() - began;
  figure(`${peers.length * 20} calls and a list beside it`, took);
  want(took < 10000, took + ' ms');
  for (const p of mine) process.kill(p, 'SIGCONT');
  for (const [i, w] of waits.entries()) want((await w).includes(peers[i].name), 'another graph');
});
await check('the file changes, twice: told once each time, a call goes on, other servers keep their process', async () => {
  await Promise.all(peers.map(p => p.tools()));
  const before = peers.map(p => p.told(CHANGED).length), kept = pidOf(flags.stdioserver), running = peers.map(p => p.text(name('ours', 'slow'), { ms: 4000, steps: 3 })), memory = pidOf(process.execPath).filter(c => childrenOf(pid).find(x => x.pid === c)?.command.includes('server-memory'));
  want(kept.length === peers.length && memory.length === peers.length, `${kept.length} and ${memory.length} processes`);
  const { memory: gone, ...rest } = servers;
  // What is gone is off the list at once, what is new joins when it is there.
  for (const [i, now] of [rest, { ...rest, second: { url: web.url() } }].entries()) {
    bed.write(now);
    if (!http) process.kill(pid, 'SIGHUP');
    await Promise.all(peers.map((p, j) => changes(p, before[j] + i, 1)));
  }
  for (const p of peers) {
    const tools = await p.tools();
    want(!tools.includes(name('memory', 'create_entities')) && tools.includes(http ? 'mcp__second__echo' : 'mcp.second.echo'), brief(tools));
    want(await p.text(http ? 'mcp__second__echo' : 'mcp.second.echo', { text: 'new' }) === 'new', 'another text came back');
    await rejects(p.call(name('memory', 'create_entities'), { entities: [] }), -32602);
  }
  for (const r of running) want(await r === 'done in 3 steps', 'another text');
  want(pidOf(flags.stdioserver).join() === kept.join(), 'another process');
  await until(() => !memory.some(alive), 'the process of a server that is gone runs still', 5);
});
if (http) await check('the status page', async () => {
  const page = await (await fetch(running.url('/status'))).text();
  for (const s of ['6 servers, 2 sessions', 'server ours: 2 ready', 'server gosdk: 2 ready', 'anna', 'bert']) want(page.includes(s), `no "${s}" in ${page.slice(0, 1500)}`);
});
await all('every message is one by the strict schema', async p => {
  // The SDK has forgotten the token when a progress comes in one chunk with the result.
  const real = p.errors.filter(e => !/unknown token|unknown message ID/.test(e.message));
  want(real.length === 0, `${real.length} errors: ${real[0]}`);
});
const left = childrenOf(pid).map(c => c.pid);
if (http) await check('a client leaves, and its processes end with it; those of the other go on', async () => {
  await bert.transport.terminateSession();
  await bert.client.close();
  await until(() => left.filter(alive).length === left.length / 2, () => `${left.filter(alive).length} of ${left.length} processes`, 8);
  want(await anna.text(name('ours', 'echo'), { text: 'still here' }) === 'still here', 'another text came back');
});
await check('the gateway ends in good order, and nothing is left of it', async () => {
  if (http) {
    const code = await Promise.race([running.kill('SIGTERM'), sleep(8000).then(() => 'still running')]);
    want(code === 0, 'exit ' + code);
  } else {
    await anna.client.close(); // the SDK closes the input, and sends signals after 2 s
    await until(() => !alive(pid), 'still running', 8);
  }
  want(!left.some(alive), 'processes are left: ' + left.filter(alive));
});
await check('no promise of the SDK was broken', async () => want(strays.length === 0, brief(strays)));
finish();
