import { type ApiKey, type KeyOptions, type Viewer, viewerOfKey } from '@hitherto/domain/access';
import { DomainError, type Fault, faultOf, InvalidFields } from '@hitherto/domain/base';
import { findOwnWebsite, type WebsiteDependencies } from '@hitherto/domain/websites';
import type { Locale, Words } from '@hitherto/words';
import { SelectField, TextAreaField, TextField } from '../../owner/field.tsx';
import type { FormFields } from '../../owner/resources/resource-pages.ts';
import { useLocale } from '../../shared/locale.tsx';

interface KeyFormProps {
  readonly action: string;
  /** The accounts to choose from, if there are several. */
  readonly accounts?: readonly (readonly [id: string, name: string])[];
  readonly values: FormFields;
  readonly faults: readonly Fault[];
}

/** The form for a new key. */
export function KeyForm({ action, accounts = [], values, faults }: KeyFormProps) {
  const { people } = useLocale().words;
  const scopes = [
    ['read', people.read],
    ['write', people.readAndWrite],
  ] as const;
  return (
    <form class="settings" method="post" action={action}>
      {accounts.length > 1 && (
        <SelectField name="account" label={people.account} value={values.account} options={accounts} faults={faults} />
      )}
      <TextField
        name="label"
        label={people.label}
        hint={people.labelHint}
        value={values.label}
        maxLength={100}
        faults={faults}
      />
      <SelectField name="scope" label={people.rights} value={values.scope} options={scopes} faults={faults} />
      <TextAreaField
        name="website_ids"
        label={people.onlyWebsites}
        hint={people.onlyWebsitesHint}
        rows={3}
        value={values.website_ids}
        faults={faults}
      />
      <TextField
        name="expires_in"
        label={people.expiresIn}
        hint={people.expiresInHint}
        inputMode="numeric"
        value={values.expires_in}
        faults={faults}
      />
      <button type="submit">{people.createKey}</button>
    </form>
  );
}

/**
 * What a form says of a new key, whose websites are named as whoever makes it reaches them.
 *
 * @throws InvalidFields
 */
export async function readKeyForm(
  { words: { people } }: Locale,
  deps: Pick<WebsiteDependencies, 'websites' | 'directory'>,
  viewer: Viewer,
  values: FormFields,
): Promise<KeyOptions> {
  const { label = '', scope, website_ids: text = '', expires_in: days = '' } = values;
  const websiteIds: string[] = [];
  const faults: Fault[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === '') continue;
    const website = await findOwnWebsite(deps, viewer, line.trim());
    if (website !== undefined) websiteIds.push(website.id);
    const detail = people.unknownWebsite(index + 1);
    if (website === undefined) faults.push({ field: 'website_ids', code: 'unknown_website', line: index + 1, detail });
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    scope: scope === 'write' ? 'write' : 'read',
    ...(label !== '' && { label }),
    ...(days.trim() !== '' && { expiresInDays: Number(days) }),
    ...(websiteIds.length > 0 && { websiteIds }),
  };
}

/** Says next to the form that there are as many keys as there may be. */
export async function withKeyFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'too_many_keys') throw error;
    throw new InvalidFields([faultOf(error, 'label', 'too_many')]);
  }
}

/** A new key, which only this response shows. */
export function NewKey({ text }: { readonly text: string }) {
  const { people } = useLocale().words;
  return (
    <div class="card outcome" role="status">
      <h2>{people.newKey}</h2>
      <p>{people.copyNow}</p>
      <p>
        <code>{text}</code>
      </p>
    </div>
  );
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  /** The person or account that the key belongs to. */
  readonly ownerOf: (key: ApiKey) => string | undefined;
  readonly now: Date;
  /** Where the form to revoke a key goes; without it, there is none. */
  readonly revokePath?: (id: string) => string;
}

/** Keys that are not revoked. */
export function KeyList({ keys, ownerOf, now, revokePath }: KeyListProps) {
  const { people } = useLocale().words;
  if (keys.length === 0) return <p>{people.noKey}</p>;
  return (
    <ul class="card definitions">
      {keys.map((key) => (
        <li key={key.id}>
          <div>
            <bdi>
              <strong>{nameOf(people, key)}</strong>
            </bdi>
            <p class="hint">
              {[ownerOf(key), ...factsOf(people, key, now)].filter((fact) => fact !== undefined).join(' · ')}
            </p>
          </div>
          {revokePath !== undefined && (
            <form method="post" action={revokePath(key.id)}>
              <button class="plain" type="submit" aria-label={people.revokeKey(nameOf(people, key))}>
                {people.revoke}
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf(people: Words['people'], { id, label }: ApiKey): string {
  return label ?? people.keyNamed(id.slice(-6));
}

function factsOf(people: Words['people'], key: ApiKey, now: Date): string[] {
  const { limitedTo, expiresAt, lastUsedAt } = key;
  const dayOf = (time: Date) => time.toISOString().slice(0, 10);
  return [
    viewerOfKey(key).scope === 'write' ? people.readAndWrite : people.read,
    ...(limitedTo === null ? [] : [people.limitedTo(limitedTo.length)]),
    ...(expiresAt === null ? [] : [(expiresAt <= now ? people.expired : people.until)(dayOf(expiresAt))]),
    lastUsedAt === null ? people.neverUsed : people.lastUsed(dayOf(lastUsedAt)),
  ];
}
