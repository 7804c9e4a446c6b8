import { expect, test } from 'vitest';
import { gaugesOf } from '../src/service/gauges.ts';

/** The hand-over's gauges, and how often they have read the backlog. */
function handOverGauges() {
  let readings = 0;
  const backlog = async () => {
    readings += 1;
    return { hits: 7, since: new Date('2026-11-20T11:59:50Z') };
  };
  const gauges = gaugesOf({
    database: { stats: () => ({ total: 0, idle: 0, waiting: 0 }), outside: { ping: async () => {}, backlog } },
    passwords: { load: () => ({ active: 0, waiting: 0 }) },
    now: () => new Date('2026-11-20T12:00:00Z'),
  });
  return {
    read: () => Promise.all(gauges.filter(({ name }) => name.includes('hand_over')).map(({ read }) => read())),
    readings: () => readings,
  };
}

test('reading the metrics reads once what waits to be handed over', async () => {
  const { read, readings } = handOverGauges();

  const values = [await read(), await read()];

  expect(values).toEqual([
    [7, 10],
    [7, 10],
  ]);
  expect(readings()).toBe(2);
});
