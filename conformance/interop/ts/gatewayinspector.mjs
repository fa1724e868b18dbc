// gatewayinspector.mjs FLAGS : as gateway.mjs, with the inspector's command line in front of
// the gateway, one process and one session a method, over stdio and over HTTP.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as bed from './gatewaybed.mjs';
const { brief, check, flags, Listener, textOf, want, words } = bed;

await bed.stand();
const launcher = join(flags.mcp, 'inspector/clients/launcher/build/index.js'), gateway = [...words('gateway'), '-names', 'plain', '-settle', '20s'];
const running = await new Listener([...gateway, '-http', '{addr}', bed.file]).start();
// It takes flags of the command for its own.
const script = join(bed.folder, 'gateway.sh');
writeFileSync(script, `#!/bin/sh\nexec ${gateway.join(' ')} -check 0 -quiet ${bed.file}\n`, { mode: 0o755 });
const inspect = (to, method, options) => new Promise((resolve, reject) => execFile(process.execPath, [launcher, '--cli', ...to, '--method', method, ...options],
  { encoding: 'utf8', timeout: 60000 }, (e, out, err) => e ? reject(new Error(`exit ${e.code ?? e.signal}: ${err.slice(-300)}`)) : resolve(JSON.parse(out))).stdin.end());
const says = text => r => !r.isError && textOf(r).includes(text);
const call = (tool, ok, ...args) => ['tools/call', ['--tool-name', tool, ...args.flatMap(a => ['--tool-arg', a])], ok];
// The inspector reads the list once, also for a call, and calls nothing else.
const first = [
  ['tools/list', [], r => ['echo', 'mcp.gosdk.echo', 'mcp.web.echo', 'mcp.everything.echo', 'read_text_file', 'read_graph'].every(n => r.tools.some(t => t.name === n))],
  call('mcp.gosdk.echo', says('hello'), 'text=hello'),
  call('list_allowed_directories', says(bed.folder)),
  call('mcp.everything.echo', says('Echo: hello'), 'message=hello'),
];
const more = [
  call('read_graph', says('entities')),
  ['resources/read', ['--uri', 'example://greeting'], r => r.contents[0].text === 'Hello!'],
  ['prompts/get', ['--prompt-name', 'greet', '--prompt-args', 'name=me'], r => r.messages[0].content.text === 'Say hello to me.'],
  ['logging/setLevel', ['--log-level', 'warning'], r => Object.keys(r).length === 0],
];
const jobs = [...first.map(j => ['stdio', [script], ...j]), ...[...first, ...more].map(j => ['HTTP', [running.url(), '--transport', 'http'], ...j])];
// Each starts a node of its own, and the servers: three at a time.
await Promise.all(Array.from({ length: 3 }, async () => {
  for (let job; (job = jobs.shift());) {
    const [over, to, method, options, ok] = job;
    await check(`${over}: ${method} ${options[1] ?? ''}`.trim(), async () => {
      const r = await inspect(to, method, options);
      want(ok(r), 'printed ' + brief(r));
    });
  }
}));
bed.finish();
