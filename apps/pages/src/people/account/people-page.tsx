import type { ApiKey, Grant } from '@hitherto/domain/access';
import type { Fault } from '@hitherto/domain/base';
import { formatAddress } from '@hitherto/domain/format';
import type { Invitation, MemberOfAccount } from '@hitherto/domain/people';
import type { Website } from '@hitherto/domain/websites';
import type { Words } from '@hitherto/words';
import { Faults, SelectField, TextField } from '../../owner/field.tsx';
import { versionOf } from '../../owner/resources/versions.ts';
import { useLocale } from '../../shared/locale.tsx';
import { invitationsPath, peoplePath } from '../../shared/paths.ts';
import { KeyList } from '../keys/key-form.tsx';

type AccountWebsite = Pick<Website, 'id' | 'url'>;

interface PeoplePageProps {
  readonly accountId: string;
  readonly members: readonly MemberOfAccount[];
  readonly invitations: readonly Invitation[];
  /** Why mails of invitations were not sent, by invitation. */
  readonly failures: ReadonlyMap<string, string>;
  /** Of the account, to choose from. */
  readonly websites: readonly AccountWebsite[];
  /** The form for an invitation as it was sent, with what was wrong. */
  readonly values: Readonly<Record<string, string>>;
  /** The websites of that invitation; `null` for all. */
  readonly chosen: readonly string[] | null;
  readonly faults: readonly Fault[];
  /** A new invitation: its link, which only this response shows, or none if it is mailed. */
  readonly invited?: { readonly email: string; readonly url: string | undefined };
}

