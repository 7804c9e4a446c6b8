import type { DueReports, ReportOutbox, ReportRecipient } from '@hitherto/domain/reports';
import { hasReports, type ReportKind, type Website } from '@hitherto/domain/websites';
import { subscriptionsIn } from '../people/subscription-repository.ts';
import { findWebsite, type State } from '../state.ts';
import { addTask, forgetTasks } from '../task-queue.ts';
import { deliver } from '../webhooks/deliveries.ts';

/** Records reports as tasks in `state`. */
export function createReportOutbox(state: State): ReportOutbox {
  return {
    async timeZones() {
      const names = [...state.accounts.values()].flatMap(({ websites }) =>
        [...websites.values()].flatMap(({ timeZone }) => timeZone ?? []),
      );
      return [...new Set(names)];
    },

    async record(due, now) {
      return due.reduce((count, each) => count + recordDue(state, each, now), 0);
    },

    async findRecipient(websiteId, kind) {
      return recipientsOf(state, kind).find(({ website }) => website.id === websiteId);
    },
  };
}

/** Records the reports of a period that are due in a time zone; returns how many are new. */
function recordDue(state: State, { timeZone, period, end }: DueReports, now: Date): number {
  const { kind, ...named } = period;
  const ofAccounts = recipientsOf(state, kind).filter(({ accountId, website: { id, url, timeZone: own }, since }) => {
    if (own !== timeZone || since >= end) return false;
    if (!addTask(state, { kind: 'report', websiteId: id, key: period.name }, now)) return false;
    const data = { website: { id, url }, ...(kind === 'weekly' ? { week: named } : { month: named }) };
    deliver(state, { type: 'report.ready', at: now, data, accountId, websiteId: id });
    return true;
  });
  const ofMembers = subscriptionsIn(state).filter(({ personId, websiteId, reportsSince }) => {
    const since = reportsSince[kind];
    if (findWebsite(state, websiteId)?.timeZone !== timeZone || since === null || since >= end) return false;
    return addTask(state, { kind: 'report', websiteId, key: `${period.name} ${personId}` }, now);
  });
  const ofGuests = [...state.resources.recipient.values()].filter(({ owner: { websiteId = '' }, resource }) => {
    const website = findWebsite(state, websiteId);
    const { id, confirmedAt } = resource;
    if (website?.timeZone !== timeZone || confirmedAt === null || confirmedAt >= end) return false;
    if (website.report !== kind && website.report !== 'both') return false;
    return addTask(state, { kind: 'report', websiteId, key: `${period.name} recipient.${id}` }, now);
  });
  return ofAccounts.length + ofMembers.length + ofGuests.length;
}

/** Notes since when the website has these reports, where they have just been turned on. */
export function noteReports(state: State, before: Website | undefined, after: Website): void {
  const isNew = !before?.emailReports || before.report !== after.report;
  if (after.emailReports && isNew) state.reportsSince.set(after.id, new Date(after.updatedAt));
}

/** Forgets the reports of a website that is deleted. */
export function forgetReports(state: State, websiteId: string): void {
  state.reportsSince.delete(websiteId);
  forgetTasks(state, websiteId);
}

/** The websites that get reports of this kind. */
function recipientsOf(state: State, kind: ReportKind): ReportRecipient[] {
  return [...state.accounts.values()].flatMap(({ account: { id: accountId, email }, websites }) => {
    if (email === null) return [];
    const reported = [...websites.values()].filter((website) => hasReports(website, kind));
    return reported.map(({ id, url, timeZone, language, privacy, createdAt }) => {
      const times = [email.since, state.reportsSince.get(id) ?? createdAt];
      const since = new Date(Math.max(...times.map((time) => time.getTime())));
      return { accountId, website: { id, url, timeZone, language, privacy }, to: email.address, language: null, since };
    });
  });
}
