import { FUZZED_ALIASES, foreignFault, fuzzedForeignRequest } from '@hitherto/testing/fuzzed-foreign';
import { randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { expect, test } from 'vitest';
import { call, dataFolder, firstKeyOf, startService } from './support/program.ts';

const REQUESTS = runs(1_500, 20_000);
const SENDERS = 4;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`${REQUESTS} generated requests of other products' clients: no 5xx, and each response in their form (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const service = await startService({ DATA_DIR: await dataFolder(), RATE_LIMIT_PER_MINUTE: '0' });
  const key = firstKeyOf(service);
  const body = new URLSearchParams({ url: 'https://example.com', aliases: FUZZED_ALIASES.join('\n') });
  expect((await call(service, key, '/api/v1/websites', { method: 'POST', body })).status).toBe(201);
  const statuses = new Map<number, number>();
  const random = randomOf(seed);
  let left = REQUESTS;

  const work = async () => {
    for (; left > 0; left -= 1) {
      const request = fuzzedForeignRequest(random, key);
      const { method, path, sent } = request;
      const init = { method, ...(sent.headers && { headers: sent.headers }), ...(sent.body && { body: sent.body }) };
      const response = await fetch(service.url + path, init);
      const { status, headers } = response;
      const text = await response.text();
      const fault = foreignFault(request, { status, type: headers.get('content-type') ?? '', text });
      expect(fault, `${method} ${path} ${JSON.stringify(sent)} gets ${status}: ${text}`).toBeUndefined();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, work));

  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 202, 204, 400, 401, 404]));
  expect(service.output().stdout).not.toContain(key);
});
