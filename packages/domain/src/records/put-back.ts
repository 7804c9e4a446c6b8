import { DomainError } from '../base/errors.ts';
import type { AuditChange, AuditEntry, Authored } from '../changes/entry.ts';
import type { WebsiteDependencies } from '../websites/create-website.ts';
import type { Reach } from '../websites/reach.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../websites/settings.ts';
import { showWebsite, updateWebsite } from '../websites/use-cases.ts';
import { parseWebsiteChanges, type Website, type WebsiteInput } from '../websites/website.ts';
import type { AuditTrail } from './audit-trail.ts';

interface PutBackDependencies extends WebsiteDependencies, Authored {
  readonly audit: Pick<AuditTrail, 'find'>;
}

/** Whether {@link putBack} can restore the field: an address or a setting, because the trail has no secrets. */
export function canPutBack({ action }: Pick<AuditEntry, 'action'>, change: AuditChange): boolean {
  return action === 'website.updated' && !('change' in change);
}

/**
 * Restores a field of a website to its value before a change: of a list, the lines that were added go and those that were
 * removed return, so that later changes to other lines stay. It is an update like any other.
 *
 * @throws DomainError `not_found` if the website is gone, or there is no such change that can be put back;
 * `precondition_failed` if the website is changed at the same time
 * @throws InvalidFields if the value is no longer valid, and `UrlTaken`
 */
export async function putBack(
  deps: PutBackDependencies,
  reach: Reach,
  entryId: string,
  field: string,
): Promise<Website> {
  const entry = await deps.audit.find(reach, entryId);
  const change = entry?.changes.find((each) => each.field === field);
  if (!entry?.websiteId || change === undefined || !canPutBack(entry, change)) throw nothingToPutBack();
  const website = await showWebsite(deps, reach, entry.websiteId);
  const changes = parseWebsiteChanges(restored(website, change));
  return updateWebsite(deps, reach, website.id, changes, ({ updatedAt }) => {
    if (updatedAt.getTime() === website.updatedAt.getTime()) return;
    throw new DomainError('precondition_failed', ({ faults }) => faults.changedMeanwhile);
  });
}

function restored(website: Website, change: AuditChange): WebsiteInput {
  if ('change' in change) throw nothingToPutBack();
  if (change.field === 'url') return { url: 'before' in change ? String(change.before) : undefined };
  const name = SETTING_NAMES.find((each) => each === change.field);
  if (name === undefined) throw nothingToPutBack();
  return settingInput(name, 'before' in change ? change.before : restoredLines(website[name], change));
}

function restoredLines(current: unknown, { added, removed }: Extract<AuditChange, { added: unknown }>): unknown {
  const lines: unknown[] = Array.isArray(current) ? current : [];
  return [...new Set([...lines.filter((line) => !added.some((each) => each === line)), ...removed])];
}

function settingInput<Name extends SettingName>(name: Name, value: unknown): WebsiteInput {
  if (!SETTINGS[name].accepts(value)) throw nothingToPutBack();
  return { [name]: value };
}

function nothingToPutBack(): DomainError {
  return new DomainError('not_found', ({ faults }) => faults.noChange);
}
