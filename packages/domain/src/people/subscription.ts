import type { ReportKind } from '../websites/settings.ts';
import type { Member } from './member.ts';
import type { Person } from './person.ts';
import type { SignedInPerson } from './session-repository.ts';

/** The mails about a website that a member has turned on (people.md, "Mails"). */
export interface Subscription {
  readonly websiteId: string;
  /** Since when the reports of each kind are on; `null` if they are off. */
  readonly reportsSince: Readonly<Record<ReportKind, Date | null>>;
  /** Whether the mails of alerts are on. */
  readonly alerts: boolean;
}

/** A subscription with its person, as a member of the website's account now. */
export interface Subscriber extends Subscription, Pick<SignedInPerson, 'secondFactor'> {
  readonly person: Person;
  readonly member: Member;
}

/** The mails about a website that a member can turn on. */
export type MailKind = ReportKind | 'alerts';

/** The ids of the websites that a member wants each mail of. */
export type WantedMails = Readonly<Record<MailKind, readonly string[]>>;

/** Whether a subscription has this mail. */
export function isOn({ reportsSince, alerts }: Pick<Subscription, 'reportsSince' | 'alerts'>, kind: MailKind): boolean {
  return kind === 'alerts' ? alerts : reportsSince[kind] !== null;
}

/**
 * Stores which mails members have turned on; they end with the membership, and with the website. All methods accept any string as
 * an id, and reject with a `DomainError` of code `unavailable` while the database is unreachable.
 */
export interface SubscriptionRepository {
  /** The subscriptions of a person to websites of their accounts, by website. */
  list(personId: string): Promise<Subscription[]>;

  /** The subscription of a person to a website, if they are a member of its account. */
  find(personId: string, websiteId: string): Promise<Subscriber | undefined>;

  /** Turns on what is wanted, at `now` where it was off, and turns off everything else. Websites of other accounts are ignored. */
  save(personId: string, wanted: WantedMails, now: Date): Promise<void>;
}
