import type { Definition } from '@hitherto/domain/definitions';
import type { ShownStep } from '@hitherto/domain/reading';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { funnelCsvPath } from '../shared/paths.ts';
import { hrefOf, type Selection, withoutLook } from './selection.ts';

/** One of the website's funnels, with its numbers. */
export interface FunnelNumbers {
  readonly funnels: readonly Definition<'funnel'>[];
  /** The one in front. */
  readonly shown: Definition<'funnel'>;
  readonly steps: readonly ShownStep[];
}

interface FunnelsCardProps extends FunnelNumbers {
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
}

/** One funnel: a column for each step, as high as the visits that reach it, and where most of the others leave. */
export function FunnelsCard({ path, selection, funnels, shown, steps }: FunnelsCardProps) {
  const { goals } = useLocale().words;
  const tabHref = (id: string) =>
    `${hrefOf(path, { ...selection, funnel: id === funnels[0]?.id ? undefined : id })}#funnels`;
  return (
    <section class="card lists" id="funnels" aria-labelledby="funnels-title">
      <div class="card-head">
        <h2 id="funnels-title">{goals.funnel(<bdi>{shown.name}</bdi>)}</h2>
        {funnels.length > 1 && (
          <nav class="tabs" aria-label={goals.funnels}>
            {funnels.map(({ id, name }) => (
              <a key={id} href={tabHref(id)} aria-current={id === shown.id ? 'true' : undefined}>
                <bdi>{name}</bdi>
              </a>
            ))}
          </nav>
        )}
      </div>
      <div class="list">
        <Summary steps={steps} />
        <ol class="funnel">
          {steps.map((step, index) => (
            <Step key={index} step={step} before={steps[index - 1]} after={steps[index + 1]} />
          ))}
        </ol>
        <p class="list-foot">
          <span>{goals.inOrder}</span>
          <a href={hrefOf(funnelCsvPath(path, shown.id), withoutLook(selection))}>CSV</a>
        </p>
      </div>
    </section>
  );
}

/** How many visits take all steps, and before which step most of the others leave. */
function Summary({ steps }: Pick<FunnelNumbers, 'steps'>) {
  const { words, format } = useLocale();
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined || first.visits === 0) return null;
  const losses = steps.slice(1).map((step, index) => ({ step, lost: (steps[index]?.visits ?? 0) - step.visits }));
  const [worst] = losses.toSorted((a, b) => b.lost - a.lost);
  return (
    <p class="funnel-summary">
      {words.goals.reach(<strong>{format.rate(last.ofFirst)}</strong>, nameOf(first), nameOf(last))}
      {worst !== undefined && worst.lost > 0 && (
        <> {words.goals.mostLeave(nameOf(worst.step), <strong>{format.count(worst.lost)}</strong>)}</>
      )}
    </p>
  );
}

function nameOf({ name }: ShownStep) {
  return <bdi>{name}</bdi>;
}

interface StepProps {
  readonly step: ShownStep;
  readonly before: ShownStep | undefined;
  readonly after: ShownStep | undefined;
}

function Step({ step, before, after }: StepProps) {
  const { name, visits, visitors, ofFirst } = step;
  const locale = useLocale();
  const { format } = locale;
  const loss = lossBetween(locale, before, step);
  return (
    <li data-step={name} data-visits={visits} data-visitors={visitors}>
      <span class="step-name" title={name}>
        <bdi>{name}</bdi>
      </span>
      <p>
        <strong>{format.count(visits)}</strong> <span class="share">{format.rate(ofFirst)}</span>
      </p>
      {loss !== undefined && <p class="loss">{loss}</p>}
      <Column share={ofFirst ?? 0} next={after?.ofFirst ?? undefined} />
    </li>
  );
}

/** A column, and the fall to the next one. Shares are of the first column, 0 to 1. */
function Column({ share, next }: { readonly share: number; readonly next: number | undefined }) {
  const [top, nextTop] = [share, next ?? 0].map((height) => (100 - height * 100).toFixed(1));
  return (
    <svg class="column" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {next !== undefined && <path class="fall" d={`M60 ${top}L100 ${nextTop}V100H60z`} />}
      <path d={`M0 ${top}H60V100H0z`} />
    </svg>
  );
}

/** How many visits do not go on from the step before; `undefined` for the first step. */
function lossBetween({ words, format }: Locale, before: ShownStep | undefined, step: ShownStep): string | undefined {
  if (before === undefined || before.visits === 0) return undefined;
  const lost = before.visits - step.visits;
  if (lost === 0) return words.goals.nobodyLeft;
  return words.goals.left(format.count(lost), format.share(lost / before.visits));
}
