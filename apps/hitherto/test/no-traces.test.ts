import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { reportPeriodOf } from '@hitherto/domain/reports';
import { rowsOf } from '@hitherto/testing/databases';
import { randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { expect, test } from 'vitest';
import { createKey, createTestDatabase, runCommand } from './support/commands.ts';
import { dump } from './support/dump.ts';
import { call, emptyFolder, startService } from './support/program.ts';

// docs/privacy.md: no address and no user agent is stored or logged. `leaked-dump.test.ts` looks for secrets, `salts.test.ts`
// for deleted salts.

const VISITS = runs(3, 20);
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Visitors who leave their address, its bytes as a database shows them, and a browser with a name of its own. */
function createVisitors() {
  const random = randomOf(randomBytes(8).toString('hex'));
  const traces: string[] = [];
  const octet = () => 100 + random.below(150);
  return {
    traces,
    next() {
      // Of the networks for tests, which no default of the program names.
      const address = `198.${18 + random.below(2)}.${octet()}.${octet()}`;
      const name = `Trace${random.word(10)}`;
      traces.push(address, `x${Buffer.from(address.split('.').map(Number)).toString('hex')}`, name);
      return { address, agent: `${BROWSER} ${name}/1.0` };
    },
  };
}

test('no table, backup, log, metric or mail has the address or the user agent of a visitor', async () => {
  const env = await createTestDatabase();
  const key = await createKey(env);
  const service = await startService({ ...env, TRUST_PROXY: '127.0.0.1' });
  const json = { 'content-type': 'application/json' };
  const post = (path: string, fields: object) =>
    call(service, key, path, { method: 'POST', headers: json, body: JSON.stringify(fields) });
  const created = await post('/api/v1/websites', { url: 'https://a.example', privacy: 2, password: 'of the page' });
  const { data }: { data: { id: string } } = JSON.parse(await created.text());
  const website = data.id;
  const visitors = createVisitors();

  // Every request that names an address or a browser.
  for (let visit = 0; visit < VISITS; visit += 1) {
    const { address, agent } = visitors.next();
    const headers = { 'x-forwarded-for': address, 'user-agent': agent };
    const send = (path: string, init: RequestInit = {}) =>
      fetch(service.url + path, { ...init, headers: { ...headers, origin: service.url, ...init.headers } });
    const url = `https://a.example/${visit}`;
    const hit = JSON.stringify({ website, url });
    for (const body of [hit, hit.slice(0, 20)]) await send('/hits', { method: 'POST', body });
    await send(`/hits.gif?website=${website}&url=${encodeURIComponent(url)}`);
    await send(`/statistics/${website}`);
    for (const password of ['wrong', 'of the page']) {
      await send(`/statistics/${website}/unlock`, { method: 'POST', body: new URLSearchParams({ password }) });
    }
    for (const tried of ['hto_wrong', key]) {
      await send('/sign-in', { method: 'POST', body: new URLSearchParams({ key: tried }), redirect: 'manual' });
    }
    await send('/api/v1/websites', { headers: { authorization: 'Bearer wrong' } });
    const named = visitors.next();
    const ofServer = { url, ip: named.address, user_agent: named.agent };
    expect((await post('/api/v1/hits', { hits: [{ website, ...ofServer }] })).ok).toBe(true);
    expect((await post(`/api/v1/websites/${website}/explain`, ofServer)).ok).toBe(true);
  }
  const folder = await emptyFolder();
  const [backup, mail] = [join(folder, 'a.backup'), join(folder, 'mail.eml')];
  await runCommand(['backup', backup], env);
  const { name: week } = reportPeriodOf('weekly', new Date().toISOString().slice(0, 10));
  await runCommand(['reports', 'preview', website, '--week', week, '--out', mail], env);
  const places = {
    database: await dump(env.DATABASE_URL),
    backup: gunzipSync(await readFile(backup)).toString(),
    log: Object.values(service.output()).join(),
    metrics: await (await fetch(`${service.url}/metrics`)).text(),
    mail: await readFile(mail, 'utf8'),
  };

  // What was sent is there, so that the search looks at the right places.
  expect((await rowsOf(env.DATABASE_URL, 'select from journal_batch where hit_count > 0')).length).toBeGreaterThan(0);
  for (const text of [places.database, places.backup]) expect(text).toContain('Firefox');
  expect(places.log).toContain('/hits');
  for (const [place, text] of Object.entries(places)) {
    for (const trace of visitors.traces) expect(text.includes(trace), `${trace} in the ${place}`).toBe(false);
  }
});
