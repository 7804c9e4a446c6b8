import { formatAddress } from '@hitherto/domain/format';
import { showWebsite, type Website, type WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyRequest } from 'fastify';
import { headerOf } from '../shared/header.ts';
import { WEBSITE_PAGES, type WebsitePage } from '../shared/paths.ts';
import { mayWrite, viewerOf } from './session.ts';
import { pagesOf } from './website-pages.ts';

/** A request whose path names a website. */
export type ById = { Params: { id: string } };

/** The website in the path; another account's counts as absent. */
export function websiteOf(
  deps: Pick<WebsiteDependencies, 'websites'>,
  request: FastifyRequest<ById>,
): Promise<Website> {
  return showWebsite(deps, viewerOf(request), request.params.id.toLowerCase());
}

/** The frame of each page of a website. */
export function frameOf(request: FastifyRequest, website: Website, page: WebsitePage) {
  const { id, url } = website;
  return {
    header: headerOf(request),
    website: { id, address: formatAddress(url) },
    others: request.others.filter((other) => other.id !== id),
    page,
    pages: pagesOf(request, WEBSITE_PAGES),
    canWrite: mayWrite(request),
  };
}
