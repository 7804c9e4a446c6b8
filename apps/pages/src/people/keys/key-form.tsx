import { type ApiKey, type KeyOptions, type Viewer, viewerOfKey } from '@hitherto/domain/access';
import { DomainError, type Fault, InvalidFields } from '@hitherto/domain/base';
import { findOwnWebsite, type WebsiteDependencies } from '@hitherto/domain/websites';
import { SelectField, TextAreaField, TextField } from '../../owner/field.tsx';
import type { FormFields } from '../../owner/resources/resource-pages.ts';

const SCOPES = [
  ['read', 'Read'],
  ['write', 'Read and write'],
] as const;

interface KeyFormProps {
  readonly action: string;
  /** The accounts to choose from, if there are several. */
  readonly accounts?: readonly (readonly [id: string, name: string])[];
  readonly values: FormFields;
  readonly faults: readonly Fault[];
}

/** The form for a new key. */
export function KeyForm({ action, accounts = [], values, faults }: KeyFormProps) {
  return (
    <form class="settings" method="post" action={action}>
      {accounts.length > 1 && (
        <SelectField name="account" label="Account" value={values.account} options={accounts} faults={faults} />
      )}
      <TextField
        name="label"
        label="Label"
        hint="What the key is for."
        value={values.label}
        maxLength={100}
        faults={faults}
      />
      <SelectField name="scope" label="Rights" value={values.scope} options={SCOPES} faults={faults} />
      <TextAreaField
        name="website_ids"
        label="Only these websites"
        hint="One address per line; empty for all."
        rows={3}
        value={values.website_ids}
        faults={faults}
      />
      <TextField
        name="expires_in"
        label="Expires after days"
        hint="Empty for never."
        inputMode="numeric"
        value={values.expires_in}
        faults={faults}
      />
      <button type="submit">Create a key</button>
    </form>
  );
}

/**
 * What a form says of a new key, whose websites are named as whoever makes it reaches them.
 *
 * @throws InvalidFields
 */
export async function readKeyForm(
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
    const detail = `Line ${index + 1} is not the address of a website that you see.`;
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
    throw new InvalidFields([{ field: 'label', code: 'too_many', detail: error.message }]);
  }
}

/** A new key, which only this response shows. */
export function NewKey({ text }: { readonly text: string }) {
  return (
    <div class="card outcome" role="status">
      <h2>Your new key</h2>
      <p>Copy it now: it is not shown again.</p>
      <p>
        <code>{text}</code>
      </p>
    </div>
  );
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  /** Whose a key is, or of which account. */
  readonly ownerOf: (key: ApiKey) => string | undefined;
  readonly now: Date;
  /** Where the form to revoke a key goes; without it, there is none. */
  readonly revokePath?: (id: string) => string;
}

/** Keys that are not revoked. */
export function KeyList({ keys, ownerOf, now, revokePath }: KeyListProps) {
  if (keys.length === 0) return <p>There is no key.</p>;
  return (
    <ul class="card definitions">
      {keys.map((key) => (
        <li key={key.id}>
          <div>
            <bdi>
              <strong>{nameOf(key)}</strong>
            </bdi>
            <p class="hint">{[ownerOf(key), ...factsOf(key, now)].filter((fact) => fact !== undefined).join(' · ')}</p>
          </div>
          {revokePath !== undefined && (
            <form method="post" action={revokePath(key.id)}>
              <button class="plain" type="submit" aria-label={`Revoke ${nameOf(key)}`}>
                Revoke
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf({ id, label }: ApiKey): string {
  return label ?? `Key ${id.slice(-6)}`;
}

function factsOf(key: ApiKey, now: Date): string[] {
  const { limitedTo, expiresAt, lastUsedAt } = key;
  const dayOf = (time: Date) => time.toISOString().slice(0, 10);
  return [
    viewerOfKey(key).scope === 'write' ? 'read and write' : 'read',
    ...(limitedTo === null ? [] : [limitedTo.length === 1 ? '1 website' : `${limitedTo.length} websites`]),
    ...(expiresAt === null ? [] : [`${expiresAt <= now ? 'expired' : 'until'} ${dayOf(expiresAt)}`]),
    lastUsedAt === null ? 'never used' : `last used on ${dayOf(lastUsedAt)}`,
  ];
}
