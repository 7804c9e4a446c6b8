export * from './backup.ts';
