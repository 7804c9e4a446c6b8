import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HTTP_TIMEOUTS } from '../../http/src/server/timeouts.ts';
import { DATABASE_TIMEOUTS } from '../../postgres/src/connection/timeouts.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000 };

test('the times in docs/reliability.md are those of the code, which fit together', () => {
  const text = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` +\| (\d+) (ms|s|min) +\| \S/gm)];
  const documented = Object.fromEntries(
    rows.map(([, name = '', amount, unit = '']) => [name, Number(amount) * (UNITS[unit] ?? Number.NaN)]),
  );

  expect(rows.length).toBeGreaterThan(5);
  expect({ ...HTTP_TIMEOUTS, ...DATABASE_TIMEOUTS }).toMatchObject(documented);
  const { lock, statement, response, statisticsStatement, statisticsResponse } = DATABASE_TIMEOUTS;
  const { quietAtStop, emptyingAtStop, backgroundAtStop, acceptedAtStop, stop, headers, request, silence, keepAlive } =
    HTTP_TIMEOUTS;
  for (const growing of [
    [lock, statement, response, statisticsStatement, statisticsResponse, acceptedAtStop, stop],
    [quietAtStop, emptyingAtStop, backgroundAtStop, acceptedAtStop],
    [headers, request, silence, keepAlive],
  ]) {
    expect(growing).toEqual([...growing].sort((a, b) => a - b));
    expect(new Set(growing).size).toBe(growing.length);
  }
});
