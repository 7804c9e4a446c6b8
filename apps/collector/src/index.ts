export { type CollectorDependencies, createCollector } from './collector.ts';
