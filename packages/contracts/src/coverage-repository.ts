import { UNRECORDED } from '@hitherto/domain/changes';
import { type CoverageReport, KEPT_REPORTS } from '@hitherto/domain/insight';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

const AT = new Date('2026-11-20T00:10:00.000Z');
const COVERAGE = {
  days: [{ day: '2026-11-19', log: 12, tracked: 3 }],
  share: 0.25,
  missing: [{ page: '/é "🦊"', log: 12, tracked: 0, firstSeen: '2026-11-19', lastTracked: null }],
  partly: [],
  onlyTracked: [{ page: '/<b>', tracked: 12 }],
  byBrowser: [{ browser: null, log: 1, tracked: 0, share: 0 }],
  ...{ lines: 20, judged: 12, bots: 1, from: '2026-11-19', to: '2026-11-19' },
};

/** The contract of `CoverageRepository`. */
export function coverageRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let key: WebsiteKey;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    const [website] = await addWebsites(repositories, accountId, [`https://${newId()}.example`]);
    key = { accountId, websiteId: website?.id ?? '' };
  });

  const aReport = (overrides: Partial<CoverageReport> = {}): CoverageReport => ({
    id: newId(),
    createdAt: AT,
    coverage: null,
    problem: null,
    ...overrides,
  });
  const insert = async (report: CoverageReport) => {
    expect(await repositories.coverages.insert(key, report)).toBe(true);
    return report;
  };
  const list = () => repositories.coverages.list(key);

  it('are stored while a log is read, and end with a result or a problem', async () => {
    const [done, failed] = [await insert(aReport()), await insert(aReport())];
    expect(await list()).toEqual([failed, done]);

    const problem = { code: 'failed', detail: 'é' } as const;
    await repositories.coverages.end(done.id, { coverage: COVERAGE, problem: null });
    await repositories.coverages.end(failed.id, { coverage: null, problem });

    expect(await list()).toEqual([
      { ...failed, problem },
      { ...done, coverage: COVERAGE },
    ]);
  });

  it('are the last ones of each website', async () => {
    const reports: CoverageReport[] = [];
    for (let number = 0; number <= KEPT_REPORTS; number += 1) reports.unshift(await insert(aReport()));
    await repositories.coverages.end(reports.at(-1)?.id ?? '', { coverage: COVERAGE, problem: null });

    expect(await list()).toEqual(reports.slice(0, KEPT_REPORTS));
  });

  it('go with time, and with their website', async () => {
    await insert(aReport());
    const later = await insert(aReport({ createdAt: new Date(AT.getTime() + 1) }));
    await repositories.coverages.deleteBefore(later.createdAt);
    expect(await list()).toEqual([later]);

    await repositories.websites.delete(key.accountId, key.websiteId, undefined, UNRECORDED);
    expect(await list()).toBeUndefined();
    expect(await repositories.coverages.insert(key, aReport())).toBe(false);
  });

  it('are absent by other ids', async () => {
    await insert(aReport());
    for (const id of HOSTILE_STRINGS) {
      await repositories.coverages.end(id, { coverage: COVERAGE, problem: null });
      expect(await repositories.coverages.list({ ...key, websiteId: id })).toBeUndefined();
      expect(await repositories.coverages.list({ ...key, accountId: id })).toBeUndefined();
      expect(await repositories.coverages.insert({ ...key, accountId: id }, aReport())).toBe(false);
    }
    expect(await list()).toMatchObject([{ coverage: null }]);
  });
}
