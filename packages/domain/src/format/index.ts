export { comparisonSentence } from './comparison.ts';
export {
  changeOf,
  countOf,
  type FigureChange,
  type Figures,
  figuresOf,
  formatCount,
  formatDecimal,
  formatMetric,
  formatPercent,
  formatRate,
  formatShare,
  formatTick,
  METRIC_NAMES,
  METRICS,
  type Metric,
} from './figures.ts';
export { type FilterWords, filterSentence, formatFilter, RELATIONS, readTypedValue, sentenceOf } from './filters.ts';
export { HARMFUL, printable } from './printable.ts';
export {
  formatAddress,
  formatDay,
  formatFullDay,
  formatMonth,
  formatPeriod,
  formatPeriodSeenOn,
  formatTime,
  formatValue,
  formatWeekday,
} from './values.ts';
