// How to add a face: see Face.

export { createKeyCache, createKeyUse, type KeyUse } from './limits/api-keys.ts';
export { auditOrigin, clientNetwork, readAddress } from './limits/client-address.ts';
export {
  type AccountLimit,
  type Allowance,
  createAccountLimit,
  createFailedKeyLimit,
  createTokenBuckets,
  type FailedKeyLimit,
} from './limits/rate-limits.ts';
export { unsupportedType } from './problems/body-problems.ts';
export {
  accountHeaders,
  accountProblemResponses,
  accountResponse,
  exampleOf,
  Problem,
  problemResponses,
  requestIdHeader,
} from './problems/problem-schema.ts';
export {
  HttpProblem,
  InvalidRequest,
  PROBLEMS,
  type ProblemCode,
  type WireFault,
  type WireFaultCode,
} from './problems/problems.ts';
export {
  describeError,
  prepareProblem,
  sendDetails,
  sendProblem,
} from './problems/send-problem.ts';
export {
  BODY_LIMIT,
  decodeBodies,
  decodeForms,
  decodeJsonBodies,
  decodeQueries,
  ignoreBodies,
  type Pairs,
} from './server/bodies.ts';
export { compressTexts } from './server/compress-texts.ts';
export { allowSlowBody, allowSlowResponse } from './server/connections.ts';
export type { Documentation } from './server/documentation.ts';
export { isNotModified, readEntityTags } from './server/entity-tags.ts';
export type { Face, Lifecycle } from './server/face.ts';
export { addFastRoute, type FastRoute, type Sender } from './server/fast-path.ts';
export { type FixedContent, serveFixed } from './server/fixed-content.ts';
export type { Tls } from './server/node-server.ts';
export { createMetrics, type GaugeToRead, logRequests, type Metrics } from './server/observability.ts';
export { isForBrowser } from './server/pages-for-browsers.ts';
export {
  makeFileFolder,
  type ReceivedFile,
  receiveFile,
  rejectFullDisk,
  removeAbandonedFolders,
} from './server/receive-file.ts';
export { assertPrepared, countHeaders, forbidCaching, requirePrepared } from './server/request-checks.ts';
export { createServer } from './server/server.ts';
export { HTTP_TIMEOUTS } from './server/timeouts.ts';
