export { type Collector, type CollectorDependencies, createCollector } from './collector.ts';
