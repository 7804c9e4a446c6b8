import type { Fault } from '@hitherto/domain/base';
import { zoneOf } from '@hitherto/domain/calendar';
import {
  CLEANUP,
  type Cleanup,
  type CleanupDependencies,
  CONFIRMED_CLEANUP,
  deleteCleanup,
  MAX_CLEANUPS,
  type Preview,
  type PreviewDependencies,
  parseCleanupChanges,
  parseNewCleanup,
  parseRule,
  previewCleanup,
} from '@hitherto/domain/cleanups';
import type { Definition } from '@hitherto/domain/definitions';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import type { ImportRepository } from '@hitherto/domain/imports';
import { createResource } from '@hitherto/domain/resources';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../../shared/locale.tsx';
import { resourcePath, websitePath } from '../../shared/paths.ts';
import { SparkLine } from '../../shared/spark-line.tsx';
import { Faults, TextField } from '../field.tsx';
import { FilterRow } from './definitions/filter-row.tsx';
import {
  FILTER_ROWS,
  fieldsOfFilters,
  filtersOfQuery,
  isReadBack,
  type KnownGoals,
  placeFilterFault,
  readFilterRows,
} from './definitions/filter-rows.ts';
import { rowsIn, withRows } from './definitions/rows.ts';
import { MatchChoice } from './definitions/segments.tsx';
import { FilterSetWords } from './definitions/words.tsx';
import { type OpenedWebsite, type OpeningWebsites, openWebsite } from './opened.tsx';
import { parseWith } from './rejection.ts';
import type { ControlsProps, FormFields, ResourcePages } from './resource-pages.ts';
import { updateOnce } from './versions.ts';

export interface CleanupPagesDependencies
  extends Omit<CleanupDependencies, 'statistics' | 'websites'>,
    OpeningWebsites,
    Pick<PreviewDependencies, 'maintenance'> {
  readonly statistics: StatisticsRepository;
  readonly imports: ImportRepository;
}

/** Cleanups have no goals: the meaning of one can change. */
const NO_GOALS: readonly Definition<'goal'>[] = [];

/** The cleanups of a website (cleanups.md). */
export const CLEANUPS: ResourcePages<CleanupPagesDependencies, OpenedWebsite & KnownGoals, Cleanup> = {
  type: CLEANUP,
  list: websitePath(':id', 'cleanups'),
  limit: MAX_CLEANUPS,
  newestFirst: true,
  forms: 'page',
  texts: ({ cleanup }) => cleanup,

  open: async (deps, request) => ({ ...(await openWebsite(deps, request, 'cleanups')), goals: NO_GOALS }),
  nameOf: ({ name }) => name,
  summarize: (_deps, { locale }, cleanups) =>
    cleanups.map((cleanup) => (
      <span key={cleanup.id}>
        <FilterSetWords set={cleanup} goals={new Map()} />. {daysOf(locale, cleanup)} {stateOf(locale, cleanup)}
      </span>
    )),

  surroundings: async (_deps, { list, canWrite, locale }, { id }) => ({
    above: undefined,
    below: canWrite && (
      <p>
        <a href={resourcePath(list, id, 'erase')}>{locale.words.resources.cleanup.erase}</a>
      </p>
    ),
  }),

  blank(_deps, found, query) {
    const filters = filtersOfQuery(query);
    if (!filters.every((filter) => isReadBack(filter, found))) return undefined;
    const days = { from: query.get('from') ?? '', to: query.get('to') ?? '' };
    const match = query.get('match') === 'any' ? 'any' : 'all';
    const rows = { match, ...days, ...fieldsOfFilters(filters, found) };
    return withRows(FILTER_ROWS, rows, Math.max(1, filters.length));
  },
  fieldsOf: (_deps, _found, { name }) => ({ name }),
  controls: (_deps, _found, form) => <Controls {...form} />,
  placeFaults: (faults, fields, found) => faults.map((fault) => placeFilterFault(fault, fields, found)),
  rearrange(fields) {
    if (fields.action !== 'more') return undefined;
    return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + 1);
  },

  async preview(deps, found, fields) {
    const { website, locale } = found;
    const { input, faults } = inputOf(fields, found);
    const rule = parseWith(faults, () => parseRule(input));
    const preview = await previewCleanup({ ...deps, zone: zoneOf(website, deps.zone) }, website.id, rule);
    return <PreviewTable locale={locale} preview={preview} />;
  },

  async create(deps, found, fields) {
    const { input, faults } = inputOf(fields, found);
    const created = parseWith(faults, () => parseNewCleanup({ ...input, name: fields.name?.trim() }));
    const type = fields.hides_all === undefined ? CLEANUP : CONFIRMED_CLEANUP;
    return { created: await createResource(deps, type, found.owner, created) };
  },
  update(deps, { owner }, stored, fields, precondition) {
    const changes = parseCleanupChanges({ name: fields.name?.trim() });
    return updateOnce(deps, CLEANUP, owner, stored, changes, precondition);
  },
  remove: (deps, owner, id, precondition) => deleteCleanup(deps, owner, id, precondition),
};

