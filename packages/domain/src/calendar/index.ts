export * from './days.ts';
export * from './time-zone.ts';
