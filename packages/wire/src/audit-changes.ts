import type { AuditChange, AuditEntry } from '@hitherto/domain/changes';
import { SETTING_NAMES, SETTINGS, type SettingName } from '@hitherto/domain/websites';
import { fieldNameOf, SETTING_FIELDS } from './website-fields.ts';

/** An entry as the API and the command line show it. */
export function writeEntry(entry: AuditEntry) {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    website_id: entry.websiteId,
    subject: entry.subject,
    actor: entry.actor,
    request_id: entry.requestId,
    network: entry.network,
    changes: writeChanges(entry),
  };
}

/** The changes of an entry, with the API's fields and values. */
export function writeChanges({
  action,
  changes,
}: {
  readonly action: string;
  readonly changes: readonly AuditChange[];
}): AuditChange[] {
  return changes.map((change) => {
    const name = action.startsWith('website.') ? SETTING_NAMES.find((each) => each === change.field) : undefined;
    const field = name === undefined ? snakeCase(change.field) : fieldNameOf(name);
    if (!('before' in change)) return { ...change, field };
    const { before, after } = change;
    if (name === undefined) return { field, before, after };
    return { field, before: writeValue(name, before), after: writeValue(name, after) };
  });
}

/** A value of a setting; one that an earlier version accepted is left as it is. */
function writeValue<Name extends SettingName>(name: Name, value: unknown): unknown {
  return SETTINGS[name].accepts(value) ? SETTING_FIELDS[name].write(value) : value;
}

/** A name of the domain as the API writes it. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
