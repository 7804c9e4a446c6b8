import { DomainError, type Fault, InvalidFields } from '@hitherto/domain/base';
import {
  changeAddress,
  confirmAddress,
  findPersonLink,
  foldEmail,
  type JoinDependencies,
  type Person,
  type PersonLinkRepository,
  requestAddressLink,
} from '@hitherto/domain/people';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TextField } from '../../owner/field.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor, useLocale } from '../../shared/locale.tsx';
import { hideAddress, MessagePage, sendPage } from '../../shared/page.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import { pageNotFound } from '../../shared/send-error.tsx';
import { PresentPassword, requirePassword } from './present-password.tsx';
import { personOf, type Said, type YouSection } from './section.ts';

export interface AddressDependencies extends JoinDependencies {
  readonly personLinks: PersonLinkRepository;
  /** Whether links can be mailed to people. */
  readonly mailsPeople: boolean;
}

type ByToken = { Params: { readonly token: string } };

const ADDRESS = youPath('address');

/** The person's address: how they change it, and confirm that it is theirs. */
export function addressSection(deps: AddressDependencies, limits: SignInLimits): YouSection {
  return {
    path: ADDRESS,
    show: (request, said) => <AddressSection person={personOf(request).person} canMail={deps.mailsPeople} {...said} />,
    routes(scope, send) {
      scope.post<Body>(ADDRESS, async (request, reply) => {
        const { person, session } = personOf(request);
        const email = valueIn(request.body, 'email')?.trim() ?? '';
        // A link to the address that is there changes nothing but that it is confirmed.
        if (foldEmail(email) !== foldEmail(person.email)) await requirePassword(deps, limits, request, person);
        if (deps.mailsPeople) {
          if (!(await requestAddressLink(deps, person, email))) throw new InvalidFields([tooMany(request)]);
          return sendPage(reply, <MailedPage email={email} />);
        }
        try {
          await changeAddress(deps, person.id, { email, isVerified: false }, session.hash);
          return await reply.redirect(`${YOU}?saved`, 303);
        } catch (error) {
          if (!isTaken(error)) throw error;
          const detail = localeFor(request).words.people.takenText;
          const fault: Fault = { field: 'email', code: 'not_allowed', detail };
          return send(request, reply.code(409), { values: { email }, faults: [fault] });
        }
      });
      scope.register(async (linked) => linkRoutes(linked, deps));
    },
  };
}

/** The link that was mailed to an address. */
function linkRoutes(scope: FastifyInstance, deps: AddressDependencies): void {
  // The address of the page is the secret.
  hideAddress(scope);
  const path = `${ADDRESS}/:token`;

  scope.get<ByToken>(path, async (request, reply) => {
    const { link } = await open(request);
    return sendPage(reply, <ConfirmPage action={request.url} email={link.email ?? ''} />);
  });
  scope.post<ByToken>(path, async (request, reply) => {
    const found = await open(request);
    try {
      await confirmAddress(deps, found, personOf(request).session.hash);
      return await reply.redirect(`${YOU}?saved`, 303);
    } catch (error) {
      if (isTaken(error)) return sendPage(reply.code(409), <TakenPage />);
      if (error instanceof DomainError && error.code === 'not_found') throw pageNotFound();
      throw error;
    }
  });

  /** The link, if it belongs to the signed-in person: nobody can be made to confirm an address for somebody else. */
  async function open(request: FastifyRequest<ByToken>) {
    const found = await findPersonLink(deps, request.params.token);
    const isOwn = found?.link.purpose === 'address' && found.person.id === personOf(request).person.id;
    if (found === undefined || !isOwn) throw pageNotFound();
    return found;
  }
}

function isTaken(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'email_taken';
}

function tooMany(request: FastifyRequest): Fault {
  return { field: 'email', code: 'too_many', detail: localeFor(request).words.people.tooManyLinks };
}

interface AddressSectionProps extends Said {
  readonly person: Person;
  readonly canMail: boolean;
}

function AddressSection({ person, canMail, faults, values }: AddressSectionProps) {
  const { people, signIn } = useLocale().words;
  const email = <strong>{person.email}</strong>;
  return (
    <section>
      <h2>{signIn.email}</h2>
      <div class="settings">
        <p>{person.isVerified ? people.confirmed(email) : people.unconfirmed(email)}</p>
        {canMail && !person.isVerified && (
          <form method="post" action={ADDRESS}>
            <input type="hidden" name="email" value={person.email} />
            <button type="submit">{people.mailLink}</button>
          </form>
        )}
        <form class="settings" method="post" action={ADDRESS}>
          <TextField
            name="email"
            label={people.newAddress}
            hint={canMail ? people.addressCounts : people.othersOut}
            type="email"
            autocomplete="email"
            value={values.email}
            required
            maxLength={254}
            faults={faults}
          />
          <PresentPassword person={person} id="address_password" faults={faults} />
          <button type="submit">{people.changeAddress}</button>
        </form>
      </div>
    </section>
  );
}

function MailedPage({ email }: { readonly email: string }) {
  const { people, signIn } = useLocale().words;
  return (
    <MessagePage title={signIn.mailbox}>
      <p>{people.onItsWay(<strong>{email}</strong>)}</p>
      <p>
        <a href={YOU}>{people.back}</a>
      </p>
    </MessagePage>
  );
}

function ConfirmPage({ action, email }: { readonly action: string; readonly email: string }) {
  const { people, signIn } = useLocale().words;
  return (
    <MessagePage title={people.confirmTitle}>
      <form method="post" action={action}>
        <p>{signIn.youWillSignInAs(<strong>{email}</strong>)}</p>
        <button type="submit">{people.confirm}</button>
      </form>
    </MessagePage>
  );
}

function TakenPage() {
  const { people } = useLocale().words;
  return (
    <MessagePage title={people.taken}>
      <p>{people.takenText}</p>
      <p>
        <a href={YOU}>{people.back}</a>
      </p>
    </MessagePage>
  );
}
