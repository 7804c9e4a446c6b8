import { changeOf, formatMetric, formatTick, type Metric } from '@hitherto/domain/format';
import type { Locale } from '@hitherto/words';
import { area, line } from 'd3-shape';
import { useLocale } from '../shared/locale.tsx';
import { type ChartScale, type ChartView, chartScale, PLOT_HEIGHT, PLOT_WIDTH, type PointView } from './chart-view.ts';

/**
 * The chosen number over the period: a line with links to its days, the previous period dashed, and a table of the same
 * numbers.
 */
export function Chart({ chart }: { readonly chart: ChartView }) {
  const { metric, points } = chart;
  const { words } = useLocale();
  const scale = chartScale(chart);
  return (
    <figure class="chart">
      <figcaption>
        <span class="key">
          {words.figures[metric]}, {chart.period}
        </span>
        {chart.comparison !== undefined && <span class="key before">{chart.comparison}</span>}
      </figcaption>
      <div class="plot-area">
        <svg class="plot" height={PLOT_HEIGHT + 28} aria-hidden="true">
          <Weekends points={points} scale={scale} />
          <Axes chart={chart} scale={scale} />
          <Annotations points={points} scale={scale} />
          <Lines points={points} scale={scale} />
          <Now points={points} scale={scale} />
          <Highest chart={chart} scale={scale} />
          <Beyond chart={chart} scale={scale} />
          <Moments chart={chart} scale={scale} />
        </svg>
      </div>
      <ChartTable chart={chart} />
    </figure>
  );
}

interface PlotProps {
  readonly chart: ChartView;
  readonly scale: ChartScale;
}

function Axes({ chart: { metric, points }, scale }: PlotProps) {
  const locale = useLocale();
  return (
    <g class="axes">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'zero' : undefined}
            x1="0"
            x2="100%"
            y1={crisp(scale.y(tick))}
            y2={crisp(scale.y(tick))}
          />
          <text x="-10" y={scale.y(tick) + 4} text-anchor="end">
            {formatTick(locale, metric, tick)}
          </text>
        </g>
      ))}
      {points.map(
        ({ mark }, index) =>
          mark !== '' && (
            <text
              key={mark}
              x={percent(scale.x(index))}
              y={PLOT_HEIGHT + 20}
              text-anchor={anchorOf(scale.x(index), 0.02)}
            >
              {mark}
            </text>
          ),
      )}
    </g>
  );
}

/** The lines; points that are not over yet are dotted. Outliers of the dashed line are cut off at the top. */
function Lines({ points, scale }: { readonly points: readonly PointView[]; readonly scale: ChartScale }) {
  type Placed = readonly [index: number, value: number | null | undefined];
  const path = line<Placed>()
    .defined(([, value]) => typeof value === 'number')
    .x(([index]) => scale.x(index) * PLOT_WIDTH)
    .y(([, value]) => scale.y(value ?? 0))
    .digits(1);
  const filled = area<Placed>()
    .defined(([, value]) => typeof value === 'number')
    .x(([index]) => scale.x(index) * PLOT_WIDTH)
    .y0(PLOT_HEIGHT)
    .y1(([, value]) => scale.y(value ?? 0))
    .digits(1);
  const placed = points.map(({ value }, index): Placed => [index, value]);
  const closed = placed.filter(([index]) => points[index]?.isOpen === false);
  const open = placed.filter(([index]) => points[index]?.isOpen === true || points[index + 1]?.isOpen === true);
  return (
    <svg
      class="lines"
      width="100%"
      height={PLOT_HEIGHT}
      viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={filled(closed) ?? ''} />
      <svg width={PLOT_WIDTH} height={PLOT_HEIGHT} aria-hidden="true">
        <path class="before" d={path(points.map(({ before }, index): Placed => [index, before])) ?? ''} />
      </svg>
      <path class="line" d={path(closed) ?? ''} />
      <path class="line open" d={path(open) ?? ''} />
    </svg>
  );
}

