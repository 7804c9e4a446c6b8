import { echoedName, type Fault, inWords, toldIn } from '@hitherto/domain/base';
import type { RuleInput } from '@hitherto/domain/definitions';
import { formatValue, readTypedValue } from '@hitherto/domain/format';
import { OTHER_VALUES } from '@hitherto/domain/hits';
import type { HitRule } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../../../shared/locale.tsx';
import { TextAreaField, TextField } from '../../field.tsx';
import type { OpenedWebsite } from '../opened.tsx';
import type { ControlsProps, FormFields } from '../resource-pages.ts';
import { type DefinitionPagesDependencies, linesOf, recentDays } from './definition-pages.tsx';

// The rule of a goal, or of a step of a funnel. In a form, the names of its fields begin with a prefix.

const MAX_OFFERED = 100;

/** The fields for a rule. */
export function ruleFields(locale: Locale, rule: HitRule, prefix = ''): FormFields {
  if ('page' in rule) return { [`${prefix}kind`]: 'page', [`${prefix}page`]: shownPage(locale, rule.page) };
  const props = Object.entries(rule.props).map(([name, value]) => `${name}=${value}`);
  return { [`${prefix}kind`]: 'event', [`${prefix}event`]: rule.event, [`${prefix}props`]: props.join('\n') };
}

/** A rule as if it had been typed. */
export function typedRule(locale: Locale, rule: HitRule): HitRule {
  return 'page' in rule ? { ...rule, page: typedPage(locale, rule.page) } : rule;
}

/** The rule in a form, and the faults of the lines with its properties. */
export function readRule(
  locale: Locale,
  fields: FormFields,
  prefix = '',
): { readonly rule: RuleInput; readonly faults: readonly Fault[] } {
  if (fields[`${prefix}kind`] === 'page')
    return { rule: { page: typedPage(locale, fields[`${prefix}page`]) }, faults: [] };
  const { props, faults } = readProps(locale, fields[`${prefix}props`]);
  return { rule: { event: fields[`${prefix}event`]?.trim() ?? '', props }, faults };
}

/** A fault of a rule, by the name of the form's field. */
export function placeRuleFault({ words }: Locale, fault: Fault, fields: FormFields, prefix = ''): Fault {
  const [, property] = /^props\.(.*)$/su.exec(fault.field) ?? [];
  if (property === undefined) return { ...fault, field: `${prefix}${fault.field}` };
  const faulty = linesOf(fields[`${prefix}props`]).find(({ text }) => echoedName(nameOf(text)) === property);
  const line = faulty?.line ?? 1;
  return {
    ...fault,
    field: `${prefix}props`,
    line,
    ...inWords(({ resources }) => resources.rule.line(line, toldIn(words, fault))),
  };
}

function readProps(
  { words }: Locale,
  text: string | undefined,
): {
  readonly props: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
} {
  const props = new Map<string, string>();
  const faults: Fault[] = [];
  for (const { line, text: entry } of linesOf(text)) {
    const name = nameOf(entry);
    if (!entry.includes('=')) {
      faults.push({ field: 'props', line, code: 'not_allowed', detail: words.resources.rule.noEquals(line) });
    } else if (props.has(name)) {
      faults.push({ field: 'props', line, code: 'repeated', detail: words.resources.rule.repeated(line) });
    } else props.set(name, entry.slice(entry.indexOf('=') + 1).trim());
  }
  return { props: Object.fromEntries(props), faults };
}

function nameOf(line: string): string {
  return line.split('=', 1).join().trim();
}

function typedPage(locale: Locale, text = ''): string {
  return readTypedValue(locale, 'page', 'like', text.trim());
}

/** A page with its letters decoded, unless typing that would make another one. */
function shownPage(locale: Locale, page: string): string {
  const shown = formatValue(locale, 'page', page);
  return typedPage(locale, shown) === page ? shown : page;
}

interface RuleControlsProps extends ControlsProps {
  readonly prefix?: string;
  readonly legend: string;
  /** Leaves the hints out: they stand above already. */
  readonly isBrief?: boolean;
}

/** The controls for a rule; {@link ruleLists} have to be on the same page. */
export function RuleControls({ fields, faults, prefix = '', legend, isBrief = false }: RuleControlsProps) {
  const { words } = useLocale();
  const { rule } = words.resources;
  const [kind, event, props, page] = [`${prefix}kind`, `${prefix}event`, `${prefix}props`, `${prefix}page`];
  const isPage = fields[kind] === 'page';
  const hinted = (hint: string) => (isBrief ? undefined : hint);
  return (
    <>
      <fieldset class="field choice">
        <legend>{legend}</legend>
        <label>
          <input type="radio" name={kind} value="event" checked={!isPage} />
          {rule.event}
        </label>
        <label>
          <input type="radio" name={kind} value="page" checked={isPage} />
          {rule.pageview}
        </label>
      </fieldset>
      <div class="of-event">
        <TextField
          name={event}
          label={rule.eventName}
          hint={hinted(rule.eventHint)}
          value={fields[event]}
          faults={faults}
          dir="auto"
          list="events"
          autocomplete="off"
        />
      </div>
      <div class="of-event">
        <TextAreaField
          name={props}
          label={rule.props}
          hint={hinted(rule.propsHint)}
          value={fields[props]}
          faults={faults}
          rows={2}
          dir="auto"
        />
      </div>
      <div class="of-page">
        <TextField
          name={page}
          label={words.dimensions.page.one}
          hint={hinted(rule.pageHint)}
          value={fields[page]}
          faults={faults}
          list="pages"
          autocomplete="off"
          spellcheck={false}
        />
      </div>
    </>
  );
}

/** The most frequent pages and events of the last 28 days, which the controls suggest. Pages are patterns, with `*` and `\` escaped. */
export async function ruleLists(deps: DefinitionPagesDependencies, found: OpenedWebsite) {
  const query = recentDays(deps, found);
  const valuesOf = async (dimension: 'page' | 'event') => {
    const { rows } = await deps.statistics.values(query, dimension, MAX_OFFERED);
    return rows.flatMap(({ value }) => (value === null || value === OTHER_VALUES ? [] : [value]));
  };
  const [pages, events] = await Promise.all([valuesOf('page'), valuesOf('event')]);
  return (
    <>
      <Suggestions id="events" values={events} />
      <Suggestions
        id="pages"
        values={pages.map((page) => shownPage(found.locale, page.replaceAll(/[\\*]/g, '\\$&')))}
      />
    </>
  );
}

function Suggestions({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
