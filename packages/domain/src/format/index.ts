export { comparisonSentence } from './comparison.ts';
export {
  changeOf,
  countOf,
  type FigureChange,
  type Figures,
  figuresOf,
  formatMetric,
  formatTick,
  METRICS,
  type Metric,
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
