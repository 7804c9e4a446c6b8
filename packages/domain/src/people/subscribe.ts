import { may } from '../access/rights.ts';
import { viewerOfMember } from './member.ts';
import type { SubscriptionRepository, WantedMails } from './subscription.ts';

interface SubscriptionDependencies {
  readonly subscriptions: SubscriptionRepository;
  readonly now: () => Date;
}

/** Which mails of a website a person gets now, and where: they may see it, with a second factor where one is
 * required, and their address is verified. */
export interface MailRecipient {
  readonly to: string;
  /** As in `Subscription`. */
  readonly reportsSince: Date | null;
  readonly alerts: boolean;
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
  return { to: person.email, reportsSince, alerts };
}

/** Turns mails about websites on, and all others off. */
export function subscribe(
  { subscriptions, now }: SubscriptionDependencies,
  personId: string,
  wanted: WantedMails,
): Promise<void> {
  return subscriptions.save(personId, wanted, now());
}

/** Turns the weekly reports of a website off for a person, if they are on. */
export async function unsubscribePerson(
  { subscriptions, now }: SubscriptionDependencies,
  personId: string,
  websiteId: string,
): Promise<void> {
  const all = await subscriptions.list(personId);
  const on = all.filter(({ reportsSince }) => reportsSince !== null).map((each) => each.websiteId);
  const reports = on.filter((id) => id !== websiteId);
  const alerts = all.flatMap((each) => (each.alerts ? [each.websiteId] : []));
  await subscriptions.save(personId, { reports, alerts }, now());
}
