import { describe, expect, it } from 'vitest';
import type { ImportedDay } from '../../src/imports/import-repository.ts';
import { importedPeriods } from '../../src/imports/imported-periods.ts';

describe('the origin of days', () => {
  it('is one period for each import, and one for all access logs', async () => {
    const days: ImportedDay[] = [
      { day: '2026-01-01', importId: 'a', format: 'umami' },
      { day: '2026-01-02', importId: 'a', format: 'umami' },
      { day: '2026-01-02', importId: 'b', format: 'access-log' },
      { day: '2026-01-03', importId: 'c', format: 'access-log' },
      { day: '2026-01-04', importId: 'd', format: 'umami' },
    ];
    const imports = { importedDays: async () => days };

    expect(await importedPeriods({ imports }, 'x', { from: '2026-01-01', to: '2026-01-31' })).toStrictEqual([
      { from: '2026-01-01', to: '2026-01-02', format: 'umami' },
      { from: '2026-01-02', to: '2026-01-03', format: 'access-log' },
      { from: '2026-01-04', to: '2026-01-04', format: 'umami' },
    ]);
  });

  it('is several periods for an import if days of others lie between', async () => {
    const days: ImportedDay[] = [
      { day: '2026-01-01', importId: 'a', format: 'plausible', sums: [] },
      { day: '2026-01-03', importId: 'a', format: 'plausible', sums: [] },
      { day: '2026-01-10', importId: 'b', format: 'umami' },
      { day: '2026-01-20', importId: 'a', format: 'plausible', sums: [] },
      { day: '2026-01-20', importId: 'c', format: 'access-log' },
      { day: '2026-01-21', importId: 'a', format: 'plausible', sums: [] },
    ];
    const imports = { importedDays: async () => days };

    expect(await importedPeriods({ imports }, 'x', { from: '2026-01-01', to: '2026-01-31' })).toStrictEqual([
      { from: '2026-01-01', to: '2026-01-03', format: 'plausible', sums: [] },
      { from: '2026-01-10', to: '2026-01-10', format: 'umami' },
      { from: '2026-01-20', to: '2026-01-21', format: 'plausible', sums: [] },
      { from: '2026-01-20', to: '2026-01-20', format: 'access-log' },
    ]);
  });
});
