export { formatDay, formatFullDay, formatMonth, formatPeriod, formatWeekday } from './days.ts';
export { formatValue } from './dimensions.ts';
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
