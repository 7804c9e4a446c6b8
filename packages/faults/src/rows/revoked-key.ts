import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { all } from '../support/instances.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startPace } from '../support/pace.ts';
import { runProgram, startProgram } from '../support/program.ts';

const PER_SECOND = 50;
const REFUSED_WITHIN_MS = 1_000;
/** One in this many keys is revoked by the command line, the others by its SQL statement, which takes less CPU. */
const BY_COMMAND_LINE = 5;

/**
 * Time counts from the revocation's timestamp, just before its commit: a request sent a second later or more must be
 * refused. Both instances get requests all the time, so that they have the key in their caches when it is revoked.
 */
export const revokedKey: Row = {
  name: 'revoked-key',
  what: 'revoked key, on two instances',
  required: 'refused within 1 s',
  unit: 'revocations',
  full: 40,
  small: 1,
  async run(trials) {
    const allowedMs = trials.isFull ? REFUSED_WITHIN_MS : 5 * REFUSED_WITHIN_MS;
    const postgres = await startOwnPostgres();
    const env = { DATABASE_URL: postgres.url, TRUST_PROXY: '127.0.0.1' };
    const instances = await all([startProgram({ env }), startProgram({ env })]);
    const sum = { accepted: 0, refused: 0, latest: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        const account = `revoke ${index} ${random.word(8)}`;
        const key = await postgres.issueKey(account);
        const [row] = await postgres.query<{ id: string }>(
          'select api_key.id from api_key join account on account.id = account_id where name = $1',
          [account],
        );
        const id = row?.id ?? '';
        const watched = instances.map(({ url }) => watch(url, key, index));
        await sleep(200 + random.below(900));
        if (index % BY_COMMAND_LINE === 0) await runProgram(['keys', 'revoke', id], env);
        else await postgres.query('update api_key set revoked_at = clock_timestamp() where id = $1', [id]);
        const committed = Date.now();
        await sleep(1_300);
        await Promise.all(watched.map((each) => each.stop()));

        const [revoked] = await postgres.query<{ revoked_at: Date }>('select revoked_at from api_key where id = $1', [
          id,
        ]);
        const revokedAt = revoked?.revoked_at.getTime() ?? Number.NaN;
        if (!(revokedAt <= committed + 1)) throw new Error(`The key was not revoked: ${revokedAt}.`);
        for (const { accepted, refused, first } of watched) {
          const latest = Math.max(...accepted) - revokedAt;
          if (first() !== 200) throw new Error(`The key was not accepted before: ${first()}.`);
          if (latest > allowedMs)
            throw new Error(`The key was still accepted ${Math.round(latest)} ms after its revocation.`);
          if (Math.min(...refused) < revokedAt - 1) throw new Error('The key was refused before it was revoked.');
          if (!refused.some((at) => at > Math.max(...accepted))) throw new Error('The key was never refused.');
          sum.accepted += accepted.length;
          sum.refused += refused.length;
          sum.latest = Math.max(sum.latest, latest);
        }
      });
    } finally {
      for (const instance of instances) await instance.stop();
      await postgres.close();
    }
    return (
      `last accepted at most ${Math.max(0, Math.round(sum.latest))} ms after the revocation; ` +
      `${sum.accepted.toLocaleString('en')} responses 200 before, ${sum.refused.toLocaleString('en')} 401 after`
    );
  },
};

/** Sends requests to an instance; records when accepted ones were sent and when the others were refused. */
function watch(url: string, key: string, trial: number) {
  const client = openClient(url, key, Number.POSITIVE_INFINITY);
  const accepted: number[] = [];
  const refused: number[] = [];
  let first: number | undefined;
  const pace = startPace(PER_SECOND, async (index) => {
    const sentAt = Date.now();
    // An address that fails too often gets 429 instead of 401, so each request comes from a different one.
    const headers = { 'x-forwarded-for': `10.${trial}.${index >> 8}.${index & 255}` };
    const { status } = await client.request('GET', '/api/v1/websites', { headers });
    first ??= status;
    if (status === 200) accepted.push(sentAt);
    else if (status === 401) refused.push(Date.now());
    else throw new Error(`${status} instead of 200 or 401.`);
  });
  return {
    accepted,
    refused,
    first: () => first,
    async stop() {
      await pace.stop();
      client.close();
    },
  };
}
