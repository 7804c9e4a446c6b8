import { type ReportOutbox, type ReportRecipient, readWeek } from '@hitherto/domain/reports';
import type { Website } from '@hitherto/domain/websites';
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
      const recorded = recipientsOf(state).filter(({ accountId, website, since }) => {
        const dueThere = due.find(({ timeZone }) => timeZone === website.timeZone);
        if (dueThere === undefined || since >= dueThere.end) return false;
        const week = readWeek(dueThere.week);
        const isNew = addTask(state, { kind: 'report', websiteId: website.id, key: dueThere.week }, now);
        if (!isNew || week === undefined) return isNew;
        const data = { website: { id: website.id, url: website.url }, week };
        deliver(state, { type: 'report.ready', at: now, data, accountId, websiteId: website.id });
        return true;
      });
      const subscribed = subscriptionsIn(state).filter(({ personId, websiteId, reportsSince }) => {
        const timeZone = findWebsite(state, websiteId)?.timeZone;
        const dueThere = due.find((each) => each.timeZone === timeZone);
        if (dueThere === undefined || reportsSince === null || reportsSince >= dueThere.end) return false;
        return addTask(state, { kind: 'report', websiteId, key: `${dueThere.week} ${personId}` }, now);
      });
      return recorded.length + subscribed.length;
    },

    async findRecipient(websiteId) {
      return recipientsOf(state).find(({ website }) => website.id === websiteId);
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
  forgetTasks(state, websiteId);
}

/** The websites that get reports. */
function recipientsOf(state: State): ReportRecipient[] {
  return [...state.accounts.values()].flatMap(({ account: { id: accountId, email }, websites }) => {
    if (email === null) return [];
    const reported = [...websites.values()].filter(({ emailReports }) => emailReports);
    return reported.map(({ id, url, timeZone, createdAt }) => {
      const times = [email.since, state.reportsSince.get(id) ?? createdAt];
      const since = new Date(Math.max(...times.map((time) => time.getTime())));
      return { accountId, website: { id, url, timeZone }, to: email.address, since };
    });
  });
}
