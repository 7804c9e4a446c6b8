import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isoWeekOf } from '@hitherto/domain/reports';
import { newFolder } from '@hitherto/testing/folder';
import type { Open } from '@hitherto/testing/scope';
import { row } from '../row.ts';
import { create } from '../support/client.ts';
import { withNumbers } from '../support/numbers-text.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { canary } from '../support/secrets.ts';
import { startHitService } from '../support/service.ts';
import { dumpOf, findTraces, leaveTraces } from '../support/traces.ts';
import { until } from '../support/until.ts';

const VISITS = 20;
const LONGEST_MS = 10_000;

export const noTraces = row('no-traces', 5, 'searches', {}, async (trials) => {
  const sum = { traced: 0, bytes: 0, files: 0 };
  await trials.each(async ({ open, random }) => {
    const service = await open(startHitService());
    const { postgres, program, key, env } = service;
    const owner = await open(service.openClient(key));
    const folder = await open(newFolder());
    const [backup, mail] = [join(folder.path, 'settings.backup'), join(folder.path, 'mail.eml')];
    const password = canary();
    const { id } = await create(owner, { url: 'https://guarded.example', privacy: 2, password });
    const traces = await leaveTraces(open, service, { id, password }, VISITS, random);
    const [salt] = await postgres.query<{ secret: Buffer }>('select secret from salt order by day desc limit 1');
    const hits = await postgres.query('select 1 from hit');
    if (hits.length < 2 * VISITS) throw new Error(`Only ${hits.length} hits are stored.`);
    const past = await outliveSalt(postgres, open);
    const { text: metrics } = await owner.request('GET', '/metrics');
    const dump = await dumpOf(postgres);
    await runProgram(['backup', '--settings', backup], env);
    const { name: week } = isoWeekOf(new Date().toISOString().slice(0, 10));
    await runProgram(['reports', 'preview', id, '--week', week, '--out', mail], env);
    const places = new Map([
      ...dump,
      ['the log', program.output()],
      ['the metrics', metrics],
      ['the backup', gunzipSync(readFileSync(backup)).toString()],
      ['the mail', readFileSync(mail, 'utf8')],
    ]);
    const found = [...places].flatMap(([where, text]) => findTraces(traces, text, where));
    const secret = salt?.secret.toString('hex') ?? 'no salt';
    for (const [where, text] of places) {
      if (where !== 'public.salt' && text.includes(secret)) found.push(`today's salt in ${where}`);
      if (text.includes(past)) found.push(`a salt past its time in ${where}`);
      sum.bytes += text.length;
    }
    const files = await filesOf(postgres);
    for (const [file, bytes] of files) {
      if (bytes.includes(Buffer.from(past, 'hex'))) found.push(`a salt past its time in ${file}`);
      sum.files += bytes.length;
    }
    if (found.length > 0) throw new Error(`${found.length} traces, such as ${found.slice(0, 3).join('; ')}`);
    sum.traced += traces.size;
  });
  return withNumbers`none of ${sum.traced} addresses, user agents and tokens in ${sum.bytes / 1e6} MB, no deleted salt in ${sum.files / 1e6} MB of files`;
});

/** The files of the data folder while the database is stopped, the write-ahead log included. */
async function filesOf({ dataDir, start, stop }: OwnPostgres): Promise<ReadonlyMap<string, Buffer>> {
  await stop();
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = new Map(files.map((file) => [file, readFileSync(file)]));
  await start();
  return contents;
}

/** Adds a salt whose time is over, and waits until a service that starts has deleted it; returns it in hexadecimal. */
async function outliveSalt({ query, url }: OwnPostgres, open: Open): Promise<string> {
  const secret = randomBytes(32).toString('hex');
  await query(`insert into salt (day, secret) values (current_date - 4, '\\x${secret}')`);
  await open(startProgram({ env: { DATABASE_URL: url } }));
  const isDeleted = async () => (await query('select from salt where day < current_date - 3')).length === 0;
  await until('a salt past its time was not deleted.', LONGEST_MS, isDeleted);
  return secret;
}
