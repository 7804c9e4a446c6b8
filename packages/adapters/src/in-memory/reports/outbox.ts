import { getsReport, type ReportOutbox, type ReportRecipient, type Website } from '@hitherto/domain';
import type { State } from '../state.ts';
import { addTask, forgetTasks } from '../task-queue.ts';

/** Records reports as tasks in `state`. */
export function createReportOutbox(state: State): ReportOutbox {
  return {
    async record(week, end, now) {
      const recorded = recipientsOf(state, end).filter(({ website }) =>
        addTask(state, { kind: 'report', websiteId: website.id, key: week }, now),
      );
      return recorded.length;
    },

    async findRecipient(websiteId, end) {
      return recipientsOf(state, end).find(({ website }) => website.id === websiteId);
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

/** The websites that get a report about a week that ended at `end`, with the addresses of their accounts. */
function recipientsOf(state: State, end: Date): ReportRecipient[] {
  return [...state.accounts.values()].flatMap(({ account: { email }, websites }) => {
    if (email === null) return [];
    const subscribed = [...websites.values()].filter(({ id, emailReports, createdAt }) => {
      const reportsSince = state.reportsSince.get(id) ?? createdAt;
      return emailReports && getsReport({ reportsSince, addressSince: email.since }, end);
    });
    return subscribed.map(({ id, url }) => ({ website: { id, url }, to: email.address }));
  });
}
