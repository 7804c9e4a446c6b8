import { type Account, type ApiKey, NO_BRAND } from '@hitherto/domain/access';
import type { Annotation } from '@hitherto/domain/annotations';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import type { AuditEntry, Author } from '@hitherto/domain/changes';
import type { SharedLink } from '@hitherto/domain/links';
import { type DueReports, type ReportPeriod, readReportPeriod } from '@hitherto/domain/reports';
import type { Repositories } from '@hitherto/domain/repositories';
import type { DeliverDependencies, WebhookClient } from '@hitherto/domain/webhooks';
import type { Website } from '@hitherto/domain/websites';
import { DEFAULT_SETTINGS } from '@hitherto/domain/websites';

export { aCountedHit, type History, histories } from './histories.ts';

/** A website for tests, with mildly hostile strings. */
export function aWebsite(overrides: Partial<Website> = {}): Website {
  const createdAt = new Date('2026-11-20T12:00:00.123Z');
  return {
    id: '01997c3e-0000-7000-8000-000000000001',
    url: 'https://xn--caf-dma.example/a%20b/%F0%9F%A6%8A',
    passwordHash: null,
    ...DEFAULT_SETTINGS,
    excludedParams: ['utm_*', 'é 🦊'],
    excludedIps: ['203.0.113.0/24', '2001:db8::1'],
    createdAt,
    updatedAt: createdAt,
    ...overrides,
  };
}

/** The period of reports with this name, such as `2026-W47` or `2026-11`. */
export function aReportPeriod(name: string): ReportPeriod {
  const period = readReportPeriod(name);
  if (period === undefined) throw new Error(`There is no period ${name}.`);
  return period;
}

/** Reports that are due about a period, for websites in the zone of the installation. */
export function dueReports(name: string, overrides: Partial<DueReports> = {}): DueReports {
  const period = aReportPeriod(name);
  const end = new Date(Date.parse(period.to) + 24 * 3_600_000);
  return { timeZone: null, period, end, ...overrides };
}

/** An account for tests. */
export function anAccount(overrides: Partial<Account> = {}): Account {
  return {
    id: '01997c3e-0000-7000-8000-0000000000aa',
    name: 'Ægir & Söhne 🦊',
    createdAt: new Date('2026-11-01T08:00:00.001Z'),
    email: { address: 'ægir+hits@söhne.example', since: new Date('2026-11-01T08:00:00.003Z') },
    requiresSecondFactor: false,
    brand: NO_BRAND,
    ...overrides,
  };
}

/** An API key for tests. Its hash is derived from its id, so keys with different ids have different hashes. */
export function anApiKey(overrides: Partial<ApiKey> = {}): ApiKey {
  const id = overrides.id ?? '01997c3e-0000-7000-8000-0000000000bb';
  return {
    id,
    accountId: '01997c3e-0000-7000-8000-0000000000aa',
    member: null,
    limitedTo: null,
    hash: id.replaceAll('-', '').repeat(2),
    scope: 'write',
    label: 'é "label"',
    createdAt: new Date('2026-11-01T09:00:00.002Z'),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...overrides,
  };
}

/** A shared link for tests. Its hash is derived from its id, so links with different ids have different hashes. */
export function aLink(overrides: Partial<SharedLink> = {}): SharedLink {
  const id = overrides.id ?? '01997c3e-0000-7000-8000-0000000000dd';
  return {
    id,
    name: 'é "board" 🦊',
    tokenHash: id.replaceAll('-', '').repeat(2),
    segmentId: null,
    expiresAt: null,
    passwordHash: null,
    createdAt: new Date('2026-11-20T12:00:00.123Z'),
    ...overrides,
  };
}

/** An annotation for tests. */
export function anAnnotation(overrides: Partial<Annotation> = {}): Annotation {
  const createdAt = new Date('2026-11-20T12:00:00.123Z');
  return {
    id: '01997c3e-0000-7000-8000-0000000000ee',
    day: '2026-11-20',
    text: 'é "2.0" <🦊>',
    isPublic: false,
    createdAt,
    updatedAt: createdAt,
    ...overrides,
  };
}

/** Ids in the form of UUIDv7 that count up: 1, 2, 3, … */
export function sequentialIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `01997c3e-0000-7000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}

/** A clock that stands still until it is advanced. */
export function fixedClock(start = '2026-11-20T12:00:00.000Z'): {
  now: () => Date;
  advance: (milliseconds: number) => void;
} {
  let time = new Date(start).getTime();
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds;
    },
  };
}

/** Who makes the changes of tests. */
export const AN_AUTHOR: Author = {
  actor: { type: 'key', id: '01997c3e-0000-7000-8000-0000000000bb', label: 'é "label"' },
  requestId: 'request 🦊',
  network: '203.0.113.0/24',
};

/** An entry of the audit trail for tests. */
export function anEntry(overrides: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...AN_AUTHOR,
    id: '01997c3e-0000-7000-8000-0000000000cc',
    accountId: '01997c3e-0000-7000-8000-0000000000aa',
    at: new Date('2026-11-20T13:00:00.004Z'),
    action: 'website.updated',
    websiteId: '01997c3e-0000-7000-8000-000000000001',
    subject: { id: '01997c3e-0000-7000-8000-000000000001', name: 'https://xn--caf-dma.example' },
    changes: [
      { field: 'excludedIps', added: ['é 🦊'], removed: ['203.0.113.7'] },
      { field: 'password', change: 'set' },
    ],
    ...overrides,
  };
}

/** A receiver of webhooks that accepts everything. */
const ACCEPTING: WebhookClient = { send: async () => 204 };

/** Delivers to a receiver in this process, without mails; the body of a message is the type of its event. */
export function aDelivery(
  { webhookOutbox, access }: Pick<Repositories, 'webhookOutbox' | 'access'>,
  now: () => Date,
  webhookClient = ACCEPTING,
): DeliverDependencies {
  return {
    webhookOutbox,
    access,
    webhookClient,
    writeMessage: ({ type }, _format, url) => ({ url, body: type }),
    notices: undefined,
    now,
    clock: MONOTONIC_CLOCK,
    onDelivery: () => {},
  };
}
