import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { startProgram } from '../support/program.ts';
import { expectResponses, isGood, openTraffic, type Seen } from '../support/traffic.ts';

const PER_SECOND = 30;
const READ_ONLY_MS = 2_000;
const HEALS_WITHIN_MS = 2_000;

/**
 * Read-only by turns through its settings, as an operator would, and as a standby, as after a failover. While the server
 * restarts as a standby, reads may be 503 as well; this row ignores that moment.
 */
export const databaseReadOnly: Row = {
  name: 'database-read-only',
  what: 'database read-only',
  required: 'reads 200, writes 503, recovers without help',
  unit: 'times',
  full: 5,
  async run(trials) {
    const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-faults-'));
    const postgres = await startOwnPostgres({ dataDir });
    const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
    const sum = { reads: 0, refused: 0, acknowledged: 0, healed: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        const key = await postgres.issueKey(`read-only ${index} ${random.word(8)}`);
        const client = openClient(program.url, key, Number.POSITIVE_INFINITY);
        const traffic = openTraffic(client, random);
        const pace = startPace(PER_SECOND, traffic.send);
        await sleep(300 + random.below(500));
        const { begin, end } = index % 2 === 0 ? bySettings(postgres) : asStandby(postgres, dataDir);
        await begin();
        // By then, requests from before have ended and lost connections are open again.
        await sleep(1_500);
        const from = performance.now();
        await sleep(READ_ONLY_MS);
        const to = performance.now();
        await end();
        const endedAt = performance.now();
        await sleep(HEALS_WITHIN_MS);
        await pace.stop();

        expectResponses(traffic.seen, 7_000);
        const during = traffic.seen.filter((each) => each.sentAt > from && each.endedAt < to);
        expectAll(during, 'read', isGood);
        expectAll(during, 'write', ({ status }) => status === 503);
        const lastRefused = Math.max(endedAt, ...traffic.seen.map((each) => (isGood(each) ? 0 : each.endedAt)));
        const { acknowledged } = await traffic.check(client);
        client.close();
        if (!traffic.seen.some((each) => each.kind === 'write' && isGood(each) && each.endedAt > lastRefused)) {
          throw new Error(`No write succeeded within ${HEALS_WITHIN_MS} ms of the end.`);
        }
        sum.reads += during.filter(isGood).length;
        sum.refused += during.filter((each) => !isGood(each)).length;
        sum.acknowledged += acknowledged;
        sum.healed = Math.max(sum.healed, lastRefused - endedAt);
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return (
      `meanwhile ${sum.reads} reads 200, ${sum.refused} writes 503; recovered after at most ${(sum.healed / 1_000).toFixed(1)} s; ` +
      `${sum.acknowledged.toLocaleString('en')} writes acknowledged before and after, all stored`
    );
  },
};

interface Means {
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** For every session, including existing ones. */
function bySettings(postgres: OwnPostgres): Means {
  const set = async (statement: string) => {
    await postgres.query(statement);
    await postgres.query('select pg_reload_conf()');
  };
  return {
    begin: () => set('alter system set default_transaction_read_only = on'),
    end: () => set('alter system reset default_transaction_read_only'),
  };
}

/** The standby is promoted in place: its connections stay open. */
function asStandby(postgres: OwnPostgres, dataDir: string): Means {
  return {
    async begin() {
      await postgres.stop();
      await writeFile(join(dataDir, 'postgres', 'standby.signal'), '', { mode: 0o644 });
      await postgres.start();
    },
    async end() {
      await postgres.query('select pg_promote()');
    },
  };
}

function expectAll(during: readonly Seen[], kind: Seen['kind'], isRight: (seen: Seen) => boolean): void {
  const those = during.filter((each) => each.kind === kind);
  const wrong = those.find((each) => !isRight(each));
  if (those.length === 0) throw new Error(`There was no ${kind} meanwhile.`);
  if (wrong !== undefined)
    throw new Error(`A ${kind} had ${wrong.status} while the database was read-only: ${wrong.text}`);
}
