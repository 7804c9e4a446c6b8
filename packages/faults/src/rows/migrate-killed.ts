import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf } from '@hitherto/testing/databases';
import { row, type Trials } from '../row.ts';
import { openClient } from '../support/client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { migrate, type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Program, spawnProgram, startProgram, untilStarted } from '../support/program.ts';
import { until } from '../support/until.ts';

const INSTANCES = 5;

type Started = Omit<Program, 'url'>;

/** Starts a server, and returns it with the schema that a single instance creates. */
async function startWithReference(trials: Trials): Promise<{ postgres: OwnPostgres; reference: string }> {
  const postgres = await trials.open(startOwnPostgres());
  const single = await postgres.createDatabase('single');
  await migrate(single);
  return { postgres, reference: await schemaOf(single) };
}

/** The statements of the migration, without those that record it. */
const MIGRATES = /create (?:table|index) (?!if)|insert into "schema_migration" /i;
/** The least number of such statements. */
const STATEMENTS = 8;
/** Roughly the time that five instances take to start. */
const START_MS = 2_000;

export const migrateKilled = row('migrate-killed', 10, 'kills', { small: 1 }, async (trials) => {
  const { postgres, reference } = await startWithReference(trials);
  await trials.each(async ({ index, random, open }) => {
    const url = await postgres.createDatabase(`killed_${index}`);
    if (random.below(2) === 0) await makeOld(url);
    const { hostname: host, port, username: user, password, pathname } = new URL(url);
    const upstream = () => ({ host, port: Number(port) });
    const isAtStatement = index % 3 !== 2;
    const after = random.below(STATEMENTS);
    const proxies: DatabaseProxy[] = [];
    let victim: Started | undefined;
    const kill = (program: Started | undefined) => {
      victim = program;
      program?.process.kill('SIGKILL');
      for (const proxy of proxies) proxy.clear();
    };
    const started: Started[] = [];
    for (let left = index % 2 === 0 ? 1 : INSTANCES; left > 0; left -= 1) {
      // Each has its own proxy, which distinguishes them.
      const proxy = await open(startDatabaseProxy({ upstream, user, password, database: pathname.slice(1) }));
      const program = await open(spawnProgram({ env: { DATABASE_URL: proxy.url } }));
      if (isAtStatement) proxy.whenAsked(MIGRATES, after, () => kill(program));
      proxies.push(proxy);
      started.push(program);
    }
    if (!isAtStatement) {
      await sleep(random.next() * START_MS);
      kill(started[random.below(started.length)]);
    }
    await until('no instance has migrated.', 60_000, () => victim !== undefined);
    await victim?.ended;
    const survivors = started.filter((program) => program !== victim);
    const running = await Promise.all(survivors.map((program) => untilStarted(program)));
    const next = await open(startProgram({ env: { DATABASE_URL: url } }));
    await checkMigrated([...started, next], [...running, next], url, reference, !isAtStatement);
  });
  return 'each applied once, by a survivor or the next start; the same schema as from a single instance';
});

/**
 * Checks that all running instances are ready, and that the migrations were applied exactly once.
 *
 * @param started all instances, including killed ones
 * @param mayBeUntold whether an instance may have applied the migrations without logging it
 */
async function checkMigrated(
  started: readonly Pick<Program, 'output'>[],
  running: readonly Program[],
  url: string,
  reference: string,
  mayBeUntold = false,
): Promise<void> {
  for (const { url: base, output } of running) {
    const client = openClient(base, null);
    const { status, text } = await client.request('GET', '/readyz');
    client.close();
    if (status !== 200) throw new Error(`An instance is not ready: ${status} ${text}\n${output()}`);
  }
  const times = started.flatMap(({ output }) => output().split('"msg":"the schema is up to date"').slice(1)).length;
  if (times > 1 || (times === 0 && !mayBeUntold)) throw new Error(`The migrations were applied ${times} times.`);
  const schema = await schemaOf(url);
  if (schema !== reference) throw new Error(`The schema is\n${schema}\ninstead of\n${reference}`);
}

/** Makes an empty database look as if an older version had used it: its record has none of this version's migrations. */
async function makeOld(url: string): Promise<void> {
  await rowsOf(
    url,
    `create table schema_migration (name varchar(255) primary key, timestamp varchar(255) not null);
     create table schema_migration_lock (id varchar(255) primary key, is_locked integer default 0 not null);
     insert into schema_migration_lock values ('migration_lock', 0);
     create extension pg_trgm`,
  );
}

/** A background job makes these, at any time after the migrations. */
const MONTH_PARTITION = /\b(?:hit|visit)_\d{4}_\d{2}/;

/** Everything that migrations create: tables with columns and constraints, indexes, extensions, and the migration record. */
async function schemaOf(url: string): Promise<string> {
  const rows = await rowsOf<{ line: string }>(
    url,
    `select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
       from information_schema.columns where table_schema = 'public'
     union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'public'::regnamespace
     union all select indexdef from pg_indexes where schemaname = 'public'
     union all select extname from pg_extension
     union all select name from schema_migration
     order by line`,
  );
  return rows.flatMap(({ line }) => (MONTH_PARTITION.test(line) ? [] : [line])).join('\n');
}
