import { DomainError } from '@hitherto/domain/base';
import type { Importer } from '@hitherto/domain/imports';
import { type CoverageReader, type CoverageRepository, listCoverage, showCoverage } from '@hitherto/domain/insight';
import type { Website, WebsiteDependencies } from '@hitherto/domain/websites';
import type { ReceivedFile } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { coveragePath, websitePath } from '../../shared/paths.ts';
import { type ById, frameOf, websiteOf } from '../found-website.ts';
import { placeOf, readUpload, sentenceOf, TAKEN_UPLOADS } from '../imports/uploads.ts';
import { accountOf } from '../session.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import { CoverageForm, CoverageList, CoverageResult, type RejectedLog } from './coverage-page.tsx';

export interface CoverageRoutesDependencies extends Pick<WebsiteDependencies, 'websites' | 'now'> {
  readonly importer: Importer;
  readonly coverageReader: CoverageReader;
  readonly coverages: CoverageRepository;
}

const PATH = websitePath(':id', 'coverage');
const DAYS = /^[1-9]\d{0,2}$/;
const MAX_DAYS = 400;

const keyOf = (request: FastifyRequest, { id }: Website) => ({ accountId: accountOf(request), websiteId: id });

/** The coverage that logs have shown (docs/imports.md, "Coverage"); the scope has a session. */
export function coverageRoutes(scope: FastifyInstance, deps: CoverageRoutesDependencies): void {
  scope.get<ById>(PATH, (request, reply) => sendCoverage(deps, request, reply));

  scope.get<{ Params: { id: string; report: string } }>(coveragePath(':id', ':report'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const report = await showCoverage(deps, keyOf(request, website), request.params.report.toLowerCase());
    return sendPage(
      reply,
      <WebsiteFrame {...frameOf(request, website, 'coverage')}>
        <CoverageResult websiteId={website.id} report={report} />
      </WebsiteFrame>,
    );
  });
}

/** Accepts a log. Its body is not a form of fields, so the scope has its own session. */
export function coverageUploadRoute(scope: FastifyInstance, deps: CoverageRoutesDependencies): void {
  scope.post<ById>(PATH, { config: { takenBodies: TAKEN_UPLOADS } }, async (request, reply) => {
    const website = await websiteOf(deps, request);
    const key = keyOf(request, website);
    const fields = new Map<string, string>();
    let file: ReceivedFile | undefined;
    try {
      file = await readUpload(request, fields);
      const days = daysIn(fields, localeFor(request).words.coverage.notDays);
      const remove = placeOf(deps.importer, key, file);
      const report = await deps.coverageReader.start(key, file.path, days, remove);
      return await reply.redirect(coveragePath(website.id, report.id), 303);
    } catch (error) {
      await file?.remove();
      return sendCoverage(deps, request, reply.code(422), {
        fault: sentenceOf(localeFor(request).words, error),
        days: fields.get('days') ?? '',
      });
    }
  });
}

function daysIn(fields: ReadonlyMap<string, string>, fault: string): number | undefined {
  const days = fields.get('days')?.trim() ?? '';
  if (days === '') return undefined;
  if (!DAYS.test(days) || Number(days) > MAX_DAYS) throw new DomainError('invalid_file', fault);
  return Number(days);
}

async function sendCoverage(
  deps: CoverageRoutesDependencies,
  request: FastifyRequest<ById>,
  reply: FastifyReply,
  rejected?: RejectedLog,
): Promise<FastifyReply> {
  const website = await websiteOf(deps, request);
  const reports = await listCoverage(deps, keyOf(request, website));
  const frame = frameOf(request, website, 'coverage');
  return sendPage(
    reply,
    <WebsiteFrame {...frame}>
      <CoverageForm websiteId={website.id} rejected={rejected} canWrite={frame.canWrite} />
      <CoverageList websiteId={website.id} reports={reports} />
    </WebsiteFrame>,
  );
}
