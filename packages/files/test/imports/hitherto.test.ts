import { describe, expect, it } from 'vitest';
import { importFolder } from './support.ts';

// docs/imports.md: how JSON lines are read.

const { read } = importFolder();

describe('JSON lines', () => {
  const line = (fields: object) =>
    JSON.stringify({
      time: '2026-01-01T12:00:00.000Z',
      visitor: '1',
      host: 'example.com',
      page: '/é',
      channel: 'Referral',
      device: 'desktop',
      ...fields,
    });

  it('have referrers cut like collected ones, which were longer in exports of earlier versions', async () => {
    const { rows } = await read(
      [
        line({ referrer: `other.example/${'x'.repeat(1_986)}` }),
        line({ referrer: `other.example/${'x'.repeat(1_999)}` }),
        line({ referrer: `other.example/a${'%2B'.repeat(666)}` }),
        line({}),
      ].join('\n'),
    );

    expect(rows.map(({ stated }) => stated?.referrer)).toStrictEqual([
      `other.example/${'x'.repeat(1_986)}`,
      `other.example/${'x'.repeat(1_986)}`,
      `other.example/a${'%2B'.repeat(661)}`,
      null,
    ]);
  });

  it('are faulty with other values of more than 2,000 characters', async () => {
    const { rows } = await read(line({ source: 'x'.repeat(2_001) }));

    expect(rows).toStrictEqual([
      {
        place: 'line 1',
        skipped: { reason: 'faulty', detail: '"source" must be a string of 1 to 2000 characters.' },
      },
    ]);
  });
});
