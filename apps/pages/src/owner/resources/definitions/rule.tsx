import { echoedName, type Fault } from '@hitherto/domain/base';
import type { RuleInput } from '@hitherto/domain/definitions';
import { formatValue, readTypedValue } from '@hitherto/domain/format';
import { OTHER_VALUES } from '@hitherto/domain/hits';
import type { HitRule } from '@hitherto/domain/visits';
import { ENGLISH } from '@hitherto/words';
import { TextAreaField, TextField } from '../../field.tsx';
import type { OpenedWebsite } from '../opened.tsx';
import type { ControlsProps, FormFields } from '../resource-pages.ts';
import { type DefinitionPagesDependencies, linesOf, recentDays } from './definition-pages.tsx';

// The rule of a goal, or of a step of a funnel. In a form, the names of its fields begin with a prefix.

const MAX_OFFERED = 100;

/** The fields for a rule. */
export function ruleFields(rule: HitRule, prefix = ''): FormFields {
  if ('page' in rule) return { [`${prefix}kind`]: 'page', [`${prefix}page`]: shownPage(rule.page) };
  const props = Object.entries(rule.props).map(([name, value]) => `${name}=${value}`);
  return { [`${prefix}kind`]: 'event', [`${prefix}event`]: rule.event, [`${prefix}props`]: props.join('\n') };
}

/** A rule as if it had been typed. */
export function typedRule(rule: HitRule): HitRule {
  return 'page' in rule ? { page: typedPage(rule.page) } : rule;
}

/** The rule in a form, and the faults of the lines with its properties. */
export function readRule(
  fields: FormFields,
  prefix = '',
): { readonly rule: RuleInput; readonly faults: readonly Fault[] } {
  if (fields[`${prefix}kind`] === 'page') return { rule: { page: typedPage(fields[`${prefix}page`]) }, faults: [] };
  const { props, faults } = readProps(fields[`${prefix}props`]);
  return { rule: { event: fields[`${prefix}event`]?.trim() ?? '', props }, faults };
}

/** A fault of a rule, by the name of the form's field. */
export function placeRuleFault(fault: Fault, fields: FormFields, prefix = ''): Fault {
  const [, property] = /^props\.(.*)$/su.exec(fault.field) ?? [];
  if (property === undefined) return { ...fault, field: `${prefix}${fault.field}` };
  const faulty = linesOf(fields[`${prefix}props`]).find(({ text }) => echoedName(nameOf(text)) === property);
  const line = faulty?.line ?? 1;
  return { ...fault, field: `${prefix}props`, line, detail: `Line ${line}: ${fault.detail}` };
}

function readProps(text: string | undefined): {
  readonly props: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
} {
  const props = new Map<string, string>();
  const faults: Fault[] = [];
  for (const { line, text: entry } of linesOf(text)) {
    const name = nameOf(entry);
    if (!entry.includes('=')) {
      const detail = `Line ${line} has no “=” between the name of a property and its value.`;
      faults.push({ field: 'props', line, code: 'not_allowed', detail });
    } else if (props.has(name)) {
      faults.push({ field: 'props', line, code: 'repeated', detail: `Line ${line} repeats a property.` });
    } else props.set(name, entry.slice(entry.indexOf('=') + 1).trim());
  }
  return { props: Object.fromEntries(props), faults };
}

function nameOf(line: string): string {
  return line.split('=', 1).join().trim();
}

function typedPage(text = ''): string {
  return readTypedValue(ENGLISH, 'page', 'like', text.trim());
}

/** A page with its letters decoded, unless typing that would make another one. */
function shownPage(page: string): string {
  const shown = formatValue(ENGLISH, 'page', page);
  return typedPage(shown) === page ? shown : page;
}

interface RuleControlsProps extends ControlsProps {
  readonly prefix?: string;
  readonly legend: string;
  /** Leaves the hints out: they stand above already. */
  readonly isBrief?: boolean;
}

/** The controls for a rule; {@link ruleLists} have to be on the same page. */
export function RuleControls({ fields, faults, prefix = '', legend, isBrief = false }: RuleControlsProps) {
  const [kind, event, props, page] = [`${prefix}kind`, `${prefix}event`, `${prefix}props`, `${prefix}page`];
  const isPage = fields[kind] === 'page';
  const hinted = (hint: string) => (isBrief ? undefined : hint);
  return (
    <>
      <fieldset class="field choice">
        <legend>{legend}</legend>
        <label>
          <input type="radio" name={kind} value="event" checked={!isPage} />
          An event
        </label>
        <label>
          <input type="radio" name={kind} value="page" checked={isPage} />A pageview
        </label>
      </fieldset>
      <div class="of-event">
        <TextField
          name={event}
          label="Name of the event"
          hint={hinted('Exactly as it is sent, such as Signup.')}
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
          label="Only with these properties"
          hint={hinted('One per line, such as plan=pro; the same event must have all of them. Empty for any.')}
          value={fields[props]}
          faults={faults}
          rows={2}
          dir="auto"
        />
      </div>
      <div class="of-page">
        <TextField
          name={page}
          label="Page"
          hint={hinted('Such as /thanks, or /checkout/* for all pages that begin with /checkout/.')}
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
      <Suggestions id="pages" values={pages.map((page) => shownPage(page.replaceAll(/[\\*]/g, '\\$&')))} />
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
