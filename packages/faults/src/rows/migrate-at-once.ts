import type { Row } from '../row.ts';
import { startGate } from '../support/gate.ts';
import { all, checkMigrated } from '../support/instances.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { spawnProgram, untilStarted } from '../support/program.ts';
import { makeOld, migrate, schemaOf } from '../support/schemas.ts';

const INSTANCES = 5;

export const migrateAtOnce: Row = {
  name: 'migrate-at-once',
  what: 'five instances migrate an empty or an old database at once',
  required: 'applied once; all ready',
  unit: 'starts of five',
  full: 15,
  small: 1,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const gate = await startGate(Number(new URL(postgres.url).port));
    try {
      const single = await postgres.createDatabase('single');
      await migrate(single);
      const reference = await schemaOf(single);
      await trials.each(async ({ index, random }) => {
        const direct = await postgres.createDatabase(`at_once_${index}`);
        const url = direct.replace(/:\d+\//, `:${gate.port}/`);
        if ((trials.isFull ? index % 2 : random.below(2)) === 1) await makeOld(direct);
        // Each opens one connection; the gate makes them start at the same moment.
        gate.holdUntil(INSTANCES);
        const started = Array.from({ length: INSTANCES }, () => spawnProgram({ env: { DATABASE_URL: url } }));
        try {
          const running = await all(started.map((program) => untilStarted(program)));
          await checkMigrated({ started, running, url: direct, reference, mayBeUntold: false });
        } finally {
          await all(started.map((program) => program.stop()));
        }
      });
    } finally {
      await gate.close();
      await postgres.close();
    }
    return 'each applied once, all instances ready, the same schema as from a single instance (old: with the migration record of an older version, and no tables)';
  },
};
