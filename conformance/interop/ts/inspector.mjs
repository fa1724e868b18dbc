// inspector.mjs LAUNCHER SERVER ARGS... : runs the inspector's command line once per
// method against a stdio server with the tools of docs/examples/stdioserver.
import { spawnSync } from 'node:child_process';

const [launcher, ...server] = process.argv.slice(2);
let failed = 0;
function inspect(method, options, ok) {
  const run = spawnSync(process.execPath, [launcher, '--cli', ...server, '--method', method, ...options],
    { encoding: 'utf8', timeout: 30000, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    if (run.status !== 0) throw new Error(`exit ${run.status ?? run.signal}: ${run.stderr.slice(-300)}`);
    const result = JSON.parse(run.stdout);
    if (!ok(result)) throw new Error('printed ' + JSON.stringify(result).slice(0, 300));
    console.log('ok   ' + method);
    return result;
  } catch (e) {
    failed++;
    console.log(`FAIL ${method}: ${e.message}`);
    return {};
  }
}
inspect('tools/list', [], r => r.tools.some(t => t.name === 'echo'));
inspect('tools/call', ['--tool-name', 'echo', '--tool-arg', 'text=hello'], r => !r.isError && r.content[0].text.includes('hello'));
const uri = inspect('resources/list', [], r => r.resources.length > 0).resources?.[0].uri;
inspect('resources/read', ['--uri', uri ?? ''], r => r.contents[0].uri === uri);
inspect('resources/templates/list', [], r => r.resourceTemplates.length > 0);
const prompt = inspect('prompts/list', [], r => r.prompts.length > 0).prompts?.[0];
const values = (prompt?.arguments ?? []).filter(a => a.required).map(a => a.name + '=value');
inspect('prompts/get', ['--prompt-name', prompt?.name ?? '', ...(values.length ? ['--prompt-args', ...values] : [])], r => r.messages.length > 0);
process.exit(failed ? 1 : 0);
