export { writeEntry } from './audit-changes.ts';
export * from './coverage.ts';
export {
  CSV_TYPE,
  ENGAGEMENT_COLUMNS,
  funnelCsv,
  goalsCsv,
  type ListName,
  MAX_CSV_ROWS,
  overviewCsv,
  seriesCsv,
  type ValueColumn,
  valueCell,
  valueColumns,
  valuesCsv,
  writeCsv,
} from './csv.ts';
export * from './findings.ts';
export { tellOwnChange, writeOwnChange } from './own-changes.ts';
export { writeWebhookMessage } from './webhook-message.ts';
export {
  type FieldValue,
  fieldNameOf,
  readSettings,
  SETTING_FIELDS,
  writeSettings,
} from './website-fields.ts';
