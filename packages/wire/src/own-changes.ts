import type { Day } from '@hitherto/domain/calendar';
import { IMPORT_FORMAT_NAMES } from '@hitherto/domain/imports';
import type { OwnChange } from '@hitherto/domain/insight';
import { ENGLISH, type Locale } from '@hitherto/words';
import { writeChanges } from './audit-changes.ts';

/** What the owner changed or noted, as the API writes it. */
export function writeOwnChange(own: OwnChange) {
  const at = own.at instanceof Date ? own.at.toISOString() : own.at;
  const text = tellOwnChange(own, (from, to) => (from === to ? from : `${from} to ${to}`));
  // The visits that it adds to the change.
  const visits = own.kind === 'cleanup' && own.hidden !== null ? own.hidden.before - own.hidden.after : null;
  return { at, kind: own.kind, text, visits };
}

/** A sentence about what the owner changed, in English by default; a note is its own text. */
export function tellOwnChange(
  own: OwnChange,
  days: (from: Day, to: Day) => string,
  { words, format }: Pick<Locale, 'words' | 'format'> = ENGLISH,
): string {
  const tell = words.change.own;
  switch (own.kind) {
    case 'setting':
    case 'zone':
      return settingText(own, { words, format });
    case 'cleanup':
      return own.hidden === null
        ? tell.undone(own.name)
        : tell.cleanup(own.name, format.count(own.hidden.after), format.count(own.hidden.before));
    case 'release':
      return tell.release(own.version, format.list(own.lists.map((list) => tell.lists[list])));
    case 'import': {
      const { from, to, format: product, sums } = own.imported;
      return tell.imported(sums === undefined, IMPORT_FORMAT_NAMES[product], days(from, to));
    }
    case 'annotation':
      return own.text;
    case 'silence':
      return tell.silence(days(own.at, own.to));
    case 'dropped':
      return tell.dropped(format.count(own.after), words.reasons[own.reason].rows, format.count(own.before));
  }
}

function settingText(
  { change, dropped = 0 }: Extract<OwnChange, { kind: 'setting' | 'zone' }>,
  { words, format }: Pick<Locale, 'words' | 'format'>,
): string {
  const tell = words.change.own;
  const [written] = writeChanges({ action: 'website.updated', changes: [change] });
  const { field, ...how } = written ?? change;
  // Those are settings that decide which hits count; none of them is a secret.
  if ('change' in how) return field;
  const changed =
    'before' in how
      ? tell.changed(field, JSON.stringify(how.before), JSON.stringify(how.after))
      : tell.lines(field, how.added.join(', '), how.removed.join(', '));
  return `${changed}${dropped === 0 ? '' : tell.since(format.count(dropped))}.`;
}
