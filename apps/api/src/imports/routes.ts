import { isDay } from '@hitherto/domain/calendar';
import {
  deleteImport,
  type FileImportOptions,
  type ImportDependencies,
  type Importer,
  listImports,
  showImport,
} from '@hitherto/domain/imports';
import { readZoneName, showWebsite } from '@hitherto/domain/websites';
import { type AccountLimit, allowSlowResponse, InvalidRequest, ignoreBodies, type WireFault } from '@hitherto/http';
import type { Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf, viewerOf, websiteOf } from '../requests/authentication.ts';
import { shapeFaults } from '../requests/input.ts';
import { acceptFiles, receiveInPlace } from './receive.ts';
import * as documented from './route-schemas.ts';
import { type ImportQuery, toImportResource, toPreviewResource } from './schemas.ts';

export interface ImportRouteDependencies
  extends Pick<ImportDependencies, 'imports' | 'staging' | 'websites' | 'now' | 'newId'> {
  readonly importer: Importer;
}

type Params = { readonly id: string; readonly import_id: string };
type Query = Static<typeof ImportQuery>;

const ALL = '/api/v1/websites/:id/imports';
const ONE = `${ALL}/:import_id`;

/** Imports of files (imports.md, "The API"), in the authenticated scope. */
export function importRoutes(
  app: FastifyInstance,
  deps: ImportRouteDependencies,
  accountLimit: AccountLimit | undefined,
): void {
  const idOf = ({ params }: FastifyRequest<{ Params: Params }>) => params.import_id.toLowerCase();

  app.get<{ Params: Params }>(ALL, { schema: documented.list }, async (request) => ({
    data: (await listImports(deps, websiteOf(request))).map(toImportResource),
  }));

  app.get<{ Params: Params }>(ONE, { schema: documented.show }, async (request) => ({
    data: toImportResource(await showImport(deps, websiteOf(request), idOf(request))),
  }));

  app.register(async (uploading) => {
    acceptFiles(uploading);

    uploading.post<{ Params: Params; Querystring: Query }>(
      ALL,
      { schema: documented.create, config: { mergesFaults: true } },
      async (request, reply) => {
        const website = websiteOf(request);
        const options = optionsOf(request.query, shapeFaults(request));
        await showWebsite(deps, viewerOf(request), website.websiteId);
        const file = await receiveInPlace(deps.importer, website.accountId, request, accountLimit);
        if (request.query.dry_run === 1) {
          const { format, counts } = await deps.importer.preview(website, file, options).finally(file.remove);
          return { data: toPreviewResource(format, counts) };
        }
        const author = { author: authorOf(request) };
        const { imported, isNew } = await deps.importer.start(author, website, file, options, file.remove);
        const path = ONE.replace(':id', website.websiteId).replace(':import_id', imported.id);
        return reply
          .code(isNew ? 202 : 200)
          .header('location', path)
          .send({ data: toImportResource(imported) });
      },
    );
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);
    deleting.delete<{ Params: Params }>(ONE, { schema: documented.remove }, async (request, reply) => {
      allowSlowResponse(request.raw);
      await deleteImport({ ...deps, author: authorOf(request) }, websiteOf(request), idOf(request));
      return reply.code(204).send();
    });
  });
}

/** The options of a request. Throws `InvalidRequest` with the faults of the shape and of the values. */
function optionsOf(query: Query, shape: readonly WireFault[]): FileImportOptions {
  const { format = 'auto', until, keep_going: keepGoing } = query;
  const isSound = (name: string) => !shape.some(({ field }) => field === name);
  const faults: WireFault[] = [...shape];
  if (until !== undefined && isSound('until') && !isDay(until)) {
    faults.push({ field: 'until', code: 'not_allowed', detail: 'A day must be written as 2026-11-01.' });
  }
  const zone = isSound('time_zone') ? readZoneName(query.time_zone ?? null) : { value: null };
  if ('fault' in zone) faults.push({ field: 'time_zone', ...zone.fault });
  if (faults.length > 0) throw new InvalidRequest(faults);
  return {
    format,
    keepGoing: keepGoing === 1,
    ...(until === undefined ? {} : { until }),
    ...('value' in zone && zone.value !== null ? { timeZone: zone.value } : {}),
  };
}
