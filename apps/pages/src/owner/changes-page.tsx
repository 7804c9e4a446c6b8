import type { Actor, AuditChange, AuditEntry } from '@hitherto/domain/changes';
import { formatTime } from '@hitherto/domain/format';
import { canPutBack } from '@hitherto/domain/records';
import type { SettingName } from '@hitherto/domain/websites';
import { ENGLISH } from '@hitherto/words';
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

const SETTING_LABELS: Readonly<Record<SettingName, string>> = {
  privacy: 'Statistics page',
  emailReports: 'Reports by e-mail',
  report: 'Which reports',
  excludeBots: 'Exclude common bots',
  excludedParams: 'Query parameters to exclude',
  excludedIps: 'IP addresses to exclude',
  timeZone: 'Time zone',
  aliases: 'Aliases',
  embedOrigins: 'Sites that may embed the statistics',
  label: 'Label',
  language: 'Language of mails',
};
const LABELS: Readonly<Record<string, string>> = {
  ...SETTING_LABELS,
  url: 'Address',
  password: 'Password',
  name: 'Name',
  segment: 'Segment',
  expiresAt: 'Expires',
  day: 'Day',
  text: 'Text',
  isPublic: 'Public',
  filters: 'Filters',
  match: 'Visits that match',
  event: 'Event',
  props: 'Properties',
  page: 'Page',
  sum: 'Sum',
  steps: 'Steps',
  rule: 'Rule',
  threshold: 'Number',
  hours: 'Hours',
  percent: 'Percent',
  goalId: 'Goal',
  email: 'By mail',
  webhooks: 'By webhooks',
};

const VERBS: Readonly<Record<string, string>> = {
  created: 'added',
  updated: 'changed',
  deleted: 'deleted',
  revoked: 'revoked',
  moved: 'moved',
};

/** The changes of a website and their authors, newest first. */
export function ChangesList({ websiteId, entries, names, canWrite, older, fault }: ChangesListProps) {
  return (
    <>
      {fault !== undefined && (
        <p class="fault" role="alert">
          Nothing was undone: {fault}
        </p>
      )}
      {entries.length === 0 && <p>There are no changes here.</p>}
      <ol class="changes">
        {entries.map((entry) => (
          <li key={entry.id} class="card">
            <h2>{titleOf(entry)}</h2>
            <p class="hint">
              <time dateTime={entry.at.toISOString()}>{formatTime(ENGLISH, names.zone, entry.at)}</time>
              {`, ${nameOf(entry.actor)}`}
              {entry.network !== null && ` from ${entry.network}`}
            </p>
            {entry.changes.length > 0 && (
              <dl>
                {entry.changes.map((change) => (
                  <div key={change.field} data-field={change.field}>
                    <dt>{LABELS[change.field] ?? change.field}</dt>
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
          <a href={older}>Older changes</a>
        </p>
      )}
    </>
  );
}

function PutBackForm({ websiteId, entry, field }: { websiteId: string; entry: AuditEntry; field: string }) {
  return (
    <form method="post" action={websitePath(websiteId, 'changes')}>
      <input type="hidden" name="change" value={entry.id} />
      <input type="hidden" name="field" value={field} />
      <button class="plain" type="submit" aria-label={`Undo ${LABELS[field] ?? field}`}>
        Undo
      </button>
    </form>
  );
}

interface ChangedProps extends Pick<AuditEntry, 'action'> {
  readonly change: AuditChange;
  readonly names: KnownNames;
}

function Changed({ change, action, names }: ChangedProps) {
  if ('change' in change) return <>{change.change}</>;
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
  if (added.length + removed.length === 0) return <>in another order</>;
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

function titleOf({ action, subject }: AuditEntry): string {
  const [kind = '', verb = ''] = action.split('.');
  const what = kind === 'website' ? 'Website' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} “${subject.name}”`;
  return `${what} ${VERBS[verb] ?? verb}`;
}

function nameOf({ type, id, label }: Actor): string {
  if (type === 'person') return `by ${label}`;
  if (type === 'command_line') return 'on the command line';
  if (type === 'unsubscribe_link') return 'with the link of a report';
  if (type === 'provider') return 'by a group of the sign-in provider';
  const key = label === null ? `key ${id}` : `key “${label}”`;
  return type === 'session' ? `signed in with ${key}` : `with ${key}`;
}
