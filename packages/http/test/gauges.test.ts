import { AggregatorRegistry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../src/index.ts';

/** The lines of a gauge, by the metrics of its process and by those of several. */
async function linesOf(read: () => number | Promise<number>): Promise<string[][]> {
  const metrics = createMetrics();
  metrics.gauge({ name: 'test_gauge', help: 'A test.', read });
  const together = AggregatorRegistry.aggregate([
    JSON.parse(JSON.stringify(await metrics.registry.getMetricsAsJSON())),
  ]);
  const texts = [await metrics.text(), await together.metrics()];
  return texts.map((text) => text.split('\n').filter((line) => line.startsWith('test_gauge')));
}

test('a gauge has the value that is read', async () => {
  expect(await linesOf(() => 7)).toEqual([['test_gauge 7'], ['test_gauge 7']]);
});

test('a gauge that cannot be read has no value', async () => {
  expect(await linesOf(() => Promise.reject(new Error('away')))).toEqual([[], []]);
});

test('a gauge that is not read within a second has no value', async () => {
  expect(await linesOf(() => new Promise<number>(() => {}))).toEqual([[], []]);
});

test('a gauge that could not be read has a value once it can', async () => {
  let isAway = true;
  const metrics = createMetrics();
  const read = async () => {
    if (isAway) throw new Error('away');
    return 7;
  };
  metrics.gauge({ name: 'test_gauge', help: 'A test.', read });

  const during = await metrics.text();
  isAway = false;
  const after = await metrics.text();

  expect(during).not.toMatch(/^test_gauge /m);
  expect(after).toMatch(/^test_gauge 7$/m);
});