/** Bands behind Saturdays and Sundays. */
function Weekends({ points, scale }: { readonly points: readonly PointView[]; readonly scale: ChartScale }) {
  const width = 1 / Math.max(points.length - 1, 1);
  return (
    <g class="weekends">
      {points.map(({ name, isWeekend }, index) => {
        const left = Math.max(0, scale.x(index) - width / 2);
        const right = Math.min(1, scale.x(index) + width / 2);
        return isWeekend && <rect key={name} x={percent(left)} width={percent(right - left)} height={PLOT_HEIGHT} />;
      })}
    </g>
  );
}

/** The present: a line at the point that still goes on, and a ring at its number. */
function Now({ points, scale }: { readonly points: readonly PointView[]; readonly scale: ChartScale }) {
  const index = points.findIndex(({ isOpen }) => isOpen);
  const value = points[index]?.value;
  if (typeof value !== 'number') return null;
  const x = percent(scale.x(index));
  return (
    <g class="now-mark">
      <line x1={x} x2={x} y1="0" y2={PLOT_HEIGHT} />
      <circle cx={x} cy={scale.y(value)} r="5" />
    </g>
  );
}

/** How many flags stand above each other before they begin at the foot again. */
const FLAG_ROWS = 4;
const MAX_FLAG_LENGTH = 24;

