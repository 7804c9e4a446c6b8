import { InvalidFields } from '@hitherto/domain/base';
import { GOAL, parseNewSegment, resolveQuestion, segmentFaults } from '@hitherto/domain/definitions';
import { formatCount, formatPercent } from '@hitherto/domain/format';
import { listResources } from '@hitherto/domain/resources';
import type { Match } from '@hitherto/domain/visits';
import { Faults } from '../field.tsx';
import { type DefinitionPages, type FieldsProps, parseWith } from './definition-pages.ts';
import { FilterRow } from './filter-row.tsx';
import {
  FILTER_ROWS,
  fieldsOfFilters,
  filtersOfQuery,
  isReadBack,
  placeFilterFault,
  readFilterRows,
  type SegmentAids,
  typedFilters,
} from './filter-rows.ts';
import { Numbers } from './numbers.tsx';
import { rowsIn, withRows } from './rows.ts';
import { FilterSetWords } from './words.tsx';

/** The number of empty rows that a form has for further filters. */
const SPARE_ROWS = 2;

export const SEGMENTS: DefinitionPages<'segment', SegmentAids> = {
  kind: 'segment',
  page: 'segments',
  parameter: 'segment',
  purpose:
    'A segment is a set of filters with a name, such as readers from Germany. Everyone who sees the statistics can choose it there.',

  async summarize(sources, website, segments) {
    const goals = await listResources(sources, GOAL, website);
    const names = new Map(goals.map(({ id, name }) => [id, name]));
    const faults = await segmentFaults(sources, website, segments);
    return segments.map(({ id, content }) => (
      <span key={id}>
        <FilterSetWords set={content} goals={names} />
        {(faults.get(id) ?? []).length > 0 && '. No visit has reached a goal that was deleted'}
      </span>
    ));
  },

  readAids: async (sources, { website }) => ({ goals: await listResources(sources, GOAL, website) }),

  fieldsOfQuery(query, aids) {
    const match = query.get('match') === 'any' ? 'any' : 'all';
    return withSpareRows({
      name: query.get('name') ?? '',
      match,
      ...fieldsOfFilters(filtersOfQuery(query), aids),
    });
  },

  canShow: (query, aids) => filtersOfQuery(query).every((filter) => isReadBack(filter, aids)),

  fieldsOf: ({ match, filters }, aids) => withSpareRows({ match, ...fieldsOfFilters(filters, aids) }),

  asTyped: ({ match, filters }) => ({ match, filters: typedFilters(filters) }),

  rearrange(fields) {
    if (fields.action !== 'more') return undefined;
    return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + 1);
  },

  parse(fields, aids) {
    const match: Match = fields.match === 'any' ? 'any' : 'all';
    const { filters, faults } = readFilterRows(fields, aids);
    return parseWith(faults, () => parseNewSegment({ name: fields.name?.trim(), filters, match }));
  },

  placeFault: placeFilterFault,

  Fields,

  async preview(sources, { website, query }, { match, filters }) {
    const { faults, ...question } = await resolveQuestion(sources, website, { filters, segment: undefined }, match);
    if (faults.length > 0) {
      throw new InvalidFields(faults.map((fault) => ({ ...fault, field: `filters.${fault.field}` })));
    }
    const [chosen, all] = await Promise.all([
      sources.statistics.totals({ ...query, ...question }),
      sources.statistics.totals({ ...query, onlyHits: true }),
    ]);
    if (chosen.visits === 0) return <p>No visit matches.</p>;
    const share = `${formatPercent(chosen.visits / all.visits)}\u00a0%`;
    return (
      <Numbers
        rows={[
          { name: 'Visits', metric: 'visits', value: formatCount(chosen.visits) },
          { name: 'Visitors', metric: 'visitors', value: formatCount(chosen.visitors) },
          { name: 'Of all visits', metric: 'share', value: share },
        ]}
      />
    );
  },
};

function withSpareRows(fields: Readonly<Record<string, string>>) {
  return withRows(FILTER_ROWS, fields, rowsIn(FILTER_ROWS, fields).length + SPARE_ROWS);
}

function Fields({ fields, faults, aids }: FieldsProps<SegmentAids>) {
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
        {aids.goals.length > 0 && (
          <p class="hint">
            Goals are written by their names:{' '}
            {aids.goals.map(({ id, name }, index) => (
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
