import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Trial } from '../row.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { all, checkMigrated } from '../support/instances.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { spawnProgram, startProgram, untilStarted } from '../support/program.ts';
import { makeOld, migrate, schemaOf } from '../support/schemas.ts';
import { until } from '../support/until.ts';

/** The statements of the migration, without those that keep its record. */
const MIGRATES = /create (?:table|index) (?!if)|insert into "schema_migration" /i;
/** The least number of such statements. */
const STATEMENTS = 8;
/** Roughly the time that five instances take to start. */
const START_MS = 2_000;

export const migrateKilled: Row = {
  name: 'migrate-killed',
  what: 'one of five instances that migrate at once, or the only one, is killed midway',
  required: 'the others and the next start complete; applied once',
  unit: 'kills',
  full: 10,
  small: 1,
  async run(trials) {
    const postgres = await startOwnPostgres();
    try {
      const single = await postgres.createDatabase('single');
      await migrate(single);
      const reference = await schemaOf(single);
      await trials.each(async (trial) => {
        const { index, random } = trial;
        const url = await postgres.createDatabase(`killed_${index}`);
        if (random.below(2) === 0) await makeOld(url);
        const isAtStatement = index % 3 !== 2;
        const { started, killed, close } = await startInstances(url, index % 2 === 0 ? 1 : 5);
        try {
          const victim = await (isAtStatement ? killed.atStatement(random.below(STATEMENTS)) : killed.atAnyTime(trial));
          await victim.ended;
          const survivors = started.filter((program) => program !== victim);
          const running = await all(survivors.map((program) => untilStarted(program)));
          const next = await startProgram({ env: { DATABASE_URL: url } });
          try {
            await checkMigrated({
              started: [...started, next],
              running: [...running, next],
              url,
              reference,
              mayBeUntold: !isAtStatement,
            });
          } finally {
            await next.stop();
          }
        } finally {
          await close();
        }
      });
    } finally {
      await postgres.close();
    }
    return 'each applied once, by a survivor or the next start; the same schema as from a single instance';
  },
};

/** Starts instances on a database, each through its own proxy, which identifies it. */
async function startInstances(url: string, count: number) {
  const target = new URL(url);
  const instances = await all(
    Array.from({ length: count }, async () => {
      const proxy = await startDatabaseProxy({
        upstream: () => ({ host: target.hostname, port: Number(target.port) }),
        user: target.username,
        password: target.password,
        database: target.pathname.slice(1),
      });
      return { proxy, program: spawnProgram({ env: { DATABASE_URL: proxy.url } }) };
    }),
  );
  type Instance = (typeof instances)[number]['program'];
  return {
    started: instances.map(({ program }) => program),
    killed: {
      /** Kills the instance that sends the statement `after` statements from now. */
      async atStatement(after: number): Promise<Instance> {
        let victim: Instance | undefined;
        for (const { proxy, program } of instances) {
          proxy.whenAsked(MIGRATES, after, () => {
            if (victim !== undefined) return;
            victim = program;
            program.process.kill('SIGKILL');
            for (const other of instances) other.proxy.clear();
          });
        }
        await until(
          () => victim !== undefined,
          60_000,
          () => 'no instance has migrated.',
        );
        if (victim === undefined) throw new Error('No instance has migrated.');
        return victim;
      },
      /** Kills any instance. */
      async atAnyTime({ random }: Trial): Promise<Instance> {
        await sleep(random.next() * START_MS);
        const victim = instances[random.below(instances.length)]?.program;
        if (victim === undefined) throw new Error('There is no instance.');
        victim.process.kill('SIGKILL');
        return victim;
      },
    },
    async close() {
      await all(instances.map(({ program }) => program.stop()));
      await all(instances.map(({ proxy }) => proxy.close()));
    },
  };
}
