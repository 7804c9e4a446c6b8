import { formatAddress } from '@hitherto/domain/format';
import {
  isOn,
  type MailKind,
  type SignedInPerson,
  type SubscriptionRepository,
  subscribe,
  viewersOf,
  wantedIn,
} from '@hitherto/domain/people';
import type { ReportMailing } from '@hitherto/domain/reports';
import { listWebsites, type Website, type WebsiteRepository } from '@hitherto/domain/websites';
import type { Body, Form } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import { personOf, type YouSection } from './section.ts';

export interface MailsDependencies {
  readonly subscriptions: SubscriptionRepository;
  readonly websites: WebsiteRepository;
  /** `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
  readonly now: () => Date;
}

/** The most websites that the form offers. */
const MAX_CHOICES = 1_000;
const MAILS = youPath('mails');
const CHOICES = ['weekly', 'monthly', 'alerts'] as const;

/** The mails about websites that the person has turned on. */
export function mailsSection(deps: MailsDependencies): YouSection {
  return {
    path: MAILS,
    async show(request) {
      const signedIn = personOf(request);
      const { person } = signedIn;
      const [websites, subscriptions] = [await websitesOf(signedIn), await deps.subscriptions.list(person.id)];
      const isWanted = (of: MailKind, id: string) =>
        subscriptions.some((each) => each.websiteId === id && isOn(each, of));
      const { people } = localeFor(request).words;
      const hasMails = deps.reportMailing !== undefined && person.isVerified && websites.length > 0;
      return (
        <section>
          <h2>{people.mails}</h2>
          {deps.reportMailing === undefined && <p>{people.noMails}</p>}
          {deps.reportMailing !== undefined && !person.isVerified && <p>{people.confirmToGet}</p>}
          {hasMails && (
            <form class="settings" method="post" action={MAILS}>
              <p>{people.mailsGoTo(person.email)}</p>
              <ul class="card definitions">
                {websites.map(({ id, url }) => (
                  <li key={id}>
                    <bdi>{formatAddress(url)}</bdi>
                    <div class="buttons">
                      {CHOICES.map((of) => (
                        <label key={of} class="check">
                          <input type="checkbox" name={of} value={id} checked={isWanted(of, id)} />
                          {people[of]}
                          <span class="unseen">{people.ofWebsite(formatAddress(url))}</span>
                        </label>
                      ))}
                    </div>
                  </li>
                ))}
              </ul>
              <button type="submit">{people.save}</button>
            </form>
          )}
        </section>
      );
    },
    routes: (scope) =>
      scope.post<Body>(MAILS, async (request, reply) => {
        const signedIn = personOf(request);
        const { person } = signedIn;
        const offered = new Set((await websitesOf(signedIn)).map(({ id }) => id));
        // What the form does not offer stays.
        const subscriptions = await deps.subscriptions.list(person.id);
        const others = wantedIn(subscriptions.filter(({ websiteId }) => !offered.has(websiteId)));
        const of = (kind: MailKind) => [...others[kind], ...chosenIn(request.body, kind)];
        await subscribe(deps, person.id, { weekly: of('weekly'), monthly: of('monthly'), alerts: of('alerts') });
        return reply.redirect(`${YOU}?saved`, 303);
      }),
  };

  /** The websites that a person sees now, by account and address. */
  async function websitesOf(signedIn: SignedInPerson): Promise<Website[]> {
    const found: Website[] = [];
    for (const viewer of viewersOf(signedIn)) {
      const { websites } = await listWebsites(deps, viewer, { order: 'address_asc' }, MAX_CHOICES - found.length);
      found.push(...websites);
      if (found.length >= MAX_CHOICES) break;
    }
    return found;
  }
}

/** The ids that are ticked. */
function chosenIn(form: Form, name: string): string[] {
  return [form[name] ?? []].flat();
}
