import type { Language } from '@hitherto/words';
import { may } from '../access/rights.ts';
import type { ReportKind } from '../websites/settings.ts';
import { viewerOfMember } from './member.ts';
import {
  isOn,
  type MailKind,
  type Subscription,
  type SubscriptionRepository,
  type WantedMails,
} from './subscription.ts';

interface SubscriptionDependencies {
  readonly subscriptions: SubscriptionRepository;
  readonly now: () => Date;
}

/** Which mails of a website a person gets now, and where: they may see it, with a second factor where one is
 * required, and their address is verified. */
export interface MailRecipient extends Pick<Subscription, 'reportsSince' | 'alerts'> {
  readonly to: string;
  /** Of the person, if they have chosen one. */
  readonly language: Language | null;
}

/** Where the mails about a website go that a person has turned on; `undefined` if they may not see it any more. */
export async function findMailRecipient(
  { subscriptions }: Pick<SubscriptionDependencies, 'subscriptions'>,
  personId: string,
  websiteId: string,
): Promise<MailRecipient | undefined> {
  const found = await subscriptions.find(personId, websiteId);
  if (found === undefined || !found.person.isVerified) return undefined;
  if (found.secondFactor.isRequired && !found.secondFactor.isOn) return undefined;
  if (!may(viewerOfMember(found.member), 'see_statistics', websiteId)) return undefined;
  const { reportsSince, alerts, person } = found;
  return { to: person.email, reportsSince, alerts, language: person.language };
}

/** Turns mails about websites on, and all others off. */
export function subscribe(
  { subscriptions, now }: SubscriptionDependencies,
  personId: string,
  wanted: WantedMails,
): Promise<void> {
  return subscriptions.save(personId, wanted, now());
}

/** Turns the reports of a kind about a website off for a person, if they are on. */
export async function unsubscribePerson(
  { subscriptions, now }: SubscriptionDependencies,
  personId: string,
  websiteId: string,
  kind: ReportKind,
): Promise<void> {
  const wanted = wantedIn(await subscriptions.list(personId));
  await subscriptions.save(personId, { ...wanted, [kind]: wanted[kind].filter((id) => id !== websiteId) }, now());
}

/** What these subscriptions have turned on. */
export function wantedIn(subscriptions: readonly Subscription[]): WantedMails {
  const of = (kind: MailKind) => subscriptions.filter((each) => isOn(each, kind)).map(({ websiteId }) => websiteId);
  return { weekly: of('weekly'), monthly: of('monthly'), alerts: of('alerts') };
}
