import { UNRECORDED } from '@hitherto/domain/changes';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import type { PagesUnderTest } from './pages.ts';

/** Adds an import that waits, and whose reports and end are up to the test. */
export async function addRunningImport(
  { repositories: { imports }, accountId, clock }: PagesUnderTest,
  { id: websiteId }: Pick<Website, 'id'>,
) {
  const id = newId();
  const record = { id, websiteId, format: 'umami', sha256: 'ab'.repeat(32), status: 'running', problem: null } as const;
  await imports.insert(
    { accountId, websiteId },
    { ...NO_IMPORT_COUNTS, ...record, createdAt: clock.now() },
    UNRECORDED,
  );
  return {
    begin: () => imports.begin(id, clock.now()),
    report: (rows: number) => imports.report(id, { ...NO_IMPORT_COUNTS, rows, share: 0.5 }, clock.now()),
    fail: (detail: string) => imports.fail(id, { code: 'invalid_file', detail }, NO_IMPORT_COUNTS, undefined),
  };
}