function inputOf(fields: FormFields, found: KnownGoals) {
  const { filters, faults } = readFilterRows(fields, found);
  const match = fields.match === 'any' ? ('any' as const) : ('all' as const);
  return { input: { filters, match, from: fields.from || null, to: fields.to || null }, faults };
}

function daysOf({ words, format }: Locale, { from, to }: Pick<Cleanup, 'from' | 'to'>): string {
  const { cleanup } = words.resources;
  return cleanup.days(from && format.dayOfYear(from), to && format.dayOfYear(to));
}

function stateOf({ words, format }: Locale, { status, hidden, erasedAt }: Cleanup): string {
  const { cleanup } = words.resources;
  if (status !== 'active' || hidden === null) return cleanup.states[status];
  const hides = cleanup.hides(hidden.visits);
  return erasedAt === null
    ? hides
    : `${hides} ${cleanup.erased(format.dayOfYear(erasedAt.toISOString().slice(0, 10)))}`;
}

/** A new cleanup has a rule; of a stored one only the name can change. */
function Controls({ fields, faults, id }: ControlsProps) {
  const { resources } = useLocale().words;
  const { cleanup, segment } = resources;
  const rows = rowsIn(FILTER_ROWS, fields);
  return (
    <>
      {/* The Enter key presses the first button of a form, and that is to save, not to add a row. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true" />
      <TextField
        name="name"
        label={resources.name}
        value={fields.name}
        faults={faults}
        dir="auto"
        required
        autocomplete="off"
      />
      {id === undefined && (
        <>
          <MatchChoice match={fields.match} />
          <Faults name="filters" faults={faults} />
          {rows.map((row) => (
            <FilterRow key={row} row={row} fields={fields} faults={faults} />
          ))}
          {rows.length < FILTER_ROWS.max && (
            <button class="plain" type="submit" name="action" value="more" formnovalidate>
              {segment.oneMore}
            </button>
          )}
          <TextField
            name="from"
            label={cleanup.from}
            hint={cleanup.fromHint}
            value={fields.from}
            faults={faults}
            type="date"
          />
          <TextField name="to" label={cleanup.to} hint={cleanup.toHint} value={fields.to} faults={faults} type="date" />
          <HidesAll isTicked={fields.hides_all !== undefined} faults={faults} />
        </>
      )}
    </>
  );
}

/** Asks a second time where every visit would be hidden. */
function HidesAll({ isTicked, faults }: { readonly isTicked: boolean; readonly faults: readonly Fault[] }) {
  const { cleanup } = useLocale().words.resources;
  if (!isTicked && faults.every(({ field }) => field !== 'hides_all')) return null;
  return (
    <div class="field">
      {/* The fault is in the words of the API, so this says it again. */}
      <p class="fault">{cleanup.hidesAll}</p>
      <label class="check">
        <input type="checkbox" name="hides_all" value="1" checked={isTicked} /> {cleanup.hideAll}
      </label>
    </div>
  );
}

/** The numbers before and after. */
function PreviewTable({ locale: { words, format }, preview }: { readonly locale: Locale; readonly preview: Preview }) {
  const { cleanup } = words.resources;
  const { before, hidden, after, days, from, to } = preview;
  const columns = [
    ['before', cleanup.before, before],
    ['hidden', cleanup.hidden, hidden],
    ['after', cleanup.after, after],
  ] as const;
  const visitsOf = (when: 'before' | 'after') => days.map((day) => day[when].visits);
  const isAll = after.visits === 0 && hidden.visits > 0;
  return (
    <section class="card outcome" role="status">
      <h2>{format.period(from, to)}</h2>
      {hidden.visits === 0 && <p>{words.resources.segment.noMatch}</p>}
      {isAll && <p class="fault">{cleanup.hidesAll}</p>}
      {days.length > 1 && (
        <figure class="before-after">
          <SparkLine values={visitsOf('after')} before={visitsOf('before')} />
          <figcaption class="hint">{cleanup.byDay}</figcaption>
        </figure>
      )}
      <table>
        <caption>{cleanup.caption}</caption>
        <thead>
          <tr>
            <td />
            {columns.map(([name, label]) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(['visitors', 'visits', 'pageviews'] as const).map((metric) => (
            <tr key={metric}>
              <th scope="row">{words.figures[metric]}</th>
              {columns.map(([name, , totals]) => (
                <td key={name} data-metric={`${name}_${metric}`}>
                  {format.count(totals[metric])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
