import { type Change, changeOf, type Figures, formatMetric, METRIC_NAMES, METRICS } from '@hitherto/domain/format';
import { hrefOf, type Selection } from './selection.ts';

interface FiguresRowProps {
  readonly path: string;
  readonly selection: Selection;
  readonly figures: Figures;
  readonly before: Figures;
}

/** The five numbers, each with its change; the chosen one is the subject of the chart below. */
export function FiguresRow({ path, selection, figures, before }: FiguresRowProps) {
  return (
    <nav class="figures" aria-label="Numbers; the chosen one is charted">
      {METRICS.map((metric) => (
        <a
          key={metric}
          href={hrefOf(path, { ...selection, metric })}
          aria-current={metric === selection.metric ? 'true' : undefined}
        >
          <span class="name">{METRIC_NAMES[metric]}</span>
          <strong data-metric={metric} data-value={figures[metric] ?? ''}>
            {formatMetric(metric, figures[metric])}
          </strong>
          <ChangeText change={changeOf(metric, figures[metric], before[metric])} />
        </a>
      ))}
    </nav>
  );
}

function ChangeText({ change }: { readonly change: Change | undefined }) {
  if (change === undefined) return <span class="change">no comparison</span>;
  const judged = change.good === undefined ? 'change' : change.good ? 'change good' : 'change bad';
  return <span class={judged}>{change.text}</span>;
}
