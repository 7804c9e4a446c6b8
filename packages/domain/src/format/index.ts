export { formatDay, formatFullDay, formatMonth, formatPeriod, formatWeekday } from './days.ts';
export {
  type Change,
  changeOf,
  countOf,
  type Figures,
  figuresOf,
  formatCount,
  formatMetric,
  formatPercent,
  formatTick,
  METRIC_NAMES,
  METRICS,
  type Metric,
} from './figures.ts';
export { formatAddress, formatValue } from './values.ts';
