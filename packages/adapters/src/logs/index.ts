export { findLogFormat, LOG_FORMATS, type LogFormat, logFormat } from './formats.ts';
export { logFiles } from './open-logs.ts';
export { logNameOf, openLog } from './read-log.ts';
