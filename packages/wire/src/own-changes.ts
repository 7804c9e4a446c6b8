import type { Day } from '@hitherto/domain/calendar';
import { IMPORT_FORMAT_NAMES } from '@hitherto/domain/imports';
import type { OwnChange } from '@hitherto/domain/insight';
import { ENGLISH } from '@hitherto/words';
import { writeChanges } from './audit-changes.ts';

/** What the owner changed or noted, as the API writes it. */
export function writeOwnChange(own: OwnChange) {
  const at = own.at instanceof Date ? own.at.toISOString() : own.at;
  const text = tellOwnChange(own, (from, to) => (from === to ? from : `${from} to ${to}`));
  // The visits that it adds to the change.
  const visits = own.kind === 'cleanup' && own.hidden !== null ? own.hidden.before - own.hidden.after : null;
  return { at, kind: own.kind, text, visits };
}

/** A sentence about what the owner changed; a note is its own text. */
export function tellOwnChange(own: OwnChange, days: (from: Day, to: Day) => string): string {
  switch (own.kind) {
    case 'setting':
    case 'zone':
      return settingText(own.change);
    case 'cleanup':
      return own.hidden === null
        ? `The cleanup “${own.name}” was undone.`
        : `The cleanup “${own.name}” hides ${own.hidden.after} visits, ${own.hidden.before} before.`;
    case 'release':
      return `Version ${own.version} brought another list of ${own.lists.join(' and of ')}.`;
    case 'import': {
      const { from, to, format, sums } = own.imported;
      return `${sums === undefined ? 'Hits' : 'Sums'} of ${IMPORT_FORMAT_NAMES[format]} were imported for ${days(from, to)}.`;
    }
    case 'annotation':
      return own.text;
    case 'silence':
      return `There was no hit on ${days(own.at, own.to)}.`;
    case 'dropped':
      return `${own.after} hits ${ENGLISH.words.reasons[own.reason].rows} were dropped, ${own.before} before.`;
  }
}

function settingText(change: Extract<OwnChange, { kind: 'setting' | 'zone' }>['change']): string {
  const [written] = writeChanges({ action: 'website.updated', changes: [change] });
  const { field, ...how } = written ?? change;
  if ('change' in how) return `${field} was ${how.change}.`;
  if ('before' in how)
    return `${field} was changed from ${JSON.stringify(how.before)} to ${JSON.stringify(how.after)}.`;
  const lists = [
    ...(how.added.length === 0 ? [] : [`${how.added.join(', ')} added`]),
    ...(how.removed.length === 0 ? [] : [`${how.removed.join(', ')} removed`]),
  ];
  return `${field}: ${lists.join('; ')}.`;
}
