import { timeZone } from '@hitherto/domain/calendar';
import { openPostgres } from '@hitherto/postgres';
import { rowsOf } from '@hitherto/testing/databases';
import { expect, test } from 'vitest';
import { DEMO_DAYS } from '../src/demo/visits.ts';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { startService } from './support/program.ts';

/** Making up visits takes long on a loaded machine. */
const DEMO_TIMEOUT_MS = 180_000;

/** The days with hits. */
const DAYS = '(select day from website_day union select day from added_hits) known';

test(
  'the demo adds a public website with visits, once, also after a run that failed, and prints the address of its page',
  async () => {
    const env = await createTestDatabase();

    const unreadable = await runCommand(['demo'], { ...env, GEO_DB: '/nowhere/é.mmdb' });
    const accounts = await runCommand(['accounts', 'list', '--json'], env);
    const interrupted = await runCommand(['demo'], env, {
      randomBytes: () => {
        throw new Error('interrupted');
      },
    });
    const completed = await runCommand(['demo'], env);
    const again = await runCommand(['demo'], env);
    const definitions = await rowsOf(env.DATABASE_URL, 'select kind, name from definition order by id');
    const service = await startService(env);
    const { pathname } = new URL(completed.stdout.trim());
    const page = await fetch(service.url + pathname);
    const html = await page.text();
    await service.stop();

    expect([unreadable.code, interrupted.code, interrupted.stderr]).toEqual([
      1,
      1,
      expect.stringContaining('interrupted'),
    ]);
    expect(accounts.stdout).not.toContain('default');
    expect([completed.code, completed.stderr]).toEqual([0, expect.stringContaining('Making up visits')]);
    expect(completed.stdout).toMatch(/^http:\/\/localhost:3000\/statistics\/[\da-f-]{36}\n$/);
    expect(again).toEqual({ code: 0, stdout: completed.stdout, stderr: 'The demo already exists.\n' });
    expect(definitions).toEqual([
      { kind: 'goal', name: 'Signup' },
      { kind: 'goal', name: 'Read a guide' },
      { kind: 'funnel', name: 'From guide to signup' },
    ]);
    expect(page.status).toBe(200);
    expect(html).toMatch(/data-metric="visits" data-value="\d{4}"/);
  },
  DEMO_TIMEOUT_MS,
);

test(
  'the demo begins where hits are not deleted',
  async () => {
    const env = await createTestDatabase();
    const database = openPostgres({ connection: env.DATABASE_URL, log: () => {}, zone: timeZone('UTC') });
    await database.migrate();
    const first = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    while (await database.maintenance.deleteHitsBefore(first));
    await database.close();

    await runCommand(['demo'], env);

    expect(await rowsOf(env.DATABASE_URL, `select min(day)::text as first from ${DAYS}`)).toEqual([{ first }]);
  },
  DEMO_TIMEOUT_MS,
);

test(
  'a demo that is interrupted while it stores its visits has all or none of them',
  async () => {
    const env = await createTestDatabase();
    const interrupted = await runCommand(['demo'], env, {
      openDatabase: async ({ timeZone: zone }, { log }) => {
        const database = openPostgres({ connection: env.DATABASE_URL, log, zone });
        const add: typeof database.batches.add = async (...batch) => {
          await database.batches.add(...batch);
          throw new Error('interrupted');
        };
        return { ...database, batches: { ...database.batches, add } };
      },
    });

    const again = await runCommand(['demo'], env);

    expect([interrupted.code, again.stderr]).toEqual([1, 'The demo already exists.\n']);
    expect(await rowsOf(env.DATABASE_URL, `select count(*)::integer as days from ${DAYS}`)).toEqual([
      { days: DEMO_DAYS },
    ]);
  },
  DEMO_TIMEOUT_MS,
);
