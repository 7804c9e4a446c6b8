import type { FunnelStep } from '@hitherto/domain/definitions';
import { formatFilter } from '@hitherto/domain/format';
import { type FilterSet, type HitRule, parameterOf } from '@hitherto/domain/visits';
import { useLocale } from '../../../shared/locale.tsx';

// Definitions in words.

const MAX_LENGTH = 100;

/** A string of the owner, set apart from the words around it whatever its direction; a very long one is cut. */
export function Value({ text }: { readonly text: string }) {
  const characters = [...text];
  return <bdi>{characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : text}</bdi>;
}

/** Names after each other. */
export function Names({ of }: { readonly of: readonly { readonly id: string; readonly name: string }[] }) {
  return (
    <>
      {of.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Value text={name} />
        </span>
      ))}
    </>
  );
}

/** The rule of a goal, or of a step of a funnel. */
export function RuleWords({ rule }: { readonly rule: HitRule }) {
  const locale = useLocale();
  const { dimensions, filters } = locale.words;
  if ('page' in rule) {
    const comparator = /[*\\]/.test(rule.page) ? 'like' : 'is';
    const filter = { kind: 'dimension', dimension: 'page', comparator, isNegated: false, values: [rule.page] } as const;
    const { subject, relation, values } = formatFilter(locale, filter, new Map());
    return (
      <>
        {subject} {relation} <Value text={values.join()} />
        {rule.scroll !== undefined && locale.words.resources.goal.seenTo(rule.scroll)}
        {rule.seconds !== undefined && locale.words.resources.goal.lookedAtFor(rule.seconds)}
      </>
    );
  }
  return (
    <>
      {dimensions.event.one} {filters.is} <Value text={rule.event} />
      {Object.entries(rule.props).map(([name, value]) => (
        <span key={name}>
          , <Value text={name} /> {filters.is} <Value text={value} />
        </span>
      ))}
    </>
  );
}

/** The steps of a funnel: `Guide (Page is like /guides/*), then Signup (Event is Signup)`. */
export function StepsWords({ steps }: { readonly steps: readonly FunnelStep[] }) {
  const { funnel } = useLocale().words.resources;
  return (
    <>
      {steps.map(({ name, rule }, index) => (
        <span key={name}>
          {index > 0 && funnel.next}
          <Value text={name} /> (<RuleWords rule={rule} />)
        </span>
      ))}
    </>
  );
}

const MAX_VALUES = 5;

interface FilterSetWordsProps {
  readonly set: FilterSet;
  /** The names of goals by their ids. */
  readonly goals: ReadonlyMap<string, string>;
}

/** The filters of a segment: `Country is not Germany or France, and Page contains blog`. */
export function FilterSetWords({ set: { match, filters }, goals }: FilterSetWordsProps) {
  const locale = useLocale();
  const { words } = locale;
  return (
    <>
      {filters.map((filter, index) => {
        const { subject, relation, values } = formatFilter(locale, filter, goals);
        return (
          <span key={parameterOf(filter)}>
            {index > 0 && words.resources[match === 'all' ? 'and' : 'or']}
            <Value text={subject} /> {relation}{' '}
            {values.slice(0, MAX_VALUES).map((value, place) => (
              <span key={value}>
                {place > 0 && ` ${words.filters.or} `}
                <Value text={value} />
              </span>
            ))}
            {values.length > MAX_VALUES && ` ${words.filters.or} ${words.resources.others(values.length - MAX_VALUES)}`}
          </span>
        );
      })}
    </>
  );
}
