import { InvalidFields } from '@hitherto/domain/base';
import { GOAL, parseNewSegment, resolveFilters, segmentFaults } from '@hitherto/domain/definitions';
import { listResources } from '@hitherto/domain/resources';
import type { Match } from '@hitherto/domain/visits';
import { useLocale } from '../../../shared/locale.tsx';
import { Faults } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import { parseWith } from '../rejection.ts';
import type { ControlsProps } from '../resource-pages.ts';
import { definitionPages } from './definition-pages.tsx';
import { FilterRow } from './filter-row.tsx';
import {
  FILTER_ROWS,
  fieldsOfFilters,
  filtersOfQuery,
  isReadBack,
  type KnownGoals,
  placeFilterFault,
  readFilterRows,
  typedFilters,
} from './filter-rows.ts';
import { Numbers } from './numbers.tsx';
import { rowsIn, withRows } from './rows.ts';
import { FilterSetWords, Names } from './words.tsx';

/** The number of empty rows that a form has for further filters. */
const SPARE_ROWS = 2;

export const SEGMENTS = definitionPages<'segment', OpenedWebsite & KnownGoals>({
  kind: 'segment',
  page: 'segments',
  parameter: 'segment',
  texts: ({ segment }) => segment,

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'segments');
    return { ...found, goals: await listResources(deps, GOAL, found.owner) };
  },

  async summarize(deps, { owner, goals, locale }, segments) {
    const names = new Map(goals.map(({ id, name }) => [id, name]));
    const faults = await segmentFaults(deps, owner, segments);
    return segments.map(({ id, content }) => (
      <span key={id}>
        <FilterSetWords set={content} goals={names} />
        {(faults.get(id) ?? []).length > 0 && `. ${locale.words.resources.segment.reachesNothing}`}
      </span>
    ));
  },

  blank(_deps, found, query) {
    const filters = filtersOfQuery(query);
    if (!filters.every((filter) => isReadBack(filter, found))) return undefined;
    const match = query.get('match') === 'any' ? 'any' : 'all';
    return withSpareRows({ name: query.get('name') ?? '', match, ...fieldsOfFilters(filters, found) });
  },

  fieldsOf: ({ match, filters }, found) => withSpareRows({ match, ...fieldsOfFilters(filters, found) }),

  asTyped: ({ match, filters }, { locale }) => ({ match, filters: typedFilters(locale, filters) }),

  rearrange(fields) {
    if (fields.action !== 'more') return undefined;
    return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + 1);
  },

  parse(fields, found) {
    const match: Match = fields.match === 'any' ? 'any' : 'all';
    const { filters, faults } = readFilterRows(fields, found);
    return parseWith(faults, () => parseNewSegment({ name: fields.name?.trim(), filters, match }));
  },

  placeFault: placeFilterFault,

  controls: (_deps, { goals }, form) => <Controls {...form} goals={goals} />,

  async preview(deps, { owner, locale }, query, { match, filters }) {
    const { faults, ...resolved } = await resolveFilters(deps, owner, { filters, segment: undefined }, match);
    if (faults.length > 0) {
      throw new InvalidFields(faults.map((fault) => ({ ...fault, field: `filters.${fault.field}` })));
    }
    const [chosen, all] = await Promise.all([
      deps.statistics.totals({ ...query, ...resolved }),
      deps.statistics.totals({ ...query, onlyHits: true }),
    ]);
    const { words, format } = locale;
    if (chosen.visits === 0) return <p>{words.resources.segment.noMatch}</p>;
    return (
      <Numbers
        rows={[
          { name: words.figures.visits, metric: 'visits', value: format.count(chosen.visits) },
          { name: words.figures.visitors, metric: 'visitors', value: format.count(chosen.visitors) },
          {
            name: words.resources.segment.ofAllVisits,
            metric: 'share',
            value: format.share(chosen.visits / all.visits),
          },
        ]}
      />
    );
  },
});

function withSpareRows(fields: Readonly<Record<string, string>>) {
  return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + SPARE_ROWS);
}

function Controls({ fields, faults, goals }: ControlsProps & Pick<KnownGoals, 'goals'>) {
  const { segment } = useLocale().words.resources;
  const rows = rowsIn(FILTER_ROWS, fields);
  return (
    <>
      {/* The Enter key presses the first button of a form, and that is to save, not to add a row. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true" />
      <MatchChoice match={fields.match} />
      <div class="field">
        <p>{segment.help}</p>
        {goals.length > 0 && <p class="hint">{segment.goals(<Names of={goals} />)}</p>}
        <Faults name="filters" faults={faults} />
      </div>
      {rows.map((row) => (
        <FilterRow key={row} row={row} fields={fields} faults={faults} />
      ))}
      {rows.length < FILTER_ROWS.max && (
        <button class="plain" type="submit" name="action" value="more" formnovalidate>
          {segment.oneMore}
        </button>
      )}
    </>
  );
}

/** Whether visits must match all filters or any of them. */
export function MatchChoice({ match }: { readonly match: string | undefined }) {
  const { segment } = useLocale().words.resources;
  return (
    <fieldset class="field choice">
      <legend>{segment.mustMatch}</legend>
      <label>
        <input type="radio" name="match" value="all" checked={match !== 'any'} />
        {segment.all}
      </label>
      <label>
        <input type="radio" name="match" value="any" checked={match === 'any'} />
        {segment.any}
      </label>
    </fieldset>
  );
}
