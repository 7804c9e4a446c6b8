import { dayOf, namedPeriod, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { DEFINITION_TYPES, type Definition, type DefinitionKind } from '@hitherto/domain/definitions';
import { showResource } from '@hitherto/domain/resources';
import type { Website, WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import { type ById, websiteOf } from '../found-website.ts';
import { accountOf } from '../session.ts';
import type { DefinitionPages, DefinitionSources, RecentDays } from './definition-pages.ts';

export interface DefinitionRoutesDependencies
  extends DefinitionSources,
    Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'> {
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The paths of a definition and its pages. */
export type One = { Params: { id: string; definition: string } };

export interface OpenedWebsite extends RecentDays {
  readonly shown: Website;
}

/** The website in the path, if it is the owner's. */
export async function openWebsite(
  deps: DefinitionRoutesDependencies,
  request: FastifyRequest<ById>,
): Promise<OpenedWebsite> {
  const shown = await websiteOf(deps, request);
  const period = namedPeriod('28d', dayOf(zoneOf(shown, deps.zone), deps.now()));
  const website = { accountId: accountOf(request), websiteId: shown.id };
  return { shown, website, query: { websiteId: shown.id, ...period, filters: [] } };
}

/** The definition in the path. */
export function storedOne<Kind extends DefinitionKind>(
  deps: DefinitionSources,
  kind: Kind,
  { website }: OpenedWebsite,
  request: FastifyRequest<One>,
): Promise<Definition<Kind>> {
  return showResource(deps, DEFINITION_TYPES[kind], website, request.params.definition.toLowerCase());
}

/** A definition in words. */
export async function summaryOf<Kind extends DefinitionKind, Aids>(
  deps: DefinitionSources,
  { summarize }: DefinitionPages<Kind, Aids>,
  { website }: OpenedWebsite,
  definition: Definition<Kind>,
): Promise<JSX.Element | undefined> {
  const [summary] = await summarize(deps, website, [definition]);
  return summary;
}
