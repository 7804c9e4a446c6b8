import { type ClaimedReport, getsReport, type ReportOutbox, type Website } from '@hitherto/domain';
import type { ReportRecord, State } from '../state.ts';

/** Records reports in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createReportOutbox(state: State): ReportOutbox {
  const recordOf = ({ website, week }: ClaimedReport) => state.reports.get(keyOf(website.id, week));
  const put = (record: ReportRecord) => state.reports.set(keyOf(record.websiteId, record.week), record);
  const remove = ({ websiteId, week }: ReportRecord) => state.reports.delete(keyOf(websiteId, week));
  const waiting = (isMeant: (record: ReportRecord) => boolean) =>
    [...state.reports.values()].filter((record) => record.state === 'waiting' && isMeant(record));

  return {
    async record(week, end, now) {
      const fresh = recipientsOf(state, end).filter(({ website }) => !state.reports.has(keyOf(website.id, week)));
      for (const { website } of fresh) {
        const nextTry = new Date(now);
        put({ websiteId: website.id, week, state: 'waiting', failures: 0, nextTry, failure: undefined });
      }
      return fresh.length;
    },

    async claim(week, end, now, leasedUntil) {
      const due = waiting((record) => record.week === week && record.nextTry <= now);
      for (const record of due.sort((one, other) => one.nextTry.getTime() - other.nextTry.getTime())) {
        const recipient = recipientsOf(state, end).find(({ website }) => website.id === record.websiteId);
        if (recipient === undefined) {
          remove(record);
          continue;
        }
        put({ ...record, nextTry: new Date(leasedUntil) });
        const { website, to } = recipient;
        const { failures } = record;
        const { id, url } = website;
        return { website: { id, url }, week, to, failures, leasedUntil: new Date(leasedUntil) };
      }
      return undefined;
    },

    async finish(report, outcome) {
      const record = recordOf(report);
      if (record !== undefined && record.state !== 'sent') put({ ...record, state: outcome, failure: undefined });
    },

    async fail(report, detail, at, retryAt) {
      const record = recordOf(report);
      const isHeld = record?.state === 'waiting' && record.nextTry.getTime() === report.leasedUntil.getTime();
      if (record === undefined || !isHeld) return;
      put({
        ...record,
        state: retryAt === undefined ? 'failed' : 'waiting',
        failures: record.failures + 1,
        nextTry: new Date(retryAt ?? at),
        failure: { week: record.week, detail, at: new Date(at) },
      });
    },

    async expire(week, now) {
      const old = waiting((record) => record.week < week && record.nextTry <= now);
      return old.flatMap((record) => {
        if (record.failure === undefined) {
          remove(record);
          return [];
        }
        put({ ...record, state: 'failed' });
        return [{ websiteId: record.websiteId, week: record.week, detail: record.failure.detail }];
      });
    },

    async deleteBefore(week) {
      const old = [...state.reports.values()].filter((record) => record.week < week);
      old.forEach(remove);
      return old.length;
    },

    async latestFailure(websiteId) {
      const done = [...state.reports.values()].filter(
        (record) => record.websiteId === websiteId && (record.state === 'sent' || record.state === 'failed'),
      );
      const [latest] = done.sort((one, other) => (one.week < other.week ? 1 : -1));
      return latest?.state === 'failed' ? structuredClone(latest.failure) : undefined;
    },
  };
}

/** Notes since when the website has reports, where they have just been turned on. */
export function noteReports(state: State, before: Website | undefined, after: Website): void {
  if (after.emailReports && !before?.emailReports) state.reportsSince.set(after.id, new Date(after.updatedAt));
}

/** Forgets the reports of a website that is deleted. */
export function forgetReports(state: State, websiteId: string): void {
  state.reportsSince.delete(websiteId);
  for (const [key, record] of state.reports) if (record.websiteId === websiteId) state.reports.delete(key);
}

/** The websites that get a report about a week that ended at `end`, with the addresses of their accounts. */
function recipientsOf(state: State, end: Date): { readonly website: Website; readonly to: string }[] {
  return [...state.accounts.values()].flatMap(({ account: { email }, websites }) => {
    if (email === null) return [];
    const subscribed = [...websites.values()].filter(({ id, emailReports, createdAt }) => {
      const reportsSince = state.reportsSince.get(id) ?? createdAt;
      return emailReports && getsReport({ reportsSince, addressSince: email.since }, end);
    });
    return subscribed.map((website) => ({ website, to: email.address }));
  });
}

function keyOf(websiteId: string, week: string): string {
  return `${websiteId} ${week}`;
}