/** The people of an account, its open invitations, and a form to invite somebody. */
export function PeoplePage({ accountId, members, invitations, failures, websites, invited, ...form }: PeoplePageProps) {
  const { people, signIn } = useLocale().words;
  const owners = members.filter(({ member }) => member.role === 'owner');
  return (
    <>
      {invited !== undefined && invited.url === undefined && (
        <p class="notice" role="status">
          {people.invitedByMail(invited.email)}
        </p>
      )}
      {invited?.url !== undefined && (
        <section class="card outcome" role="status">
          <h2>{people.sendLinkTo(invited.email)}</h2>
          <p>{people.sendLinkText}</p>
          <p>
            <code>{invited.url}</code>
          </p>
        </section>
      )}
      {owners.length === 1 && <p class="notice">{people.oneOwner}</p>}
      <ul class="card definitions" aria-label={people.people}>
        {members.map(({ member, person, hasSecondFactor, lastUsedOn }) => (
          <li key={person.id}>
            <div>
              <bdi>
                <strong>{person.name}</strong>
              </bdi>
              <p class="hint">
                {[
                  person.email,
                  people[member.role],
                  websitesOf(people, member, websites),
                  ...(member.isByGroup ? [people.byGroup] : []),
                  hasSecondFactor ? people.hasFactor : people.noFactor,
                  lastUsedOn === null ? people.neverHere : people.lastHere(lastUsedOn),
                ].join(' · ')}
              </p>
            </div>
            <div class="buttons">
              <a href={peoplePath(accountId, person.id)} aria-label={people.changePerson(person.name)}>
                {people.change}
              </a>
            </div>
          </li>
        ))}
      </ul>
      {invitations.length > 0 && (
        <section>
          <h2>{people.invitations}</h2>
          <ul class="card definitions">
            {invitations.map(({ id, email, expiresAt, ...grant }) => (
              <li key={id}>
                <div>
                  <strong>{email}</strong>
                  <p class="hint">
                    {[
                      people[grant.role],
                      websitesOf(people, grant, websites),
                      ...(expiresAt === null ? [] : [people.until(expiresAt.toISOString().slice(0, 10))]),
                    ].join(' · ')}
                  </p>
                  {failures.has(id) && <p class="fault">{people.mailFailed(failures.get(id) ?? '')}</p>}
                </div>
                <div class="buttons">
                  {failures.has(id) && (
                    <form method="post" action={invitationsPath(accountId, id, 'link')}>
                      <button class="plain" type="submit" aria-label={people.linkInsteadFor(email ?? '')}>
                        {people.linkInstead}
                      </button>
                    </form>
                  )}
                  <form method="post" action={invitationsPath(accountId, id)}>
                    <button class="plain" type="submit" aria-label={people.revokeInvitation(email ?? '')}>
                      {people.revoke}
                    </button>
                  </form>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{people.inviteTitle}</h2>
        <form class="settings" method="post" action={invitationsPath(accountId)}>
          <TextField
            name="email"
            label={signIn.email}
            type="email"
            value={form.values.email}
            required
            maxLength={254}
            faults={form.faults}
          />
          <GrantFields role={form.values.role} websites={websites} chosen={form.chosen} faults={form.faults} />
          <button type="submit">{people.invite}</button>
        </form>
      </section>
    </>
  );
}

interface GrantFieldsProps {
  readonly role: string | undefined;
  readonly websites: readonly AccountWebsite[];
  /** `null` for all. */
  readonly chosen: readonly string[] | null;
  readonly faults: readonly Fault[];
}

function GrantFields({ role, websites, chosen, faults }: GrantFieldsProps) {
  const { people } = useLocale().words;
  const roles = [
    ['viewer', people.viewerMay],
    ['editor', people.editorMay],
    ['owner', people.ownerMay],
  ] as const;
  return (
    <>
      <SelectField name="role" label={people.role} value={role} options={roles} faults={faults} />
      {websites.length === 0 ? (
        <input type="hidden" name="reach" value="all" />
      ) : (
        <fieldset class="field choice">
          <legend>{people.websites}</legend>
          <label>
            <input type="radio" name="reach" value="all" checked={chosen === null} />
            <span>{people.allWebsites}</span>
          </label>
          <label>
            <input type="radio" name="reach" value="some" checked={chosen !== null} />
            <span>{people.onlyThese}</span>
          </label>
          {websites.map(({ id, url }) => (
            <label key={id} class="indented">
              <input type="checkbox" name="website" value={id} checked={chosen?.includes(id)} />
              <span>{formatAddress(url)}</span>
            </label>
          ))}
          <Faults name="websites" faults={faults} />
        </fieldset>
      )}
    </>
  );
}

interface MemberPageProps {
  readonly accountId: string;
  readonly found: MemberOfAccount;
  readonly websites: readonly AccountWebsite[];
  readonly grant: Grant;
  /** The person's own, which end with the membership. */
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  readonly faults: readonly Fault[];
  /** Why nothing was changed, if that is about no field. */
  readonly reason?: string | undefined;
}

/** The rights of one member, and their removal. */
export function MemberPage({ accountId, found, websites, keys, now, grant, faults, reason }: MemberPageProps) {
  const { member, person } = found;
  const { people } = useLocale().words;
  return (
    <>
      {reason !== undefined && (
        <p class="notice fault" role="alert">
          {reason}
        </p>
      )}
      <p>{person.email}</p>
      {member.isByGroup && <p class="notice">{people.groupGives}</p>}
      <form class="settings" method="post" action={peoplePath(accountId, person.id)}>
        <input type="hidden" name="version" value={versionOf(member)} />
        <GrantFields role={grant.role} websites={websites} chosen={grant.websiteIds} faults={faults} />
        <button type="submit">{people.save}</button>
      </form>
      <section>
        <h2>{people.remove}</h2>
        <p>
          {people.removeText(<bdi>{person.name}</bdi>)} {keys.length > 0 && people.keysStop}
        </p>
        {keys.length > 0 && <KeyList keys={keys} ownerOf={() => undefined} now={now} />}
        <form method="post" action={peoplePath(accountId, person.id, 'remove')}>
          <button class="danger" type="submit">
            {people.remove}
          </button>
        </form>
      </section>
    </>
  );
}

function websitesOf(people: Words['people'], { websiteIds }: Grant, websites: readonly AccountWebsite[]): string {
  if (websiteIds === null) return people.all;
  const addresses = websites.filter(({ id }) => websiteIds.includes(id)).map(({ url }) => formatAddress(url));
  return addresses.length === 0 ? people.none : addresses.join(', ');
}
