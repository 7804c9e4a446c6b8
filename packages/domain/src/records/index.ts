export * from './audit-trail.ts';
export * from './list-changes.ts';
export * from './put-back.ts';
export * from './release.ts';
