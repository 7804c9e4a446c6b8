import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDroppedCounter } from '../src/dropped-counter.ts';
import { createFaultyHits } from './support/faulty-hits.ts';

const DAY = '2026-11-20';

function counterOn(hits = createFaultyHits()) {
  const failures: unknown[] = [];
  let ids = 0;
  const newId = () => {
    ids += 1;
    return String(ids);
  };
  return { hits, failures, counter: createDroppedCounter({ hits, newId }, (error) => failures.push(error)) };
}

test('drops are added up by website, day and reason', async () => {
  const { hits, counter } = counterOn();

  counter.count('a', DAY, 'bot');
  counter.count('a', DAY, 'bot');
  counter.count('a', '2026-11-21', 'bot');
  counter.count('a', DAY, 'prefetch');
  counter.count('b', DAY, 'bot');
  await counter.close();

  expect(hits.dropped).toEqual([
    { websiteId: 'a', day: DAY, reason: 'bot', hits: 2 },
    { websiteId: 'a', day: '2026-11-21', reason: 'bot', hits: 1 },
    { websiteId: 'a', day: DAY, reason: 'prefetch', hits: 1 },
    { websiteId: 'b', day: DAY, reason: 'bot', hits: 1 },
  ]);
});

test('drops are written within two seconds, also after an idle time', async () => {
  const { hits, counter } = counterOn();
  await sleep(1_200);

  counter.count('a', DAY, 'bot');
  await sleep(1_500);
  counter.count('b', DAY, 'bot');
  await sleep(1_500);

  expect(hits.dropped.map(({ websiteId }) => websiteId)).toEqual(['a', 'b']);
  await counter.close();
});

test('drops that cannot be written are retried, before newer ones', async () => {
  const { hits, counter, failures } = counterOn();
  hits.away = true;

  counter.count('a', DAY, 'bot');
  await sleep(1_200);
  counter.count('a', DAY, 'bot');
  hits.away = false;
  await counter.close();

  expect(hits.dropped.map((dropped) => dropped.hits)).toEqual([1, 1]);
  expect(failures).toHaveLength(1);
});

test('drops count once when the outcome of their write is unknown', async () => {
  const { hits, counter, failures } = counterOn();
  hits.fates.push('fails after');

  counter.count('a', DAY, 'bot');
  await sleep(1_200);
  await counter.close();

  expect(hits.dropped).toEqual([{ websiteId: 'a', day: DAY, reason: 'bot', hits: 1 }]);
  expect(failures).toHaveLength(1);
});

test('at most 50,000 counters are kept', async () => {
  const { hits, counter } = counterOn();

  for (let website = 0; website < 60_000; website += 1) counter.count(String(website), DAY, 'bot');
  await counter.close();

  expect(hits.dropped).toHaveLength(50_000);
});
