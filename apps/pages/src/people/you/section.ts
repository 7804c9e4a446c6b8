import type { Fault } from '@hitherto/domain/base';
import { isOfKey, type SignedInPerson } from '@hitherto/domain/people';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { signedInOf } from '../../owner/session.ts';

/** A form that is shown again: what it said, and what was wrong. */
export interface Said {
  readonly values: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
  /** What this response alone shows. */
  readonly once?: string;
}

/** A part of `/you`, with the routes of its forms. */
export interface YouSection {
  /** Where its forms are sent, or what their addresses begin with. */
  readonly path: string;
  /** @param said what its own form said */
  readonly show: (request: FastifyRequest, said: Said) => VNode | Promise<VNode | null>;
  readonly routes: (scope: FastifyInstance, send: SendYou) => void;
}

/** Sends the whole page. */
export type SendYou = (request: FastifyRequest, reply: FastifyReply, said?: Said) => Promise<FastifyReply>;

/** The person who is signed in. */
export function personOf(request: FastifyRequest): SignedInPerson {
  const signedIn = signedInOf(request);
  if (isOfKey(signedIn)) throw new Error('This route is for people.');
  return signedIn;
}
