export type { AccessRepository } from './access/access-repository.ts';
export type { Account } from './access/account.ts';
export { type ApiKey, covers, hashKey, isUsable, type Scope } from './access/api-key.ts';
export { isEmailAddress } from './access/email-address.ts';
export { findSession, SESSION_MS, type SessionDependencies, signIn, signOut } from './access/session.ts';
export type { Session, SessionRepository } from './access/session-repository.ts';
export {
  type AccessDependencies,
  authenticate,
  createAccount,
  deleteAccount,
  issueKey,
  type KeyOptions,
  listAccounts,
  listKeys,
  revokeKey,
  setEmail,
} from './access/use-cases.ts';
export {
  ALERT_RULES,
  type Alert,
  type AlertInput,
  type AlertRule,
  MAX_ALERTS,
  parseAlert,
  parseAlertChanges,
  tooManyAlerts,
} from './alerts/alert.ts';
export type { AlertMail } from './alerts/alert-mail.ts';
export type { AlertRepository, DueAlert, Firing } from './alerts/alert-repository.ts';
export { type CheckAlertsDependencies, checkDueAlerts } from './alerts/check-alerts.ts';
export type { FiredAlert, FiredValue } from './alerts/fired-alert.ts';
export { type AlertState, median, NEW_STATE } from './alerts/rules.ts';
export { deleteOldAlerts, type SendAlertsDependencies, sendDueAlerts } from './alerts/send-alerts.ts';
export {
  type AlertDependencies,
  createAlert,
  deleteAlert,
  listAlerts,
  showAlert,
  updateAlert,
} from './alerts/use-cases.ts';
export { type AuditFilter, type AuditPosition, type AuditTrail, MAX_AUDIT_BYTES } from './audit/audit-trail.ts';
export {
  type Actor,
  type AuditAction,
  type AuditChange,
  type AuditEntry,
  type Author,
  type Authored,
  COMMAND_LINE,
} from './audit/entry.ts';
export { listChanges } from './audit/list-changes.ts';
export { canPutBack, putBack } from './audit/put-back.ts';
export type { BackupEnd, BackupPart, BackupTable } from './backup/backup.ts';
export {
  AliasTaken,
  DomainError,
  type DomainErrorCode,
  echoedName,
  type Fault,
  type FaultCode,
  InvalidFields,
  MAX_FAULTS,
  NameTaken,
  SegmentInUse,
  UrlTaken,
  unavailable,
} from './errors.ts';
export { groupBy } from './group-by.ts';
export type { IdempotencyRecord } from './idempotency/idempotency-record.ts';
export type { IdempotencyRepository } from './idempotency/idempotency-repository.ts';
export type { Job } from './job.ts';
export type { Log } from './log.ts';
export { isUnavailable, MONOTONIC_CLOCK, RETRY_MS, untilAvailable } from './outage.ts';
export { LEASE_MS } from './queue/do-tasks.ts';
export type {
  ClaimedTask,
  TaskKind,
  TaskQueue,
  TaskRecord,
} from './queue/task-queue.ts';
export { readUrl } from './read-url.ts';
export { rememberingStrings, standalone } from './remembered.ts';
export { type Mailer, MailFailed, type NoticeMail, type NoticeRow, type ReportMail } from './reports/mailer.ts';
export type { ReportOutbox, ReportRecipient } from './reports/outbox.ts';
export { makeReport, REPORT_LISTS, type Report, type ReportGoal } from './reports/report.ts';
export type { SecretRepository } from './reports/secret-repository.ts';
export {
  deleteOldReports,
  latestReportFailure,
  messageIdOf,
  type ReportEvent,
  type ReportFailure,
  type ReportLinks,
  type ReportMailing,
  type SendReportsDependencies,
  sendDueReports,
} from './reports/send-reports.ts';
export { sendTestReport } from './reports/test-report.ts';
export {
  findSubscription,
  type SubscriptionDependencies,
  type UnsubscribeDependencies,
  unsubscribe,
  unsubscribeToken,
} from './reports/unsubscribe.ts';
export { isoWeekOf, lastFullWeek, previousWeek, readWeek, type Week } from './reports/week.ts';
export type { Repositories } from './repositories.ts';
export {
  type Annotation,
  type AnnotationFields,
  type AnnotationInput,
  MAX_ANNOTATIONS,
  parseAnnotationChanges,
  parseNewAnnotation,
  tooManyAnnotations,
} from './sharing/annotation.ts';
export type { AnnotationRepository } from './sharing/annotation-repository.ts';
export {
  type AnnotationDependencies,
  createAnnotation,
  createAnnotationOnce,
  deleteAnnotation,
  listAnnotations,
  updateAnnotation,
} from './sharing/annotation-use-cases.ts';
export {
  entranceOf,
  hashToken,
  type LinkInput,
  MAX_LINKS,
  parseNewLink,
  type SharedLink,
  tooManyLinks,
} from './sharing/link.ts';
export type { LinkRepository } from './sharing/link-repository.ts';
export { createLink, type LinkDependencies, listLinks, revokeLink } from './sharing/link-use-cases.ts';
export { compareBytes, compareStrings } from './statistics/byte-order.ts';
export {
  addDays,
  addMonths,
  COMPARISONS,
  type Comparison,
  comparedPeriod,
  type Day,
  daysBetween,
  daysOf,
  defaultInterval,
  INTERVALS,
  type Interval,
  isDay,
  MAX_DAYS_OF_HOURS,
  MAX_PERIOD_DAYS,
  namedPeriod,
  PERIOD_NAMES,
  type Period,
  type PeriodName,
  readPeriod,
  startOfMonth,
  startOfWeek,
} from './statistics/calendar/days.ts';
export {
  dayOf,
  endOfDay,
  formatWithOffset,
  hoursOf,
  instantOf,
  lastDayOnEarth,
  startOfDay,
  startOfHour,
  type TimeZone,
  timeZone,
  zoneOf,
} from './statistics/calendar/time-zone.ts';
export { readReferrer } from './statistics/collecting/attribution.ts';
export {
  type CollectDependencies,
  collectHits,
  collectHitsOnce,
  type FindSettings,
  type SentHit,
  UnknownWebsites,
} from './statistics/collecting/collect-hits.ts';
export {
  type CountingSettings,
  compileSettings,
  countHit,
  DROP_RULES,
  isPageOf,
} from './statistics/collecting/count-hit.ts';
export { type Explanation, explainHit } from './statistics/collecting/explain-hit.ts';
export { fitName, fitProps, hostAndPath } from './statistics/collecting/fit-event.ts';
export { campaignIn, type RemovedParameter, readPagePath } from './statistics/collecting/page-url.ts';
export { type HitFields, type HitInput, readHit } from './statistics/collecting/read-hit.ts';
export { readServerHit } from './statistics/collecting/read-server-hit.ts';
export { createVisitors, type Visitors } from './statistics/collecting/visitors.ts';
export { createWaitingHits, MAX_WAIT_MS, type WaitingHits } from './statistics/collecting/waiting-hits.ts';
export {
  type Contents,
  DEFINITION_LIMITS,
  type Definition,
  type DefinitionChanges,
  type DefinitionKind,
  type FunnelContent,
  type FunnelStep,
  type GoalContent,
  type NewDefinition,
  tooManyDefinitions,
} from './statistics/definitions/definition.ts';
export type { DefinitionRepository } from './statistics/definitions/definition-repository.ts';
export {
  type FunnelInput,
  funnelInputOf,
  parseFunnelChanges,
  parseNewFunnel,
  STEP_LIMITS,
  type StepInput,
} from './statistics/definitions/funnels.ts';
export { type GoalInput, goalInputOf, parseGoalChanges, parseNewGoal } from './statistics/definitions/goals.ts';
export {
  countedGoal,
  namedGoals,
  resolveQuestion,
  segmentFaults,
  unknownGoal,
} from './statistics/definitions/question.ts';
export type { RuleInput } from './statistics/definitions/read-rule.ts';
export {
  parseNewSegment,
  parseSegmentChanges,
  type SegmentInput,
  segmentInputOf,
} from './statistics/definitions/segments.ts';
export {
  createDefinition,
  createDefinitionOnce,
  type DefinitionDependencies,
  deleteDefinition,
  listDefinitions,
  showDefinition,
  updateDefinition,
} from './statistics/definitions/use-cases.ts';
export {
  CARDS,
  DIMENSION_TABLE,
  DIMENSIONS,
  type Dimension,
  FIRST_HIT_DIMENSIONS,
  type FirstHitDimension,
  firstHitValue,
  HIT_STRINGS,
  MAX_VALUES_PER_DAY,
  mapDimensions,
  OTHER_VALUES,
} from './statistics/dimensions.ts';
export {
  type DaySum,
  dimensionsWithout,
  MAX_VALUES_PER_IMPORTED_DAY,
  type SumKind,
} from './statistics/engine/day-sum.ts';
export type {
  ConversionsBy,
  ConvertedRow,
  CountedGoal,
  EventProperty,
  GoalNumbers,
  QuestionReads,
  StepNumbers,
} from './statistics/engine/question-reads.ts';
export type {
  RebuildProgress,
  RebuildScope,
  StatisticsEngine,
  StatisticsMaintenance,
} from './statistics/engine/statistics-engine.ts';
export type { StatisticsHistory } from './statistics/engine/statistics-history.ts';
export {
  areVisitorsAtMost,
  GAPS,
  knownVisits,
  NO_TOTALS,
  type Overview,
  type SeriesPoint,
  type StatisticsQuery,
  type StatisticsRepository,
  sumTotals,
  type TopValue,
  type TopValues,
  type Totals,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
} from './statistics/engine/statistics-repository.ts';
export { type ForgetWebsiteDependencies, forgetDeletedWebsite } from './statistics/forget-deleted-website.ts';
export {
  bareDetails,
  CHANNELS,
  type CountedHit,
  type Crawler,
  DEVICES,
  type Device,
  DROP_REASONS,
  type DropReason,
  HIT_LIMITS,
  type Hit,
  type HitDetails,
  type HitLookups,
  type PropertyValue,
  PURPOSES,
  type Purpose,
  REFERRER_CHANNELS,
  type ReferrerChannel,
} from './statistics/hit.ts';
export { ImportOverlap, InvalidFile } from './statistics/imports/errors.ts';
export {
  ACCESS_LOG,
  IMPORT_FORMATS,
  type Import,
  type ImportCounts,
  type ImportedLogs,
  type ImportFormat,
  type ImportProblem,
  NO_IMPORT_COUNTS,
  type ReadLog,
  SKIP_REASONS,
  type SkippedRows,
} from './statistics/imports/import.ts';
export { importLogs, type LogsToImport, type WebsiteOfLog } from './statistics/imports/import-logs.ts';
export {
  IMPORT_LEASE_MS,
  type ImportedDay,
  type ImportRepository,
  MAX_RUNNING_IMPORTS,
} from './statistics/imports/import-repository.ts';
export type {
  ImportFileOptions,
  ImportFiles,
  ImportRow,
  ImportSource,
  LogSource,
  RowSource,
  SumRow,
  SumSource,
} from './statistics/imports/import-source.ts';
export {
  type AskedOfDays,
  daysWithout,
  type ImportedPeriod,
  importedPeriods,
} from './statistics/imports/imported-periods.ts';
export { createImporter, type FileImportOptions, type Importer } from './statistics/imports/importer.ts';
export { overlapOn } from './statistics/imports/judge-row.ts';
export { daysOfOtherImports } from './statistics/imports/log-content.ts';
export { firstCollectedDay } from './statistics/imports/open-content.ts';
export {
  addImport,
  endAbandonedImport,
  type ImportDependencies,
  type ImportProgress,
  previewImport,
  runImport,
} from './statistics/imports/run-import.ts';
export { deleteImport, listImports, showImport } from './statistics/imports/use-cases.ts';
export {
  CRAWLER_LISTS,
  type CrawlerHits,
  type CrawlerList,
  type CrawlerRepository,
  type CrawlerSums,
  type CrawlerValues,
  MAX_CRAWLER_VALUES,
} from './statistics/journal/crawlers.ts';
export type { DroppedHitsRepository } from './statistics/journal/dropped-hits.ts';
export type { CollectedHits, HitBatchRecord, HitBatchRepository } from './statistics/journal/hit-batch.ts';
export type {
  Backlog,
  DayOfImport,
  HandOverEvent,
  HitJournal,
  JournalledHit,
  JournalledImport,
  JournalledWebsite,
  WaitingBatches,
  WrittenHit,
} from './statistics/journal/hit-journal.ts';
export {
  type DroppedHits,
  type HitRepository,
  OutcomeUnknown,
  type Patience,
} from './statistics/journal/hit-repository.ts';
export type { Journal } from './statistics/journal/journal.ts';
export { type LogBatch, type LogCheckpoint, type LogRepository, MAX_LOG_NAME } from './statistics/journal/logs.ts';
export type { SaltRepository } from './statistics/journal/salts.ts';
export { LEFT_OUT } from './statistics/logs/left-out.ts';
export type { LogFiles, LogLine, OpenLogs, ReadableLogFile } from './statistics/logs/log-files.ts';
export { notesOf } from './statistics/logs/log-notes.ts';
export { IDENTIFYING_BYTES, type LogFile } from './statistics/logs/log-place.ts';
export { type LogRequest, NO_REQUEST, type ReadLogLine } from './statistics/logs/log-request.ts';
export {
  type LineReason,
  LogConflict,
  type LogDependencies,
  type LogSummary,
  type LogWebsite,
  newLogSummary,
  patientLogs,
  readLog,
} from './statistics/logs/read-log.ts';
export { endMove, type MoveDependencies, moveStatistics } from './statistics/moving/move-statistics.ts';
export type {
  ArrivingHits,
  MovedHit,
  MovedSum,
  StatisticsStore,
  StoredSummary,
  VisitorDay,
  WebsiteDay,
} from './statistics/moving/statistics-store.ts';
export {
  addDecimals,
  conversionsOf,
  type Decimal,
  readDecimal,
  stepsReached,
  sumOfProperty,
} from './statistics/questions/conversions.ts';
export {
  allOf,
  type Comparator,
  compileComparison,
  compileFilters,
  type DimensionFilter,
  FILTER_LIMITS,
  type Filter,
  type FilterSet,
  type GoalRules,
  MATCHES,
  type Match,
  type PropertyFilter,
  spelledAsStored,
  valueFilter,
} from './statistics/questions/filters.ts';
export {
  echoedParameter,
  type FilterParameters,
  OPERATORS,
  parameterOf,
  parameterValuesOf,
  type ReadFilters,
  readFilters,
} from './statistics/questions/read-filters.ts';
export {
  compilePattern,
  compileRule,
  foldAscii,
  type HitRule,
  partsOfPattern,
  textOf,
} from './statistics/questions/rules.ts';
export { canView, type View, type Viewer } from './statistics/reading/can-view.ts';
export { type Compared, type ComparedDays, cutDay, isNothing, showCompared } from './statistics/reading/compare.ts';
export {
  type Converted,
  showConvertedTotals,
  showPointConversions,
  showValueConversions,
} from './statistics/reading/show-conversions.ts';
export {
  CRAWLER_INTERVALS,
  defaultCrawlerInterval,
  shareOf4xx,
  showCrawlerSeries,
  showCrawlers,
} from './statistics/reading/show-crawlers.ts';
export { ratedGoals, type ShownGoal, type ShownStep, showFunnel, showGoals } from './statistics/reading/show-goals.ts';
export {
  type Point,
  ratesOf,
  ratio,
  type ShownOverview,
  showCurrentVisitors,
  showOverview,
  showSeries,
} from './statistics/reading/show-statistics.ts';
export { valuesOf } from './statistics/visits/values.ts';
export { VISIT_GAP_MS, type Visit, visitsOf } from './statistics/visits/visits.ts';
export type { Precondition, Versioned } from './versions.ts';
export { type DeliverDependencies, deleteOldDeliveries, deliverDue } from './webhooks/deliver.ts';
export {
  type ChangedWebsite,
  type EventOfWebsite,
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookEventData,
  type WebhookEventType,
} from './webhooks/event.ts';
export { isPrivateAddress } from './webhooks/private-address.ts';
export {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  retryDelivery,
  showWebhook,
  testWebhook,
  updateWebhook,
  type WebhookDependencies,
} from './webhooks/use-cases.ts';
export {
  changeWebhook,
  MAX_WEBHOOK_URL_BYTES,
  MAX_WEBHOOK_WEBSITES,
  MAX_WEBHOOKS,
  parseNewWebhook,
  parseWebhookChanges,
  shownUrl,
  tooManyWebhooks,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookFormat,
  type WebhookInput,
  webhookHost,
} from './webhooks/webhook.ts';
export { type WebhookClient, type WebhookMessage, WebhookUnreachable } from './webhooks/webhook-client.ts';
export type {
  Attempt,
  ClaimedDelivery,
  Delivery,
  DeliveryState,
  WebhookOutbox,
} from './webhooks/webhook-outbox.ts';
export type { WebhookRepository } from './webhooks/webhook-repository.ts';
export {
  createWebsite,
  createWebsiteOnce,
  type WebsiteDependencies,
} from './website/create-website.ts';
export type { DeletedWebsites } from './website/deleted-websites.ts';
export { addressesNamed, findByName, findOwnWebsite } from './website/names.ts';
export type { PageLocks } from './website/page-locks.ts';
export type { PasswordHasher } from './website/password-hasher.ts';
export {
  DEFAULT_SETTINGS,
  LIST_SETTINGS,
  MAX_LISTED_BYTES,
  type Privacy,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  settingsFrom,
  storedNameOf,
  type WebsiteSettings,
} from './website/settings.ts';
export {
  deleteWebsite,
  listWebsites,
  showWebsite,
  updateWebsite,
} from './website/use-cases.ts';
export {
  type NewWebsite,
  parseNewWebsite,
  parseWebsiteChanges,
  type Website,
  type WebsiteChanges,
  type WebsiteInput,
  websiteNotFound,
} from './website/website.ts';
export type { DirectoryEntry, Names, WebsiteDirectory } from './website/website-directory.ts';
export type { WebsiteKey } from './website/website-key.ts';
export {
  COUNT_LIMIT,
  type CursorPosition,
  type Found,
  type PageRequest,
  toPage,
  type Walk,
  type WebsiteFilter,
  type WebsitePage,
  walksOf,
} from './website/website-page.ts';
export type { WebsiteRepository } from './website/website-repository.ts';
export { addressOf, foldCase, readWebsiteUrl, searchTextOf, withOrWithoutWww } from './website/website-url.ts';
export { readZoneName, TIME_ZONE_NAMES } from './website/website-zone.ts';
