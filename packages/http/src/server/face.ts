import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * A part of the service with its own routes: the API, the collector, the pages. Serve faces with
 * `createServer(deps, [api, collector, pages])`; a test serves one alone.
 *
 * The server does this for every face: framing checks, `x-request-id`, `nosniff`, timeouts, metrics by route, graceful shutdown.
 * A path has one spelling, without unnecessary escapes or a trailing slash. HEAD works where GET does. OPTIONS on a known
 * path is 204 with `Allow`, unless the face has its own OPTIONS route (for CORS, say). An unsupported method on a known path
 * reaches `sendError` of its face as the problem `method_not_allowed`, whose headers include `allow`. An unknown path
 * reaches `sendError` of a face whose paths begin like it, otherwise of the first face.
 *
 * The face does the rest, in `register`:
 * - Bodies are discarded unless the scope has content type parsers: `decodeBodies`, or its own parsers with a `bodyLimit`.
 * - `request.query` is the undecoded query unless the scope calls `decodeQueries`.
 * - Cache headers, CORS, authentication and rate limits are hooks of the scope.
 * - Requests are not logged unless the scope calls `logRequests`.
 */
export interface Face {
  /** Adds routes and hooks to the face's own scope. */
  readonly register: (scope: FastifyInstance) => void | Promise<void>;
  /**
   * Renders an error. `sendProblem` renders problem details; `prepareProblem` sets status and headers, and returns the problem, for a
   * page to show. Hooks may not have run yet, so set every header that the face's errors need here.
   */
  readonly sendError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  /** Whether its errors are pages. Browsers get them, instead of another face's, where there is nothing to show. */
  readonly hasErrorPages?: boolean;
}

/** Where a service is between its start and its end. It changes while faces serve. */
export interface Lifecycle {
  /** Whether the database has been migrated; it must not be queried before. */
  readonly isPrepared: boolean;
  /** Whether the service is stopping: then `/readyz` returns 503, and everything else is served. */
  readonly isStopping: boolean;
}
