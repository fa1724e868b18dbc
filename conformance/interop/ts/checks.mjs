// What programs that check a peer share: a line for each check, 'N passed, N failed' at the end, and a deadline.
let passed = 0, failed = 0;
export const sleep = ms => new Promise(r => setTimeout(r, ms));
export const want = (ok, text) => { if (!ok) throw new Error(text); };
export const brief = v => JSON.stringify(v)?.slice(0, 200);
export async function check(name, f) {
  try { await f(); passed++; console.log('ok   ' + name); }
  catch (e) { failed++; console.log(`FAIL ${name}: ${String(e?.message ?? e).slice(0, 300)}`); }
}
export const someFailed = () => failed > 0;
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
setTimeout(() => { console.log('FAIL deadline'); process.exit(1); }, 60000).unref();
// Promises of the SDK that are broken off behind its back are no failure of a check.
export const strays = [];
process.on('unhandledRejection', e => strays.push(String(e)));
