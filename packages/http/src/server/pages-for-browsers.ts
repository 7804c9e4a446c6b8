import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type ProblemCode, problemCodeOf } from '../problems/problems.ts';
import type { Face } from './face.ts';

/** Whether a person looks at the response: browsers prefer HTML; other clients have no preference, or send a key. */
export function isForBrowser(request: FastifyRequest): boolean {
  if (request.headers.authorization !== undefined) return false;
  const types = ['application/problem+json', 'application/json', 'text/html'];
  return new Negotiator(request).mediaType(types) === 'text/html';
}

/** The problems of addresses that a person may have typed or followed. */
const OF_ADDRESSES: ReadonlySet<ProblemCode> = new Set(['not_found', 'method_not_allowed']);

/** The face whose `sendError` responds to an error of `face`: browsers get pages where there is nothing at an address. */
export function faceOfError(faces: readonly Face[], face: Face, error: unknown, request: FastifyRequest): Face {
  if (!OF_ADDRESSES.has(problemCodeOf(error)) || !isForBrowser(request)) return face;
  return faces.find(({ hasErrorPages }) => hasErrorPages) ?? face;
}
