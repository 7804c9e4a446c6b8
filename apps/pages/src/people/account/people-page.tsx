import type { ApiKey, Grant } from '@hitherto/domain/access';
import type { Fault } from '@hitherto/domain/base';
import { formatAddress } from '@hitherto/domain/format';
import type { Invitation, MemberOfAccount } from '@hitherto/domain/people';
import type { Website } from '@hitherto/domain/websites';
import { Faults, SelectField, TextField } from '../../owner/field.tsx';
import { useLocale } from '../../shared/locale.tsx';
import { invitationsPath, peoplePath } from '../../shared/paths.ts';
import { KeyList } from '../keys/key-form.tsx';

const ROLES = [
  ['viewer', 'Viewer: sees statistics'],
  ['editor', 'Editor: changes settings too'],
  ['owner', 'Owner: people and keys too'],
] as const;
const ROLE_NAMES = { viewer: 'Viewer', editor: 'Editor', owner: 'Owner' } as const;

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
  const { words } = useLocale();
  const owners = members.filter(({ member }) => member.role === 'owner');
  return (
    <>
      {invited !== undefined && invited.url === undefined && (
        <p class="notice" role="status">
          An invitation is on its way to {invited.email}. It works once, for 7 days.
        </p>
      )}
      {invited?.url !== undefined && (
        <section class="card outcome" role="status">
          <h2>Send this link to {invited.email}</h2>
          <p>It works once, for 7 days, and is not shown again.</p>
          <p>
            <code>{invited.url}</code>
          </p>
        </section>
      )}
      {owners.length === 1 && (
        <p class="notice">There is one owner. Make somebody else an owner, too, in case this one cannot sign in.</p>
      )}
      <ul class="card definitions" aria-label="People">
        {members.map(({ member, person, hasSecondFactor, lastUsedOn }) => (
          <li key={person.id}>
            <div>
              <bdi>
                <strong>{person.name}</strong>
              </bdi>
              <p class="hint">
                {person.email} · {ROLE_NAMES[member.role]} · {websitesOf(member, websites)} ·{' '}
                {member.isByGroup && 'by a group · '}
                {hasSecondFactor ? 'second factor' : 'no second factor'} ·{' '}
                {lastUsedOn === null ? 'never here' : `last here on ${lastUsedOn}`}
              </p>
            </div>
            <div class="buttons">
              <a href={peoplePath(accountId, person.id)} aria-label={`Change ${person.name}`}>
                Change
              </a>
            </div>
          </li>
        ))}
      </ul>
      {invitations.length > 0 && (
        <section>
          <h2>Open invitations</h2>
          <ul class="card definitions">
            {invitations.map(({ id, email, expiresAt, ...grant }) => (
              <li key={id}>
                <div>
                  <strong>{email}</strong>
                  <p class="hint">
                    {ROLE_NAMES[grant.role]} · {websitesOf(grant, websites)} · until{' '}
                    {expiresAt?.toISOString().slice(0, 10)}
                  </p>
                  {failures.has(id) && <p class="fault">{words.people.mailFailed(failures.get(id) ?? '')}</p>}
                </div>
                <div class="buttons">
                  {failures.has(id) && (
                    <form method="post" action={invitationsPath(accountId, id, 'link')}>
                      <button class="plain" type="submit" aria-label={words.people.linkInsteadFor(email ?? '')}>
                        {words.people.linkInstead}
                      </button>
                    </form>
                  )}
                  <form method="post" action={invitationsPath(accountId, id)}>
                    <button class="plain" type="submit" aria-label={`Revoke the invitation of ${email ?? ''}`}>
                      Revoke
                    </button>
                  </form>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Invite somebody</h2>
        <form class="settings" method="post" action={invitationsPath(accountId)}>
          <TextField
            name="email"
            label="E-mail address"
            type="email"
            value={form.values.email}
            required
            maxLength={254}
            faults={form.faults}
          />
          <GrantFields role={form.values.role} websites={websites} chosen={form.chosen} faults={form.faults} />
          <button type="submit">Invite</button>
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
  return (
    <>
      <SelectField name="role" label="Role" value={role} options={ROLES} faults={faults} />
      {websites.length === 0 ? (
        <input type="hidden" name="reach" value="all" />
      ) : (
        <fieldset class="field choice">
          <legend>Websites</legend>
          <label>
            <input type="radio" name="reach" value="all" checked={chosen === null} />
            <span>All, and those to come</span>
          </label>
          <label>
            <input type="radio" name="reach" value="some" checked={chosen !== null} />
            <span>Only these:</span>
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
  return (
    <>
      {reason !== undefined && (
        <p class="notice fault" role="alert">
          {reason}
        </p>
      )}
      <p>{person.email}</p>
      {member.isByGroup && (
        <p class="notice">
          A group of the sign-in provider gives these rights. What you change here stays, whatever the group; who is
          removed here comes back with the next sign-in.
        </p>
      )}
      <form class="settings" method="post" action={peoplePath(accountId, person.id)}>
        <GrantFields role={grant.role} websites={websites} chosen={grant.websiteIds} faults={faults} />
        <button type="submit">Save</button>
      </form>
      <section>
        <h2>Remove</h2>
        <p>
          <bdi>{person.name}</bdi> loses access with the next request. What was set up stays.
          {keys.length > 0 && ' These keys stop with it, and the programs that use them:'}
        </p>
        {keys.length > 0 && <KeyList keys={keys} ownerOf={() => undefined} now={now} />}
        <form method="post" action={peoplePath(accountId, person.id, 'remove')}>
          <button class="danger" type="submit">
            Remove
          </button>
        </form>
      </section>
    </>
  );
}

function websitesOf({ websiteIds }: Grant, websites: readonly AccountWebsite[]): string {
  if (websiteIds === null) return 'all websites';
  const addresses = websites.filter(({ id }) => websiteIds.includes(id)).map(({ url }) => formatAddress(url));
  return addresses.length === 0 ? 'no website' : addresses.join(', ');
}
