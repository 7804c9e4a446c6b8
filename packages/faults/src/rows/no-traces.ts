import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../row.ts';
import { openClient, websiteIn } from '../support/client.ts';
import { startHitService } from '../support/hit-service.ts';
import { runProgram } from '../support/program.ts';
import { canary } from '../support/secrets.ts';
import { dumpOf, findTraces, leaveTraces } from '../support/traces.ts';

const VISITS = 20;

export const noTraces: Row = {
  name: 'no-traces',
  what: 'visits, refused requests and sign-ins; then the database, logs, metrics and a backup are searched',
  required: 'no address, user agent, key, password, session or unlock token, and a salt only in its table',
  unit: 'searches',
  full: 5,
  async run(trials) {
    let traced = 0;
    let searched = 0;
    await trials.each(async ({ random }) => {
      const service = await startHitService();
      const { postgres, program, key } = service;
      const owner = openClient(program.url, key);
      const backup = join(tmpdir(), `hitherto-faults-${random.word(12)}.jsonl`);
      try {
        const password = canary();
        const json = { url: 'https://guarded.example', privacy: 2, password };
        const { id } = websiteIn(await owner.request('POST', '/api/v1/websites', { json }));
        const traces = await leaveTraces(program.url, { key, id, password }, VISITS, random);
        const [salt] = await postgres.query<{ secret: Buffer }>('select secret from salt order by day desc limit 1');
        const hits = await postgres.query('select 1 from hit');
        if (hits.length < 2 * VISITS) throw new Error(`Only ${hits.length} hits are stored.`);
        const { text: metrics } = await owner.request('GET', '/metrics');
        const dump = await dumpOf(postgres);
        await runProgram(['export', backup], { DATABASE_URL: postgres.url });
        const places = new Map([
          ...dump,
          ['the log', program.output()],
          ['the metrics', metrics],
          ['the backup', readFileSync(backup, 'utf8')],
        ]);
        const found = [...places].flatMap(([where, text]) => findTraces(traces, text, where));
        const secret = salt?.secret.toString('hex') ?? 'no salt';
        for (const [where, text] of places) {
          if (where !== 'public.salt' && text.includes(secret)) found.push(`today's salt in ${where}`);
        }
        if (found.length > 0) throw new Error(`${found.length} traces, such as ${found.slice(0, 3).join('; ')}`);
        traced += traces.size;
        searched += [...places.values()].reduce((bytes, text) => bytes + text.length, 0);
      } finally {
        owner.close();
        rmSync(backup, { force: true });
        await service.close();
      }
    });
    return `none of ${traced.toLocaleString('en')} addresses, user agents and tokens in ${(searched / 1e6).toFixed(1)} MB`;
  },
};
