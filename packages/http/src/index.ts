// How to add a face: see Face.
export {
  BODY_LIMIT,
  decodeBodies,
  decodeJsonBodies,
  decodeQueries,
  discardBody,
  ignoreBodies,
  type Pairs,
} from './bodies.ts';
export { clientNetwork, readAddress, trustProxies } from './client-address.ts';
export { CSV_TYPE, type CsvCell, writeCsv } from './csv.ts';
export type { Documentation } from './documentation.ts';
export type { Face } from './face.ts';
export { countHeaders } from './headers.ts';
export { InvalidRequest, type WireFault, type WireFaultCode } from './invalid-request.ts';
export { createKeyCache, type KeyCache } from './key-cache.ts';
export { createKeyUse, type KeyUse } from './key-use.ts';
export { logRequests } from './log-requests.ts';
export { createMetrics, type GaugeSource, type Metrics } from './metrics.ts';
export type { Tls } from './node-server.ts';
export type { ProblemDetails } from './problem-details.ts';
export {
  accountProblemResponses,
  allowanceHeaders,
  exampleOf,
  Problem,
  problemResponses,
  requestIdHeader,
} from './problem-schema.ts';
export { HttpProblem, PROBLEMS, type ProblemCode } from './problems.ts';
export { type AccountLimit, createAccountLimit, createFailedKeyLimit, type FailedKeyLimit } from './rate-limits.ts';
export { describeError, prepareProblem, sendDetails, sendProblem } from './send-problem.ts';
export { createServer, type ServerDependencies } from './server.ts';
export { HTTP_TIMEOUTS } from './timeouts.ts';
export { type Allowance, createTokenBuckets, type TokenBuckets } from './token-bucket.ts';
