import { InvalidFields } from '@hitherto/domain/base';
import { GOAL, parseNewSegment, resolveFilters, segmentFaults } from '@hitherto/domain/definitions';
import { listResources } from '@hitherto/domain/resources';
import type { Match } from '@hitherto/domain/visits';
import { ENGLISH } from '@hitherto/words';
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
import { FilterSetWords } from './words.tsx';

/** The number of empty rows that a form has for further filters. */
const SPARE_ROWS = 2;

export const SEGMENTS = definitionPages<'segment', OpenedWebsite & KnownGoals>({
  kind: 'segment',
  page: 'segments',
  parameter: 'segment',
  purpose:
    'A segment is a set of filters with a name, such as readers from Germany. Everyone who sees the statistics can choose it there.',

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'segments');
    return { ...found, goals: await listResources(deps, GOAL, found.owner) };
  },

  async summarize(deps, { owner, goals }, segments) {
    const names = new Map(goals.map(({ id, name }) => [id, name]));
    const faults = await segmentFaults(deps, owner, segments);
    return segments.map(({ id, content }) => (
      <span key={id}>
        <FilterSetWords set={content} goals={names} />
        {(faults.get(id) ?? []).length > 0 && '. No visit has reached a goal that was deleted'}
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

  asTyped: ({ match, filters }) => ({ match, filters: typedFilters(filters) }),

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

  async preview(deps, { owner }, query, { match, filters }) {
    const { faults, ...resolved } = await resolveFilters(deps, owner, { filters, segment: undefined }, match);
    if (faults.length > 0) {
      throw new InvalidFields(faults.map((fault) => ({ ...fault, field: `filters.${fault.field}` })));
    }
    const [chosen, all] = await Promise.all([
      deps.statistics.totals({ ...query, ...resolved }),
      deps.statistics.totals({ ...query, onlyHits: true }),
    ]);
    if (chosen.visits === 0) return <p>No visit matches.</p>;
    const share = `${ENGLISH.format.percent(chosen.visits / all.visits)}\u00a0%`;
    return (
      <Numbers
        rows={[
          { name: 'Visits', metric: 'visits', value: ENGLISH.format.count(chosen.visits) },
          { name: 'Visitors', metric: 'visitors', value: ENGLISH.format.count(chosen.visitors) },
          { name: 'Of all visits', metric: 'share', value: share },
        ]}
      />
    );
  },
});

function withSpareRows(fields: Readonly<Record<string, string>>) {
  return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + SPARE_ROWS);
}

function Controls({ fields, faults, goals }: ControlsProps & KnownGoals) {
  const rows = rowsIn(FILTER_ROWS, fields);
  return (
    <>
      {/* The Enter key presses the first button of a form, and that is to save, not to add a row. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true" />
      <fieldset class="field choice">
        <legend>Visits must match</legend>
        <label>
          <input type="radio" name="match" value="all" checked={fields.match !== 'any'} />
          all filters
        </label>
        <label>
          <input type="radio" name="match" value="any" checked={fields.match === 'any'} />
          at least one filter
        </label>
      </fieldset>
      <div class="field">
        <p>
          One value per line, of which any may match. An empty first line stands for “no value”; “is like” takes
          patterns such as /blog/*. Filters without a subject do not count.
        </p>
        {goals.length > 0 && (
          <p class="hint">
            Goals are written by their names:{' '}
            {goals.map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <bdi>{name}</bdi>
              </span>
            ))}
            .
          </p>
        )}
        <Faults name="filters" faults={faults} />
      </div>
      {rows.map((row) => (
        <FilterRow key={row} row={row} fields={fields} faults={faults} />
      ))}
      {rows.length < FILTER_ROWS.max && (
        <button class="plain" type="submit" name="action" value="more" formnovalidate>
          One more filter
        </button>
      )}
    </>
  );
}
