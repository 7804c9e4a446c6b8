import { type Fault, InvalidFields } from '@hitherto/domain/base';
import { dayOf, namedPeriod, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { PREVIEWED_PAGES, previewPages, type TriedSetting } from '@hitherto/domain/reading';
import { parseWebsiteChanges, showWebsite, type WebsiteDependencies } from '@hitherto/domain/websites';
import { accountProblemResponses, accountResponse, BODY_LIMIT, decodeJsonBodies } from '@hitherto/http';
import { fieldNameOf, SETTING_FIELDS } from '@hitherto/wire';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults, websiteIdOf } from '../requests/input.ts';
import { bodyOf } from '../resources/documented.ts';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';

const { excludedParams: PARAMS, pageRules: RULES } = SETTING_FIELDS;
/** Settings that look at what is not kept of hits. */
const NOT_KEPT_FIELDS = ['exclude_ips', 'exclude_bots'] as const;
const NOT_KEPT = 'Cannot be tried: addresses and user agents are not kept.';

const PreviewSettings = Type.Object(
  {
    exclude_params: Type.Optional(Type.String({ description: PARAMS.description, examples: [PARAMS.example] })),
    page_rules: Type.Optional(Type.String({ description: RULES.description, examples: [RULES.example] })),
    exclude_ips: Type.Optional(Type.Unknown({ description: NOT_KEPT })),
    exclude_bots: Type.Optional(Type.Unknown({ description: NOT_KEPT })),
  },
  { additionalProperties: false, $id: 'PreviewSettings', examples: [{ exclude_params: 'utm_*\nfilter' }] },
);

const count = (text?: string) => Type.Integer(text === undefined ? {} : { description: text });

const PreviewSettingsResponse = Type.Object(
  {
    data: Type.Object({
      pages: Type.Object({ before: count(), after: count() }, { description: 'How many pages there are.' }),
      merged: Type.Array(
        Type.Object({
          into: Type.String(),
          from: Type.Array(Type.String(), { maxItems: PREVIEWED_PAGES.from }),
          count: count('How many pages are this one then.'),
          pageviews: count(),
        }),
        { maxItems: PREVIEWED_PAGES.merged, description: 'The changed pages with the most pageviews.' },
      ),
      unchanged: Type.Object({ visits: count(), pageviews: count(), visitors: count() }),
    }),
    meta: Type.Object({ from: Type.String({ format: 'date' }), to: Type.String({ format: 'date' }) }),
  },
  {
    $id: 'PreviewSettingsResponse',
    examples: [
      {
        data: {
          pages: { before: 1412, after: 236 },
          merged: [{ into: '/list', from: ['/list?filter=a', '/list?filter=b'], count: 118, pageviews: 9120 }],
          unchanged: { visits: 8000, pageviews: 20000, visitors: 6100 },
        },
        meta: { from: '2026-10-24', to: '2026-11-20' },
      },
    ],
  },
);

/** The schemas that are referenced by name. */
export const SETTINGS_PREVIEW_SCHEMAS = [PreviewSettings, PreviewSettingsResponse];

const documented = {
  tags: ['websites'],
  operationId: 'previewSettings',
  summary: 'Try a setting on the past',
  description:
    'How the pages of the last 28 days would have been stored with another `exclude_params`, or would be shown with other `page_rules`, as far as their hits are kept. Send one of the two. Stores nothing.',
  querystring: NoQuery,
  params: WebsiteParams,
  body: bodyOf(PreviewSettings),
  response: {
    200: accountResponse('The pages before and after.', PreviewSettingsResponse),
    ...accountProblemResponses(400, 401, 403, 404, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};

interface SettingsPreviewDependencies extends Pick<WebsiteDependencies, 'websites' | 'now'> {
  readonly statistics: StatisticsRepository;
  /** The installation's. */
  readonly zone: TimeZone;
}

/** Tries a setting on the past (cleanups.md), in the authenticated scope. */
export function settingsPreviewRoutes(app: FastifyInstance, deps: SettingsPreviewDependencies): void {
  app.register(async (previewing) => {
    decodeJsonBodies(previewing, ['application/json'], BODY_LIMIT);
    previewing.post<{ Params: { readonly id: string }; Body: Readonly<Record<string, unknown>> }>(
      '/api/v1/websites/:id/settings/preview',
      { schema: documented, config: { mergesFaults: true, action: 'see_settings' } },
      async (request) => {
        const setting = parseBody(request.body, shapeFaults(request), readSetting);
        const website = await showWebsite(deps, viewerOf(request), websiteIdOf(request.params));
        const period = namedPeriod('28d', dayOf(zoneOf(website, deps.zone), deps.now()));
        return { data: await previewPages(deps, website.id, period, setting), meta: period };
      },
    );
  });
}

function readSetting(body: Readonly<Record<string, unknown>>): TriedSetting {
  const faults: Fault[] = NOT_KEPT_FIELDS.filter((field) => body[field] !== undefined).map((field) => {
    return { field, code: 'not_allowed', detail: NOT_KEPT };
  });
  const { [PARAMS.name]: params, [RULES.name]: rules } = body;
  if (typeof params !== 'string' && typeof rules !== 'string') {
    faults.push({ field: PARAMS.name, code: 'required', detail: PARAMS.description });
  } else if (params !== undefined && rules !== undefined) {
    faults.push({ field: RULES.name, code: 'not_allowed', detail: 'Try one setting at a time.' });
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  try {
    if (typeof rules !== 'string') {
      return {
        excludedParams: parseWebsiteChanges({ excludedParams: PARAMS.read(String(params)) }).excludedParams ?? [],
      };
    }
    return { pageRules: parseWebsiteChanges({ pageRules: RULES.read(rules) }).pageRules ?? [] };
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    throw new InvalidFields(error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) })));
  }
}
