import { formatMetric, METRIC_NAMES } from '@hitherto/domain/format';
import type { ChartView } from './view.ts';

/** The numbers of the chart for people who cannot see it or want exact numbers. */
export function ChartTable({ chart }: { readonly chart: ChartView }) {
  const { metric, points, comparison } = chart;
  return (
    <div class="chart-foot">
      <details>
        <summary>Table</summary>
        <table>
          <caption>
            {METRIC_NAMES[metric]}, {chart.period}
          </caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">{METRIC_NAMES[metric]}</th>
              <th scope="col">{comparison}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ name, value, before, isOpen, href }) => (
              <tr key={name}>
                <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
                <td>
                  {value === undefined ? '' : formatMetric(metric, value)}
                  {isOpen && ' so far'}
                </td>
                <td>{before === undefined ? '' : formatMetric(metric, before)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <a href={chart.csvHref}>CSV</a>
    </div>
  );
}
