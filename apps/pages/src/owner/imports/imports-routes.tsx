import { DomainError } from '@hitherto/domain/base';
import { isDay } from '@hitherto/domain/calendar';
import {
  deleteImport,
  type FileImportOptions,
  IMPORT_FORMATS,
  type ImportDependencies,
  type Importer,
  listImports,
} from '@hitherto/domain/imports';
import { readZoneName, type WebsiteDependencies, type WebsiteKey } from '@hitherto/domain/websites';
import { allowSlowResponse, type ReceivedFile } from '@hitherto/http';
import type { Words } from '@hitherto/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { importPath, startImportPath, websitePath } from '../../shared/paths.ts';
import { type ById, frameOf, websiteOf } from '../found-website.ts';
import { accountOf, authorOf, requireWriteScope } from '../session.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import type { HeldFiles } from './held-files.ts';
import { ImportsList, Preview, type RejectedUpload, UploadForm } from './imports-page.tsx';
import { placeOf, readUpload, sentenceOf, TAKEN_UPLOADS } from './uploads.ts';

type ImportWords = Words['imports'];

export interface ImportRoutesDependencies
  extends Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'>,
    Pick<ImportDependencies, 'imports' | 'staging'> {
  readonly importer: Importer;
}

const PATH = websitePath(':id', 'imports');

/** Imports of a website (docs/imports.md): the list, the start after a preview, and taking out; the scope has a session. */
export function importRoutes(scope: FastifyInstance, deps: ImportRoutesDependencies, held: HeldFiles): void {
  scope.get<ById>(PATH, (request, reply) => sendImports(deps, request, reply));

  // A rejected import stays at the form's action URL; a GET of that URL redirects to the list.
  scope.get<ById>(importPath(':id', ':import'), async (request, reply) => {
    const { websiteId } = await keyOf(deps, request);
    return reply.redirect(websitePath(websiteId, 'imports'), 303);
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<ById & Body>(startImportPath(':id'), async (request, reply) => {
      const key = await keyOf(deps, request);
      const found = await held.take(valueIn(request.body, 'held') ?? '', key);
      if (found === undefined)
        return sendImports(deps, request, reply.code(409), {
          fault: localeFor(request).words.imports.gone,
          fields: new Map(),
        });
      const { file, options } = found;
      try {
        const remove = placeOf(deps.importer, key, file);
        await deps.importer.start({ author: authorOf(request) }, key, file, options, remove);
      } catch (error) {
        await file.remove();
        return sendImports(deps, request, reply.code(422), {
          fault: sentenceOf(localeFor(request).words, error),
          fields: fieldsOf(options),
        });
      }
      return reply.redirect(websitePath(key.websiteId, 'imports'), 303);
    });

    writing.post<{ Params: { id: string; import: string } } & Body>(
      importPath(':id', ':import'),
      async (request, reply) => {
        const key = await keyOf(deps, request);
        allowSlowResponse(request.raw);
        try {
          await deleteImport({ ...deps, author: authorOf(request) }, key, request.params.import.toLowerCase());
        } catch (error) {
          // A second click, or another page, has deleted it.
          if (!(error instanceof DomainError && error.code === 'not_found')) throw error;
        }
        return reply.redirect(websitePath(key.websiteId, 'imports'), 303);
      },
    );
  });
}

/** Accepts a file and previews its import. Its body is not a form of fields, so the scope has its own session. */
export function uploadRoute(scope: FastifyInstance, deps: ImportRoutesDependencies, held: HeldFiles): void {
  scope.post<ById>(PATH, { config: { takenBodies: TAKEN_UPLOADS } }, async (request, reply) => {
    const key = await keyOf(deps, request);
    const fields = new Map<string, string>();
    let file: ReceivedFile | undefined;
    try {
      file = await readUpload(request, fields);
      const options = optionsOf(fields, localeFor(request).words.imports);
      const { format, counts } = await deps.importer.preview(key, file, options);
      const id = await held.hold({ website: key, file, options: { ...options, format } });
      const preview = <Preview websiteId={key.websiteId} format={format} counts={counts} options={options} held={id} />;
      return await sendFramed(deps, request, reply, preview);
    } catch (error) {
      await file?.remove();
      return sendImports(deps, request, reply.code(422), {
        fault: sentenceOf(localeFor(request).words, error),
        fields,
      });
    }
  });
}

async function keyOf(deps: ImportRoutesDependencies, request: FastifyRequest<ById>): Promise<WebsiteKey> {
  const { id } = await websiteOf(deps, request);
  return { accountId: accountOf(request), websiteId: id };
}

function optionsOf(fields: ReadonlyMap<string, string>, words: ImportWords): FileImportOptions {
  const until = fields.get('until') ?? '';
  const zone = readZoneName(fields.get('time_zone') ?? null);
  if (until !== '' && !isDay(until)) throw new DomainError('invalid_file', words.notADay);
  if ('fault' in zone) throw new DomainError('invalid_file', zone.fault.saying ?? zone.fault.detail);
  return {
    format: IMPORT_FORMATS.find((known) => known === fields.get('format')) ?? 'auto',
    keepGoing: fields.get('keep_going') === '1',
    ...(until === '' ? {} : { until }),
    ...(zone.value === null ? {} : { timeZone: zone.value }),
  };
}

/** The fields that say the options. */
function fieldsOf({ format, keepGoing, until, timeZone }: FileImportOptions): ReadonlyMap<string, string> {
  return new Map([
    ['format', format],
    ['keep_going', keepGoing ? '1' : ''],
    ['until', until ?? ''],
    ['time_zone', timeZone ?? ''],
  ]);
}

async function sendImports(
  deps: ImportRoutesDependencies,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
  rejected?: RejectedUpload,
): Promise<FastifyReply> {
  const key = await keyOf(deps, request);
  const imports = await listImports(deps, key);
  const canWrite = frameOf(request, await websiteOf(deps, request), 'imports').canWrite;
  return sendFramed(
    deps,
    request,
    reply,
    <>
      <ImportsList websiteId={key.websiteId} imports={imports} canWrite={canWrite} />
      <UploadForm websiteId={key.websiteId} rejected={rejected} canWrite={canWrite} />
    </>,
  );
}

async function sendFramed(
  deps: ImportRoutesDependencies,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
  children: ComponentChildren,
): Promise<FastifyReply> {
  const frame = frameOf(request, await websiteOf(deps, request), 'imports');
  return sendPage(reply, <WebsiteFrame {...frame}>{children}</WebsiteFrame>);
}
