import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * A part of the service with routes of its own: the API, the collector, the pages. Serve faces with
 * `createServer(deps, [api, collector, pages])`; a test serves one alone.
 *
 * The server does this for every face: framing checks, `x-request-id`, `nosniff`, timeouts, metrics by route, graceful shutdown.
 * A path has one spelling: neither escapes that are not needed nor a trailing slash. HEAD works where GET does. OPTIONS on
 * a known path is 204 with `Allow`, unless the face has an OPTIONS route of its own (for CORS, say). A method that a known path
 * does not have reaches `sendError` of its face as the problem `method_not_allowed`, whose headers hold `allow`. An unknown
 * path reaches `sendError` of the first face.
 *
 * The face does this itself, in `register`:
 * - Bodies are discarded unless the scope has content type parsers: `decodeBodies`, or parsers with a `bodyLimit` of its own.
 * - `request.query` holds the undecoded query unless the scope calls `decodeQueries`.
 * - Cache headers, CORS, authentication and rate limits are hooks of the scope.
 * - Nothing is logged for a request unless the scope calls `logRequests`.
 */
export interface Face {
  /** Adds the routes and hooks to a scope that belongs to this face alone. */
  readonly register: (scope: FastifyInstance) => void | Promise<void>;
  /**
   * Renders an error. `sendProblem` renders problem details; `prepareProblem` sets status and headers, and returns what a page
   * can show. A hook may not have run yet: set here what the errors of the face need.
   */
  readonly sendError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}
