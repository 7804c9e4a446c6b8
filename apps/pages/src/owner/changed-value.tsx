import { ALERT_RULES } from '@hitherto/domain/alerts';
import { isDay, type TimeZone } from '@hitherto/domain/calendar';
import type { FunnelStep } from '@hitherto/domain/definitions';
import { formatTime } from '@hitherto/domain/format';
import { parameterOf, readFilters } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import type { JSX } from 'preact';
import { useLocale } from '../shared/locale.tsx';
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
  const locale = useLocale();
  const { changes } = locale.words;
  if (value === null || value === undefined || value === '') return <>{changes.noValue}</>;
  if (typeof value === 'boolean') return <>{changes[value ? 'on' : 'off']}</>;
  const words = WORDS[field]?.(value, names, locale);
  return words ?? <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}

type ValueWords = (value: unknown, names: KnownNames, locale: Locale) => JSX.Element | string | undefined;

function timeOf(value: unknown, { zone }: KnownNames, locale: Locale): string | undefined {
  return typeof value === 'string' ? formatTime(locale, zone, new Date(value)) : undefined;
}

const WORDS: Readonly<Record<string, ValueWords>> = {
  day: (value, _names, { format }) => (typeof value === 'string' && isDay(value) ? format.fullDay(value) : undefined),
  expiresAt: timeOf,
  confirmedAt: timeOf,
  rule: (value, _names, { words }) => {
    const rule = ALERT_RULES.find((name) => name === value);
    return rule && words.resources.alert.rules[rule];
  },
  goalId: (value, { goals }, { words }) => <Value text={goals.get(String(value)) ?? words.changes.deletedGoal} />,
  segment: (value, { segments }, { words }) => (
    <Value text={segments.get(String(value)) ?? words.changes.deletedSegment} />
  ),
  match: (value, _names, { words }) => words.resources.segment[value === 'any' ? 'any' : 'all'],
  props: (value, _names, { words }) => (
    <>
      {stringsOf(value).map(([name, text], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Value text={name} /> {words.filters.is} <Value text={text} />
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
