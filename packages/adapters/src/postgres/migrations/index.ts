import type { Migration } from 'kysely';
import * as initial from './0001-accounts-keys-websites.ts';
import * as websiteDirectory from './0002-website-directory.ts';
import * as statistics from './0003-statistics.ts';
import * as sessions from './0004-sessions.ts';
import * as hitBatches from './0005-hit-batches.ts';
import * as pageLocks from './0006-page-locks.ts';
import * as reports from './0007-reports.ts';
import * as runningSummaries from './0008-running-summaries.ts';
import * as pagesOfVisits from './0009-pages-of-visits.ts';
import * as weekSummaries from './0010-week-summaries.ts';
import * as onlyVisits from './0011-only-visits.ts';
import * as deletedWebsiteIds from './0012-deleted-website-ids.ts';
import * as definitions from './0013-definitions.ts';
import * as websiteTimeZone from './0014-website-time-zone.ts';
import * as tasks from './0015-tasks.ts';
import * as newestKinds from './0016-newest-kinds.ts';
import * as hostsOfVisits from './0017-hosts-of-visits.ts';
import * as visitColumns from './0018-visit-columns.ts';
import * as websiteAliases from './0019-website-aliases.ts';
import * as audit from './0020-audit.ts';
import * as hitJournal from './0021-hit-journal.ts';
import * as sharedLinks from './0022-shared-links.ts';
import * as embedOrigins from './0023-embed-origins.ts';
import * as crawlers from './0024-crawlers.ts';
import * as annotations from './0025-annotations.ts';
import * as webhooks from './0026-webhooks.ts';
import * as alerts from './0027-alerts.ts';
import * as hostsOfWebsites from './0028-hosts-of-websites.ts';
import * as imports from './0029-imports.ts';
import * as logs from './0030-logs.ts';
import * as importedLogs from './0031-imported-logs.ts';
import * as importedSums from './0032-imported-sums.ts';
import * as preparedImports from './0033-prepared-imports.ts';
import * as followedDays from './0034-followed-days.ts';
import * as readableCounts from './0035-readable-counts.ts';
import * as unloggedSalts from './0036-unlogged-salts.ts';
import * as auditWithoutEmails from './0037-audit-without-emails.ts';
import * as localSecrets from './0038-local-secrets.ts';
import * as namesOfWebsites from './0039-names-of-websites.ts';

/**
 * All migrations in their order, by names that sort the same. One that has landed is never changed again. The version before
 * must be able to work with the new schema; where it cannot, the name ends with `-exclusive`, and it does not start.
 */
export const migrations: Record<string, Migration> = {
  '0001-accounts-keys-websites': initial,
  '0002-website-directory': websiteDirectory,
  '0003-statistics': statistics,
  '0004-sessions': sessions,
  '0005-hit-batches': hitBatches,
  '0006-page-locks': pageLocks,
  '0007-reports': reports,
  '0008-running-summaries': runningSummaries,
  '0009-pages-of-visits': pagesOfVisits,
  '0010-week-summaries': weekSummaries,
  '0011-only-visits': onlyVisits,
  '0012-deleted-website-ids': deletedWebsiteIds,
  '0013-definitions': definitions,
  '0014-website-time-zone': websiteTimeZone,
  '0015-tasks': tasks,
  '0016-newest-kinds': newestKinds,
  '0017-hosts-of-visits': hostsOfVisits,
  '0018-visit-columns': visitColumns,
  '0019-website-aliases': websiteAliases,
  '0020-audit': audit,
  '0021-hit-journal': hitJournal,
  '0022-shared-links': sharedLinks,
  '0023-embed-origins': embedOrigins,
  '0024-crawlers': crawlers,
  '0025-annotations': annotations,
  '0026-webhooks': webhooks,
  '0027-alerts': alerts,
  '0028-hosts-of-websites': hostsOfWebsites,
  '0029-imports': imports,
  '0030-logs': logs,
  '0031-imported-logs': importedLogs,
  '0032-imported-sums': importedSums,
  '0033-prepared-imports': preparedImports,
  '0034-followed-days': followedDays,
  '0035-readable-counts': readableCounts,
  '0036-unlogged-salts': unloggedSalts,
  '0037-audit-without-emails': auditWithoutEmails,
  '0038-local-secrets': localSecrets,
  '0039-names-of-websites': namesOfWebsites,
};
