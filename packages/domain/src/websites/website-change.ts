import { type Authored, changesOf, makeEntry, secretChange, verbOf } from '../changes/entry.ts';
import { DEFAULT_SETTINGS, settingsFrom } from './settings.ts';
import type { Website } from './website.ts';
import type { WebsiteState } from './website-event.ts';
import type { WebsiteChange } from './website-repository.ts';

/** What records need of the use case that changes a website. */
interface ChangeDependencies extends Authored {
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The change of a website that is created (no `before`), updated, or deleted (no `after`). */
export function websiteChange(
  deps: ChangeDependencies,
  accountId: string,
  before: Website | undefined,
  after: Website | undefined,
): WebsiteChange {
  const website = after ?? before ?? missing();
  const { id, url } = website;
  const action = `website.${verbOf(before, after)}` as const;
  const changes = [
    ...changesOf(fieldsOf(before), fieldsOf(after)),
    ...secretChange('password', before?.passwordHash ?? null, after?.passwordHash ?? null),
  ];
  const entry = makeEntry(deps, { accountId, action, websiteId: id, subject: { id, name: url }, changes });
  const data = { website: websiteState(website), changes };
  return { entry, event: { type: action, at: entry.at, data, accountId, websiteId: id } };
}

/** A website as an event has it. */
function websiteState({ passwordHash, createdAt, updatedAt, ...website }: Website): WebsiteState {
  return {
    ...website,
    hasPassword: passwordHash !== null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The fields of a website; of none, the settings of a new one. */
function fieldsOf(website: Website | undefined): Readonly<Record<string, unknown>> {
  const settings = settingsFrom((name) => (website ?? DEFAULT_SETTINGS)[name]);
  return { url: website?.url, ...settings };
}

function missing(): never {
  throw new Error('An entry about a website needs the website.');
}
