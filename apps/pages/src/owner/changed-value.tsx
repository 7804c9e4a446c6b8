import { ALERT_RULES } from '@hitherto/domain/alerts';
import { isDay, type TimeZone } from '@hitherto/domain/calendar';
import type { FunnelStep } from '@hitherto/domain/definitions';
import { formatTime } from '@hitherto/domain/format';
import { parameterOf, readFilters } from '@hitherto/domain/visits';
import { ENGLISH } from '@hitherto/words';
import type { JSX } from 'preact';
import { RULES } from './resources/alerts/words.ts';
import { FilterSetWords, StepsWords, Value } from './resources/definitions/words.tsx';

/** What values name by ids: the names of the website's goals and segments. */
export interface KnownNames {
  readonly goals: ReadonlyMap<string, string>;
  readonly segments: ReadonlyMap<string, string>;
  readonly zone: TimeZone;
}

interface ChangedValueProps extends KnownNames {
  readonly field: string;
  readonly value: unknown;
}

/** A value of a change in words. One that has none is shown as it is stored. */
export function ChangedValue({ field, value, ...names }: ChangedValueProps) {
  if (value === null || value === undefined || value === '') return <>none</>;
  if (typeof value === 'boolean') return <>{value ? 'on' : 'off'}</>;
  const words = WORDS[field]?.(value, names);
  return words ?? <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}

type Words = (value: unknown, names: KnownNames) => JSX.Element | string | undefined;

const WORDS: Readonly<Record<string, Words>> = {
  day: (value) => (typeof value === 'string' && isDay(value) ? ENGLISH.format.fullDay(value) : undefined),
  expiresAt: (value, { zone }) => (typeof value === 'string' ? formatTime(ENGLISH, zone, new Date(value)) : undefined),
  rule: (value) => {
    const rule = ALERT_RULES.find((name) => name === value);
    return rule && RULES[rule];
  },
  goalId: (value, { goals }) => <Value text={goals.get(String(value)) ?? 'a deleted goal'} />,
  segment: (value, { segments }) => <Value text={segments.get(String(value)) ?? 'a deleted segment'} />,
  match: (value) => (value === 'any' ? 'any filter' : 'all filters'),
  props: (value) => (
    <>
      {stringsOf(value).map(([name, text], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Value text={name} /> is <Value text={text} />
        </span>
      ))}
    </>
  ),
  filters: (value, { goals }) => {
    const { filters } = readFilters(entriesOf(value).filter(isParameter), false);
    return (
      <>
        {filters.map((filter, index) => (
          <span key={parameterOf(filter)}>
            {index > 0 && '; '}
            <FilterSetWords set={{ match: 'all', filters: [filter] }} goals={goals} />
          </span>
        ))}
      </>
    );
  },
  steps: (value) => <StepsWords steps={Array.isArray(value) ? value.flatMap(stepOf) : []} />,
};

/** A step of a funnel, as it is stored in a change. */
function stepOf(value: unknown): FunnelStep[] {
  const { name, page, event, props } = Object.fromEntries(entriesOf(value));
  if (typeof name !== 'string') return [];
  if (typeof page === 'string') return [{ name, rule: { page } }];
  return typeof event === 'string' ? [{ name, rule: { event, props: Object.fromEntries(stringsOf(props)) } }] : [];
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function stringsOf(value: unknown): [string, string][] {
  return entriesOf(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function isParameter(entry: [string, unknown]): entry is [string, string[]] {
  const [, values] = entry;
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
