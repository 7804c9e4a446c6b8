import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { startPace } from '../support/pace.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { startService } from '../support/service.ts';

const REJECTED_WITHIN_MS = 1_000;
/** One in this many keys is revoked by the command line, the others by its SQL statement, which takes less CPU. */
const BY_COMMAND_LINE = 5;

/**
 * Time counts from the revocation's timestamp, just before its commit: a request sent a second later or more must be
 * rejected. Both instances get requests all the time, so that they have the key in their caches when it is revoked.
 */
export const revokedKey = row('revoked-key', 40, 'revocations', { small: 1 }, async (trials) => {
  const first = await trials.open(startService({ TRUST_PROXY: '127.0.0.1' }));
  const { env } = first;
  const { query, issueKey } = first.postgres;
  const urls = [first.program.url, (await trials.open(startProgram({ env }))).url];
  const sum = { accepted: 0, rejected: 0 };
  let latest = 0;
  await trials.each(async ({ index, random, open }) => {
    const account = `revoke ${index} ${random.word(8)}`;
    const key = await issueKey(account);
    const [row] = await query<{ id: string }>(
      'select api_key.id from api_key join account on account.id = account_id where name = $1',
      [account],
    );
    const id = row?.id ?? '';
    const watched = await Promise.all(urls.map((url) => open(watch(url, key, index))));
    await sleep(200 + random.below(900));
    if (index % BY_COMMAND_LINE === 0) await runProgram(['keys', 'revoke', id], env);
    else await query('update api_key set revoked_at = clock_timestamp() where id = $1', [id]);
    const committed = Date.now();
    await sleep(1_300);
    await Promise.all(watched.map((each) => each.stop()));

    const [revoked] = await query<{ at: Date }>('select revoked_at as at from api_key where id = $1', [id]);
    const revokedAt = revoked?.at.getTime() ?? Number.NaN;
    if (!(revokedAt <= committed + 1)) throw new Error(`The key was not revoked: ${revokedAt}.`);
    for (const { accepted, rejected } of watched) {
      const lastAccepted = Math.max(...accepted);
      const ms = lastAccepted - revokedAt;
      if (!(accepted[0] !== undefined && accepted[0] < revokedAt)) throw new Error('The key was not accepted before.');
      if (ms > (trials.isFull ? 1 : 5) * REJECTED_WITHIN_MS) {
        throw new Error(`The key was still accepted ${Math.round(ms)} ms after its revocation.`);
      }
      if (Math.min(...rejected) < revokedAt - 1) throw new Error('The key was rejected before it was revoked.');
      if (!rejected.some((at) => at > lastAccepted)) throw new Error('The key was never rejected.');
      sum.accepted += accepted.length;
      sum.rejected += rejected.length;
      latest = Math.max(latest, Math.round(ms));
    }
  });
  return withNumbers`last accepted at most ${latest} ms after the revocation; ${sum.accepted} responses 200 before, ${sum.rejected} 401 after`;
});

/** Sends requests to an instance; records when accepted ones were sent and when the others were rejected. */
function watch(url: string, key: string, trial: number) {
  const client = openClient(url, key, Number.POSITIVE_INFINITY);
  const accepted: number[] = [];
  const rejected: number[] = [];
  const pace = startPace(50, async (index) => {
    const sentAt = Date.now();
    // An address that fails too often gets 429 instead of 401, so each request comes from a different one.
    const headers = { 'x-forwarded-for': `10.${trial}.${index >> 8}.${index & 255}` };
    const { status } = await client.request('GET', '/api/v1/websites', { headers });
    if (status === 200) accepted.push(sentAt);
    else if (status === 401) rejected.push(Date.now());
    else throw new Error(`${status} instead of 200 or 401.`);
  });
  return { accepted, rejected, stop: pace.stop, close: client.close };
}
