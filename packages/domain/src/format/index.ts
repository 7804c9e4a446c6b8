export { comparisonSentence } from './comparison.ts';
export {
  changeOf,
  countOf,
  type FigureChange,
  type Figures,
  figuresOf,
  formatMetric,
  formatTick,
  isDuration,
  METRICS,
  type Metric,
  metricsOf,
} from './figures.ts';
export {
  type FilterWords,
  filterSentence,
  formatFilter,
  readTypedBounce,
  readTypedValue,
  relationOf,
  sentenceOf,
} from './filters.ts';
export { HARMFUL, printable } from './printable.ts';
export { formatAddress, formatTime, formatValue } from './values.ts';
