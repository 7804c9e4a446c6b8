import { may } from '@hitherto/domain/access';
import { type SignedIn, viewersOf } from '@hitherto/domain/people';
import type { FastifyRequest } from 'fastify';
import { localeFor } from './locale.tsx';
import { type Who, whoOf } from './who.ts';

/** What the header of each page of somebody who is signed in says, and where it leads; the footer tells the version. */
export interface Header {
  readonly who: Who;
  readonly hasWebhooks: boolean;
  /** The accounts whose people they manage. */
  readonly owned: readonly string[];
  readonly version: string;
}

/** Throws where nobody is signed in. */
export function headerOf(request: FastifyRequest): Header {
  const { signedIn } = request;
  if (signedIn === null) throw new Error('Nobody is signed in.');
  return headerFor(request, signedIn);
}

export function headerFor(request: FastifyRequest, signedIn: SignedIn): Header {
  const viewers = viewersOf(signedIn);
  return {
    who: whoOf(localeFor(request), signedIn),
    hasWebhooks: viewers.some((viewer) => may(viewer, 'see_webhooks')),
    owned: viewers.filter((viewer) => may(viewer, 'manage_account')).map(({ accountId }) => accountId),
    version: request.version,
  };
}
