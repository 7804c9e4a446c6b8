import { type Day, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import {
  type Mailer,
  MailFailed,
  type ReportEvent,
  type ReportMail,
  type SendReportsDependencies,
} from '@hitherto/domain/reports';
import type { Repositories } from '@hitherto/domain/repositories';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { ENGLISH } from '@hitherto/words';

export const MINUTE_MS = 60_000;
export const TO = 'é.owner@example.com';

export type Ports = Pick<
  Repositories,
  | 'access'
  | 'websites'
  | 'definitions'
  | 'annotations'
  | 'findings'
  | 'directory'
  | 'hits'
  | 'tasks'
  | 'outbox'
  | 'people'
  | 'recipients'
  | 'subscriptions'
> &
  Pick<StatisticsEngine, 'statistics'>;

/** Reports of an account, a mail server that a test can let refuse them, and a clock that it sets. */
export interface Sending {
  readonly ports: Ports;
  readonly accountId: string;
  now: Date;
  readonly sent: ReportMail[];
  readonly events: ReportEvent[];
  /** What the mail server does with the next mails. It accepts further ones. */
  responses: ((mail: ReportMail) => Promise<void>)[];
  deps(overrides?: Partial<SendReportsDependencies>): SendReportsDependencies;
  /** The outcomes since the last call. */
  outcomes(): string[];
  pass(milliseconds: number): void;
  /** A website, perhaps with other settings, and a visit on each of these days; returns its id. */
  addWebsite(...settingsAndDays: readonly (Partial<Website> | Day)[]): Promise<string>;
}

export async function startSending(makeRepositories: () => Promise<Ports>): Promise<Sending> {
  const ports = await makeRepositories();
  const accountId = newId();
  const email = { address: TO, since: new Date('2026-11-01T00:00:00Z') };
  await ports.access.insertAccount(anAccount({ id: accountId, name: accountId, email }), UNRECORDED);

  const mailer: Pick<Mailer, 'send'> = {
    async send(mail) {
      await sending.responses.shift()?.(mail);
      sending.sent.push(mail);
    },
  };

  const sending: Sending = {
    ports,
    accountId,
    now: new Date('2026-11-23T09:00:00.000Z'),
    sent: [],
    events: [],
    responses: [],
    deps: (overrides = {}) => ({
      ...ports,
      mailer,
      zone: timeZone('UTC'),
      now: () => sending.now,
      linksOf: async (id, { from, to }) => ({
        pageUrl: `page ${id} ${from} ${to}`,
        unsubscribeUrl: `unsubscribe ${id}`,
      }),
      messageHost: 'stats.example',
      locale: ENGLISH,
      clock: { now: () => sending.now.getTime(), sleep: async (milliseconds: number) => sending.pass(milliseconds) },
      onReport: (event) => sending.events.push(event),
      ...overrides,
    }),
    outcomes: () => sending.events.splice(0).map(({ outcome }) => outcome),
    pass(milliseconds) {
      sending.now = new Date(sending.now.getTime() + milliseconds);
    },
    async addWebsite(...settingsAndDays) {
      const id = newId();
      const days = settingsAndDays.filter((day) => typeof day === 'string');
      const settings = settingsAndDays.find((given) => typeof given !== 'string');
      await ports.websites.insert(
        accountId,
        aWebsite({ id, url: `https://${id}.example`, emailReports: true, ...settings }),
        UNRECORDED,
      );
      const hits = days.map((day, index) => {
        return aCountedHit({ websiteId: id, day, time: new Date(`${day}T12:00:00Z`), visitor: BigInt(index) });
      });
      await ports.hits.add(hits);
      return id;
    },
  };
  return sending;
}

/** A response of the mail server. */
export function refuse(detail: string): () => Promise<void> {
  return async () => {
    throw new MailFailed(detail);
  };
}
