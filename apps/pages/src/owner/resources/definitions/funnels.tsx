import { parseNewFunnel, STEP_LIMITS } from '@hitherto/domain/definitions';
import { type ShownStep, showFunnel } from '@hitherto/domain/reading';
import { useLocale } from '../../../shared/locale.tsx';
import { Faults, TextField } from '../../field.tsx';
import { type OpenedWebsite, openWebsite } from '../opened.tsx';
import { parseWith } from '../rejection.ts';
import type { ControlsProps, FormFields } from '../resource-pages.ts';
import { definitionPages } from './definition-pages.tsx';
import { prefixOf, type Rows, rowsIn, withRows, withSwappedRows } from './rows.ts';
import { placeRuleFault, RuleControls, readRule, ruleFields, ruleLists, typedRule } from './rule.tsx';
import { StepsWords, Value } from './words.tsx';

/** Most steps are pages. */
const STEP_ROWS: Rows = { stem: 'step', max: STEP_LIMITS.max, blank: { name: '', kind: 'page' } };
/** A step has one of these, or is left empty. */
const FILLED = ['name', 'event', 'props', 'page'];
const MAX_NAME_LENGTH = 64;
/** How many steps a new form has room for. */
const FIRST_STEPS = 3;

export const FUNNELS = definitionPages<'funnel', OpenedWebsite>({
  kind: 'funnel',
  page: 'funnels',
  texts: ({ funnel }) => funnel,

  open: (deps, request) => openWebsite(deps, request, 'funnels'),

  summarize: (_deps, _found, funnels) =>
    funnels.map(({ id, content }) => <StepsWords key={id} steps={content.steps} />),

  blank: (_deps, _found, query) => withRows(STEP_ROWS, { name: query.get('name') ?? '' }, FIRST_STEPS),

  fieldsOf: ({ steps, isStrict = false }, { locale }) =>
    Object.assign(
      isStrict ? { strict: '1' } : {},
      ...steps.map(({ name, rule }, row) => {
        const prefix = prefixOf(STEP_ROWS, row);
        return {
          [`${prefix}name`]: name === nameOf(ruleFields(locale, rule)) ? '' : name,
          ...ruleFields(locale, rule, prefix),
        };
      }),
    ),

  asTyped: ({ steps, ...others }, { locale }) => ({
    ...others,
    steps: steps.map(({ name, rule }) => ({ name, rule: typedRule(locale, rule) })),
  }),

  rearrange(fields) {
    const count = rowsIn(STEP_ROWS, fields).length;
    if (fields.action === 'more') return withRows(STEP_ROWS, fields, count + 1);
    const row = Number(/^up_(\d)$/.exec(fields.action ?? '')?.[1] ?? 0);
    return row > 0 && row < count ? withSwappedRows(STEP_ROWS, fields, row - 1, row) : undefined;
  },

  parse(fields, { locale }) {
    const read = filledRows(fields).map((row) => ({
      name: fields[`${prefixOf(STEP_ROWS, row)}name`]?.trim() || nameOf(fields, prefixOf(STEP_ROWS, row)),
      ...readRule(locale, fields, prefixOf(STEP_ROWS, row)),
    }));
    const faults = read.flatMap((step, index) =>
      step.faults.map((fault) => ({ ...fault, field: `steps.${index}.${fault.field}` })),
    );
    const steps = read.map(({ name, rule }) => ({ name, ...rule }));
    return parseWith(faults, () => parseNewFunnel({ name: fields.name?.trim(), steps, strict: fields.strict === '1' }));
  },

  placeFault(fault, fields, { locale }) {
    const [, index, field] = /^steps\.(\d+)\.(.*)$/su.exec(fault.field) ?? [];
    const row = filledRows(fields)[Number(index)];
    if (field === undefined || row === undefined) return fault;
    return placeRuleFault(locale, { ...fault, field }, fields, prefixOf(STEP_ROWS, row));
  },

  async controls(deps, found, form) {
    return (
      <>
        <Controls {...form} />
        {await ruleLists(deps, found)}
      </>
    );
  },

  async preview({ statistics }, _found, query, funnel) {
    return <StepsTable steps={await showFunnel({ statistics }, query, funnel)} />;
  },
});

function Controls({ fields, faults }: ControlsProps) {
  const { funnel } = useLocale().words.resources;
  const rows = rowsIn(STEP_ROWS, fields);
  return (
    <>
      {/* The Enter key presses the first button of a form, and that is to save, not to move a step. */}
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true" />
      <div class="field">
        <p>{funnel.help(STEP_LIMITS.min, STEP_LIMITS.max)}</p>
        <label class="check">
          <input type="checkbox" name="strict" value="1" checked={fields.strict === '1'} />
          {funnel.strict}
        </label>
        <Faults name="steps" faults={faults} />
      </div>
      {rows.map((row) => (
        <Step key={row} row={row} fields={fields} faults={faults} />
      ))}
      {rows.length < STEP_LIMITS.max && (
        <button class="plain" type="submit" name="action" value="more" formnovalidate>
          {funnel.oneMore}
        </button>
      )}
    </>
  );
}

function Step({ row, fields, faults }: ControlsProps & { readonly row: number }) {
  const { funnel } = useLocale().words.resources;
  const prefix = prefixOf(STEP_ROWS, row);
  const name = `${prefix}name`;
  const isFirst = row === 0;
  return (
    <fieldset class="card rule step">
      <legend>{funnel.step(row + 1)}</legend>
      <TextField
        name={name}
        label={funnel.stepName}
        hint={isFirst ? funnel.stepNameHint : undefined}
        value={fields[name]}
        faults={faults}
        dir="auto"
        autocomplete="off"
      />
      <RuleControls fields={fields} faults={faults} prefix={prefix} legend={funnel.reachedBy} isBrief={!isFirst} />
      {!isFirst && (
        <button class="plain" type="submit" name="action" value={`up_${row}`} formnovalidate>
          {funnel.moveUp(row + 1)}
        </button>
      )}
    </fieldset>
  );
}

function StepsTable({ steps }: { readonly steps: readonly ShownStep[] }) {
  const { words, format } = useLocale();
  const { funnel } = words.resources;
  const share = (ratio: number | null) => (ratio === null ? '–' : format.share(ratio));
  return (
    <table>
      <caption>{funnel.steps}</caption>
      <thead>
        <tr>
          <th scope="col">{funnel.stepHead}</th>
          <th scope="col">{words.figures.visits}</th>
          <th scope="col">{words.figures.visitors}</th>
          <th scope="col">{funnel.ofStepBefore}</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ name, visits, visitors, ofPrevious }, index) => (
          <tr key={name}>
            <th scope="row">
              <Value text={name} />
            </th>
            <td data-metric="visits">{format.count(visits)}</td>
            <td data-metric="visitors">{format.count(visitors)}</td>
            <td data-metric="of_previous">{index === 0 ? '' : share(ofPrevious)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The name of a step until someone gives it one: its page or event. Without these, the fault is there, not here. */
function nameOf(fields: FormFields, prefix = ''): string {
  const rule = fields[`${prefix}kind`] === 'page' ? fields[`${prefix}page`] : fields[`${prefix}event`];
  return [...(rule?.trim() || prefix)].slice(0, MAX_NAME_LENGTH).join('').trim();
}

/** The steps that are not left empty. */
function filledRows(fields: FormFields): number[] {
  const isFilled = (row: number) => FILLED.some((field) => fields[`${prefixOf(STEP_ROWS, row)}${field}`]?.trim());
  return rowsIn(STEP_ROWS, fields).filter(isFilled);
}
