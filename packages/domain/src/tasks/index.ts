export * from './do-tasks.ts';
export * from './task-queue.ts';
