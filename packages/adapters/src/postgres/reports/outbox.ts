import type { ReportOutbox } from '@hitherto/domain';
import { isId } from '../../system.ts';
import { storableText } from '../../texts.ts';
import type { Database } from '../connection/database.ts';
import * as statements from './outbox-statements.ts';

/** How many reports are recorded in one statement. */
const RECORDED_AT_ONCE = 5_000;

/** Records reports in PostgreSQL. Long statements run on `background`. */
export function createReportOutbox(database: Database, background: Database): ReportOutbox {
  return {
    async record(week, end, now) {
      return (await background.query(statements.recordReports.with({ week, end, now, limit: RECORDED_AT_ONCE }))).count;
    },

    async claim(week, end, now, leasedUntil) {
      for (;;) {
        const { rows } = await database.query(statements.claimReport.with({ week, end, now, leasedUntil }));
        const [row] = rows;
        if (row === undefined) return undefined;
        // The others were dropped.
        if (row.email === null) continue;
        const { id, scheme, address, email: to, failures } = row;
        return {
          website: { id, url: `${scheme}://${address}` },
          week,
          to,
          failures,
          leasedUntil: new Date(leasedUntil),
        };
      }
    },

    async finish({ website, week }, outcome) {
      await database.query(statements.finishReport.with({ id: website.id, week, outcome }));
    },

    async fail({ website, week, leasedUntil }, detail, at, retryAt) {
      await database.query(
        statements.failReport.with({
          id: website.id,
          week,
          leasedUntil,
          detail: storableText(detail),
          at,
          nextTry: retryAt ?? at,
          state: retryAt === undefined ? 'failed' : 'waiting',
        }),
      );
    },

    async expire(week, now) {
      const { rows } = await background.query(statements.expireReports.with({ week, now }));
      return rows.flatMap(({ id, week: expired, detail }) =>
        detail === null ? [] : [{ websiteId: id, week: expired, detail }],
      );
    },

    async deleteBefore(week) {
      return (await background.query(statements.deleteReportsBefore.with({ week }))).count;
    },

    async latestFailure(websiteId) {
      if (!isId(websiteId)) return undefined;
      const [row] = await database.read(statements.findLatestReport.with({ id: websiteId }));
      if (row?.state !== 'failed' || row.detail === null || row.failed_at === null) return undefined;
      return { week: row.week, detail: row.detail, at: row.failed_at };
    },
  };
}
