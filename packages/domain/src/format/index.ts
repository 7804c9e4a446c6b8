export { formatDay, formatFullDay, formatMonth, formatPeriod, formatWeekday } from './days.ts';
export { formatValue } from './dimensions.ts';
export { type Figures, figuresOf, METRIC_NAMES, METRICS, type Metric } from './figures.ts';
export { type Change, changeOf, formatMetric, formatTick } from './metrics.ts';
export { countOf, formatCount, formatPercent } from './numbers.ts';