/** A line with a flag for each point that has annotations; all of them in full are in its column and in the table. */
function Annotations({ points, scale }: { readonly points: readonly PointView[]; readonly scale: ChartScale }) {
  const noted = points.flatMap((point, index) => (point.annotations.length > 0 ? [{ point, x: scale.x(index) }] : []));
  return (
    <g class="annotations">
      {noted.map(({ point: { name, annotations }, x }, order) => (
        <g key={name} data-annotations={annotations.length}>
          <line x1={percent(x)} x2={percent(x)} y1="0" y2={PLOT_HEIGHT} />
          <circle cx={percent(x)} cy={PLOT_HEIGHT} r="5" />
          <text
            x={percent(x)}
            dx={x > 0.6 ? -8 : 8}
            y={PLOT_HEIGHT - 10 - 18 * (order % FLAG_ROWS)}
            text-anchor={x > 0.6 ? 'end' : 'start'}
          >
            {flagOf(annotations)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The first annotation, shortened, and how many more there are. */
function flagOf([first = '', ...more]: readonly string[]): string {
  const letters = [...first];
  const text = letters.length > MAX_FLAG_LENGTH ? `${letters.slice(0, MAX_FLAG_LENGTH - 1).join('')}…` : first;
  return more.length === 0 ? text : `${text} +${more.length}`;
}

/** Labels the highest value, or the first of several equal ones. */
function Highest({ chart: { metric, points }, scale }: PlotProps) {
  const locale = useLocale();
  const { highest, index, point } = findHighest(points, 'value');
  if (highest === 0 || point === undefined) return null;
  const x = scale.x(index);
  return (
    <g class="highest">
      <circle cx={percent(x)} cy={scale.y(highest)} r="4" />
      <text x={percent(x)} y={scale.y(highest) - 10} text-anchor={anchorOf(x, 0.12)}>
        {point.name}: {formatMetric(locale, metric, highest)}
      </text>
    </g>
  );
}

/** Labels the highest value of the period before if its line leaves the plot. */
function Beyond({ chart: { metric, points }, scale }: PlotProps) {
  const locale = useLocale();
  const { highest, index, point } = findHighest(points, 'before');
  if (point === undefined || scale.y(highest) >= 0) return null;
  const x = scale.x(index);
  return (
    <text class="beyond" x={percent(x)} y="-4" text-anchor={anchorOf(x, 0.12)}>
      ↑ {point.nameBefore}: {formatMetric(locale, metric, highest)}
    </text>
  );
}

function findHighest(points: readonly PointView[], line: 'value' | 'before') {
  const highest = Math.max(0, ...points.map((point) => point[line] ?? 0));
  const index = points.findIndex((point) => point[line] === highest);
  return { highest, index, point: points[index] };
}

/** A column for each point: it shows its numbers on hover, and links to its page. */
function Moments({ chart: { metric, points }, scale }: PlotProps) {
  const locale = useLocale();
  const { chart: words } = locale.words;
  const width = 1 / Math.max(points.length - 1, 1);
  return (
    <g class="moments">
      {points.map((point, index) => {
        const x = scale.x(index);
        const left = Math.max(0, x - width / 2);
        const column = (
          <>
            {point.annotations.length > 0 && <title>{point.annotations.join('\n')}</title>}
            <rect x={percent(left)} width={percent(Math.min(1, x + width / 2) - left)} height={PLOT_HEIGHT} />
            <line x1={percent(x)} x2={percent(x)} y1="0" y2={PLOT_HEIGHT} />
            {typeof point.value === 'number' && <circle cx={percent(x)} cy={scale.y(point.value)} r="4" />}
            <text x={percent(x)} y="-4" text-anchor={anchorOf(x, 0.3)}>
              {point.name}: {point.value === undefined ? words.toCome : formatValue(locale, metric, point)}
              {point.before !== undefined && `, ${words.before(formatBefore(locale, metric, point))}`}
            </text>
          </>
        );
        return point.href === undefined ? (
          <g key={point.name}>{column}</g>
        ) : (
          <a key={point.name} href={point.href} tabindex={-1}>
            {column}
          </a>
        );
      })}
    </g>
  );
}

/** The number of a point; one that still grows says so. */
function formatValue(locale: Locale, metric: Metric, { value, isOpen }: PointView): string {
  if (value === undefined) return '';
  const text = formatMetric(locale, metric, value);
  return isOpen ? locale.words.chart.soFar(text) : text;
}

/** The number before; next to one that still grows, it says that it is of the whole day, for example. */
function formatBefore(locale: Locale, metric: Metric, { before, isOpen }: PointView): string {
  if (before === undefined) return '';
  const text = formatMetric(locale, metric, before);
  return isOpen ? locale.words.chart.inAll(text) : text;
}

/** Texts near the edges stay inside. */
function anchorOf(x: number, margin: number): 'start' | 'middle' | 'end' {
  if (x < margin) return 'start';
  return x > 1 - margin ? 'end' : 'middle';
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))}%`;
}

/** Hairlines lie on whole pixels. */
function crisp(y: number): number {
  return Math.round(y) + 0.5;
}

/** The numbers of the chart for people who cannot see it or want exact numbers. */
function ChartTable({ chart }: { readonly chart: ChartView }) {
  const { words } = useLocale();
  const { metric, points, comparison } = chart;
  return (
    <div class="chart-foot">
      <details>
        <summary>{words.chart.table}</summary>
        <table>
          <caption>
            {words.figures[metric]}, {chart.period}
          </caption>
          <thead>
            <tr>
              <th scope="col">{words.chart.when}</th>
              <th scope="col">{words.figures[metric]}</th>
              {comparison !== undefined && <th scope="col">{comparison}</th>}
              {comparison !== undefined && <th scope="col">{words.owner.change}</th>}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <TableRows key={point.name} metric={metric} point={point} isCompared={comparison !== undefined} />
            ))}
          </tbody>
        </table>
      </details>
      <a href={chart.csvHref}>CSV</a>
    </div>
  );
}

interface TableRowsProps {
  readonly metric: Metric;
  readonly point: PointView;
  readonly isCompared: boolean;
}

/** The row of a point, and one for each of its annotations. */
function TableRows({ metric, point, isCompared }: TableRowsProps) {
  const locale = useLocale();
  const { name, value, before, nameBefore, annotations, isOpen, href } = point;
  // A part of a period is not compared with a whole one.
  const change = isOpen || value === undefined ? undefined : changeOf(locale, metric, value, before ?? null);
  return (
    <>
      <tr>
        <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
        <td>{formatValue(locale, metric, point)}</td>
        {isCompared && (
          <td>
            {formatBefore(locale, metric, point)}
            <small> {nameBefore}</small>
          </td>
        )}
        {isCompared && <td>{change?.arrow}</td>}
      </tr>
      {annotations.map((text, index) => (
        <tr key={index} class="annotation">
          <td colSpan={isCompared ? 4 : 2}>
            <bdi>{text}</bdi>
          </td>
        </tr>
      ))}
    </>
  );
}
