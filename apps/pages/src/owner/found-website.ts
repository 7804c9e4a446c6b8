import { formatAddress } from '@hitherto/domain/format';
import { showWebsite, type Website, type WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyRequest } from 'fastify';
import type { WebsitePage } from '../shared/paths.ts';
import { keyOf, mayWrite } from './session.ts';

/** A request whose path names a website. */
export type ById = { Params: { id: string } };

/** The website in the path; another account's counts as absent. */
export function websiteOf(
  deps: Pick<WebsiteDependencies, 'websites'>,
  request: FastifyRequest<ById>,
): Promise<Website> {
  return showWebsite(deps, keyOf(request), request.params.id.toLowerCase());
}

/** The frame of each page of a website. */
export function frameOf(request: FastifyRequest, website: Website, page: WebsitePage) {
  const { id, url } = website;
  return { website: { id, address: formatAddress(url) }, page, canWrite: mayWrite(request) };
}
