import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './problems.ts';

/** The bodies that a route accepts. */
export interface TakenBodies {
  readonly types: readonly string[];
  /** The most bytes. */
  readonly limit: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly takenBodies?: TakenBodies;
  }
}

/** The problem of a body whose type or encoding the route does not accept. */
export function unsupportedType(request: FastifyRequest): HttpProblem {
  const types = request.routeOptions.config.takenBodies?.types.join(' or ');
  const detail = `Send ${types}, in UTF-8, with a matching "Content-Type" and without a "Content-Encoding".`;
  return new HttpProblem('unsupported_media_type', types && detail);
}

/** The problem of a body with more bytes than the route accepts. */
export function bodyTooLarge(request: FastifyRequest): HttpProblem {
  const limit = request.routeOptions.config.takenBodies?.limit.toLocaleString('en');
  return new HttpProblem('payload_too_large', limit && `A body may have at most ${limit} bytes here.`);
}
