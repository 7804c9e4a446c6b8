import type { Actor, AuditChange, AuditEntry } from '@hitherto/domain/changes';
import { formatTime } from '@hitherto/domain/format';
import { canPutBack } from '@hitherto/domain/records';
import type { Words } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { websitePath } from '../shared/paths.ts';
import { ChangedValue, type KnownNames } from './changed-value.tsx';

interface ChangesListProps {
  readonly websiteId: string;
  readonly entries: readonly AuditEntry[];
  readonly names: KnownNames;
  readonly canWrite: boolean;
  /** The address of the older ones, if there are any. */
  readonly older: string | undefined;
  /** Why the last change could not be put back. */
  readonly fault: string | undefined;
}

type ChangeWords = Words['changes'];

/** The changes of a website and their authors, newest first. */
export function ChangesList({ websiteId, entries, names, canWrite, older, fault }: ChangesListProps) {
  const locale = useLocale();
  const { changes } = locale.words;
  return (
    <>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {changes.notUndone(fault)}
        </p>
      )}
      {entries.length === 0 && <p>{changes.none}</p>}
      <ol class="changes">
        {entries.map((entry) => (
          <li key={entry.id} class="card">
            <h2>{titleOf(changes, entry)}</h2>
            <p class="hint">
              <time dateTime={entry.at.toISOString()}>{formatTime(locale, names.zone, entry.at)}</time>
              {`, ${nameOf(changes, entry.actor)}`}
              {entry.network !== null && changes.network(entry.network)}
            </p>
            {entry.changes.length > 0 && (
              <dl>
                {entry.changes.map((change) => (
                  <div key={change.field} data-field={change.field}>
                    <dt>{labelOf(changes, change.field)}</dt>
                    <dd>
                      <Changed change={change} action={entry.action} names={names} />
                    </dd>
                    {canWrite && canPutBack(entry, change) && (
                      <dd>
                        <PutBackForm websiteId={websiteId} entry={entry} field={change.field} />
                      </dd>
                    )}
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ol>
      {older !== undefined && (
        <p>
          <a href={older}>{changes.older}</a>
        </p>
      )}
    </>
  );
}

function PutBackForm({ websiteId, entry, field }: { websiteId: string; entry: AuditEntry; field: string }) {
  const { changes } = useLocale().words;
  return (
    <form method="post" action={websitePath(websiteId, 'changes')}>
      <input type="hidden" name="change" value={entry.id} />
      <input type="hidden" name="field" value={field} />
      <button class="plain" type="submit" aria-label={changes.undoField(labelOf(changes, field))}>
        {changes.undo}
      </button>
    </form>
  );
}

interface ChangedProps extends Pick<AuditEntry, 'action'> {
  readonly change: AuditChange;
  readonly names: KnownNames;
}

function Changed({ change, action, names }: ChangedProps) {
  const { changes } = useLocale().words;
  if ('change' in change) return <>{changes.secrets[change.change]}</>;
  if ('before' in change) {
    // A new object had no values, and a deleted one has none.
    const isNew = action.endsWith('.created') && change.before === null;
    const isGone = /\.(deleted|revoked)$/.test(action) && change.after === null;
    const wordsOf = (value: unknown) => <ChangedValue {...names} field={change.field} value={value} />;
    return (
      <>
        {!isNew && <del>{wordsOf(change.before)}</del>} {!isGone && <ins>{wordsOf(change.after)}</ins>}
      </>
    );
  }
  const { added, removed } = change;
  if (added.length + removed.length === 0) return <>{changes.otherOrder}</>;
  return (
    <ul>
      {removed.map((line) => (
        <li key={line}>
          <del>{line}</del>
        </li>
      ))}
      {added.map((line) => (
        <li key={line}>
          <ins>{line}</ins>
        </li>
      ))}
    </ul>
  );
}

function titleOf(words: ChangeWords, { action, subject }: AuditEntry): string {
  const [kind = '', verb = ''] = action.split('.');
  const kinds: Readonly<Record<string, string>> = words.kinds;
  const verbs: Readonly<Record<string, (what: string) => string>> = words.verbs;
  const name = kinds[kind] ?? kind;
  const what = kind === 'website' || subject.name === null ? name : words.named(name, subject.name);
  return verbs[verb]?.(what) ?? `${what} ${verb}`;
}

function labelOf({ fields }: ChangeWords, field: string): string {
  const labels: Readonly<Record<string, string>> = fields;
  return labels[field] ?? field;
}

function nameOf(words: ChangeWords, { type, id, label }: Actor): string {
  if (type === 'person') return words.by(label ?? id ?? '');
  if (type === 'command_line') return words.commandLine;
  if (type === 'unsubscribe_link') return words.unsubscribeLink;
  if (type === 'confirm_link') return words.confirmLink;
  if (type === 'provider') return words.provider;
  const key = label === null ? (id ?? '') : words.keyName(label);
  return type === 'session' ? words.session(key) : words.key(key);
}
