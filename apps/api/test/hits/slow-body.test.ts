import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startApiForTest } from '../support/api.ts';

test('the time that a body takes to arrive does not shorten the wait for the database', async () => {
  const api = await startApiForTest({
    websites: (real) => ({
      ...real,
      find: async (...given) => {
        await sleep(200);
        return real.find(...given);
      },
    }),
  });
  const { id } = await api.createWebsite({ url: 'https://ex.com' });
  const body = JSON.stringify({ hits: [{ website: id, url: 'https://ex.com/é', ip: '192.0.2.1' }] });

  const { statusCode } = await api.app.inject({
    method: 'POST',
    url: '/api/v1/hits',
    headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    payload: Readable.from(slowly(body)),
  });

  expect(statusCode).toBe(202);
});

async function* slowly(text: string) {
  yield Buffer.from(text.slice(0, 10));
  await sleep(10_500);
  yield Buffer.from(text.slice(10));
}
