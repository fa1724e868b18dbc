// gatewaysuite.mjs --fixture COMMAND --stdioserver COMMAND --gateway COMMAND --revision REVISION --checks N --expected FILE --mcp FOLDER
// runs the server leg of the official suite through the gateway: so many checks pass, and
// those of FILE have the status that it says there, each with a reason. Anything else fails.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as bed from './gatewaybed.mjs';
const { check, flags, Listener, want, words } = bed;

const fixture = await new Listener([...words('fixture'), '{addr}', flags.revision]).start();
bed.write({ fixture: { url: fixture.url() }, ours: { command: words('stdioserver')[0], args: words('stdioserver').slice(1) } });
const gateway = await new Listener([...words('gateway'), '-http', '{addr}', bed.file]).start();
const out = join(bed.folder, 'results');
const suite = spawn(process.execPath, ['--import', './node20-fs-shim.mjs', join(flags.mcp, 'conformance/dist/index.js'), 'server', '--url', gateway.url(),
  '--suite', 'all', '--spec-version', flags.revision, '--timeout', '10000', '-o', out], { stdio: ['ignore', 'inherit', 'inherit'] });
const stop = () => suite.kill('SIGKILL');
process.on('exit', stop);
const code = await new Promise(r => suite.once('close', r));
process.off('exit', stop);
await check('the suite ends with 0', async () => want(code === 0, 'exit ' + code));

const expected = new Map();
for (const line of readFileSync(flags.expected, 'utf8').split('\n')) {
  const [revision, id, statuses] = line.split(' ');
  if (revision === flags.revision) expected.set(id, statuses.split('|'));
}
const traffic = new Set(['outgoing-request', 'incoming-response', 'incoming-sse-event', 'stream-closed']); // what it logs
let n = 0;
for (const dir of readdirSync(out)) for (const c of JSON.parse(readFileSync(join(out, dir, 'checks.json'), 'utf8'))) {
  if (traffic.has(c.id)) continue;
  const other = expected.get(c.id), may = other ?? ['SUCCESS'];
  expected.delete(c.id);
  await check(`${c.id}: ${may.join(' or ')}`, async () => want(may.includes(c.status), `${c.status}: ${c.errorMessage ?? c.description}`));
  if (!other && c.status === 'SUCCESS') n++;
}
await check(`${flags.checks} checks pass`, async () => want(n === +flags.checks, `${n} do`));
await check('all that is expected to be otherwise came', async () => want(expected.size === 0, [...expected.keys()].join()));
bed.finish();
