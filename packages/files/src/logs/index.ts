export { findLogFormat, LOG_FORMATS, logFormat } from './formats.ts';
export { logFiles } from './open-logs.ts';
export { logNameOf, openLog } from './read-log.ts';
