// How to add a face: see Face.
export { createKeyCache, createKeyUse, type KeyCache, type KeyUse } from './api-keys.ts';
export { BODY_LIMIT, decodeBodies, decodeJsonBodies, decodeQueries, ignoreBodies, type Pairs } from './bodies.ts';
export { clientNetwork, readAddress } from './client-address.ts';
export {
  CSV_TYPE,
  type ListName,
  MAX_CSV_ROWS,
  seriesCsv,
  type ValueColumn,
  valueCell,
  valueColumns,
  valuesCsv,
} from './csv.ts';
export type { Documentation } from './documentation.ts';
export { isNotModified, readEntityTags } from './entity-tags.ts';
export type { Face, Lifecycle } from './face.ts';
export type { Tls } from './node-server.ts';
export { createMetrics, type GaugeSource, logRequests, type Metrics } from './observability.ts';
export {
  accountHeaders,
  accountProblemResponses,
  accountResponse,
  exampleOf,
  Problem,
  problemResponses,
  requestIdHeader,
} from './problem-schema.ts';
export {
  HttpProblem,
  InvalidRequest,
  PROBLEMS,
  type ProblemCode,
  type WireFault,
  type WireFaultCode,
} from './problems.ts';
export {
  type AccountLimit,
  type Allowance,
  createAccountLimit,
  createFailedKeyLimit,
  createTokenBuckets,
  type FailedKeyLimit,
  type TokenBuckets,
} from './rate-limits.ts';
export { countHeaders, forbidCaching } from './request-checks.ts';
export { describeError, type ProblemDetails, prepareProblem, sendDetails, sendProblem } from './send-problem.ts';
export { createServer, type ServerDependencies } from './server.ts';
export { HTTP_TIMEOUTS } from './timeouts.ts';
export { fieldNameOf, PRIVACIES, PRIVACY_NUMBERS, splitLines } from './website-fields.ts';
